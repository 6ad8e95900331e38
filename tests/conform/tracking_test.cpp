// Which keys a server says are touched, to who tracks them (CLIENT TRACKING ON BCAST): after each
// random command the same on both. LOCKSTEP_RANDOM_COMMANDS sets how many, LOCKSTEP_SEED where they
// begin.
#include "live/tracking.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conform/commands.hpp"
#include "conform/conform.hpp"
#include "conform/difference.hpp"
#include "conform/likeness.hpp"
#include "conform/servers.hpp"
#include "live/server.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;

using Told = std::multiset<std::string>;

/// What a message tells of, added to `told`.
void add_told(Told& told, const sim::Reply& message) {
  REQUIRE(message.items.size() == 2);
  const sim::Reply& keys = message.items[1];
  if (keys.kind != sim::Reply::Kind::array) told.insert("all of them");
  for (const sim::Reply& key : keys.items) told.insert("key " + key.text);
}

/// A simulated and a real server, with a connection that tracks all keys of theirs.
class Pair {
 public:
  explicit Pair(const live::Address& address) : servers_(address) {}

  void begin() {
    const sim::Request still{"DEBUG", "SET-ACTIVE-EXPIRE", "0"},
        track{"CLIENT", "TRACKING", "ON", "BCAST"};
    servers_.reset(clients_);
    clients_.clear();
    while (clients_.size() < 3) clients_.push_back(servers_.open());
    servers_.admin.execute(still);
    fake().submit(clients_[kOther].fake, still);
    fake().mode().keyspace_events = sim::kInvalidations;
    live::begin_to_listen(*tracker().real, track);
    REQUIRE(live::heard(tracker().real->await()) == sim::Reply::ok());
    fake().submit(tracker().fake, track);
  }

  /// Sends it to both, and compares what they tell; returns whether it could be sent.
  bool send(const sim::Request& request) {
    look_at_clock();
    const sim::SessionId session = clients_[kSender].fake;
    const auto likeness =
        conform::likeness_of(request, fake().session(session), fake().keyspace(), fake().now());
    // CLIENT REPLY OFF: nobody would know when the real one is done
    if (likeness.chance || sim::is_name(request[0], "client")) return false;
    const sim::Server before = fake();
    std::vector<sim::Delivery> written;
    try {
      written = fake().submit(session, request);
    } catch (const sim::BadInput&) {
      fake() = before;
      return false;
    }
    if (fake().busy() || fake().session(session).wait) {
      fake() = before;
      return false;
    }
    clients_[kSender].real->send(request);
    for (const auto& [to, reply] : written)
      if (to == session) clients_[kSender].real->await();
    const Told told = told_by_fake(written);
    CHECK(told == told_by_real());
    told_ += told.size();
    drop_soon_expired();
    return true;
  }

  /// How many keys both have told of.
  std::size_t told() const { return told_; }

 private:
  enum Connection : std::size_t { kSender, kTracker, kOther };

  sim::Server& fake() { return servers_.fake; }
  conform::Client& tracker() { return clients_[kTracker]; }

  void look_at_clock() {
    const auto time = servers_.admin.execute({"TIME"});
    fake().advance_to(
        {std::stoll(time.items.at(0).text) * 1000 + std::stoll(time.items.at(1).text) / 1000});
  }

  Told told_by_fake(const std::vector<sim::Delivery>& written) {
    Told told;
    for (const auto& [to, message] : written)
      if (to == tracker().fake) add_told(told, *message);
    return told;
  }

  /// All that has come before the answer to a PING.
  Told told_by_real() {
    Told told;
    tracker().real->send({"PING"});
    for (;;) {
      const sim::Reply message = live::heard(tracker().real->await());
      if (message.items.at(0).text == "pong") return told;
      add_told(told, message);
    }
  }

  /// What expires during the test, at a moment that the two may see differently.
  void drop_soon_expired() {
    constexpr std::int64_t kSoonMs = 60'000;
    std::vector<sim::Request> requests;
    for (int database = 0; database < conform::kDatabasesUsed; ++database) {
      const auto* keys = fake().keyspace().database(database);
      if (keys == nullptr) continue;
      for (const auto& [key, entry] : *keys) {
        if (!entry.expires || entry.expires->ms > fake().now().ms + kSoonMs) continue;
        requests.push_back({"SELECT", std::to_string(database)});
        requests.push_back({"DEL", key});
      }
    }
    if (requests.empty()) return;
    for (const sim::Request& request : requests) {
      clients_[kOther].real->execute(request);
      fake().submit(clients_[kOther].fake, request);
    }
    told_by_real();
  }

  conform::Servers servers_;
  std::vector<conform::Client> clients_;
  std::size_t told_ = 0;
};

TEST_CASE("who tracks all keys is told what redis-server tells") {
  const live::Server server(sim::Persistence::none, {"--enable-debug-command", "yes"});
  Pair pair(server.address());
  const auto repertoire = conform::repertoire_for(sim::ServerVersion::redis_7_0);
  const auto wanted = test::setting("LOCKSTEP_RANDOM_COMMANDS", 6'000);
  std::uint64_t sent = 0;
  for (auto seed = test::setting("LOCKSTEP_SEED", 1); sent < wanted; ++seed) {
    pair.begin();
    for (const conform::Step& step : conform::random_steps(seed, {}, repertoire)) {
      if (step.request[0] == conform::kExpire) continue;
      std::string shown;
      for (const std::string& word : step.request) shown += word + " ";
      INFO("seed " << seed << ": " << shown);
      sent += pair.send(step.request) ? 1 : 0;
    }
  }
  CHECK(pair.told() > sent / 10);
}

}  // namespace
