// Running and comparing; see the header.
#include "conform/pair.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::conform {

namespace {

constexpr std::int64_t kSoonMs = 5000;  // a run is over long before

/// Which expired keys it meets is a matter of chance; not what goes before DBSIZE, which meets all.
bool meets_by_chance(const sim::Request& request) {
  if (request == preludes_of({"dbsize"}).front()) return false;
  return std::ranges::any_of(request, [](const std::string& word) {
    return sim::is_word(word, "scan") ||
           sim::lower_case(word).find("randomkey") != std::string::npos;
  });
}

/// Whether it goes through a hash table, as some commands of a script or a transaction do. DBSIZE
/// is sent after a SCAN.
bool tells_in_any_order(const sim::Request& request) {
  return is_one_of(sim::lower_case(request[0]), {"dbsize", "sort", "sort_ro"}) ||
         sim::runs_several(request);
}

}  // namespace

std::int64_t Pair::server_ms() {
  const auto time = servers_.admin.execute({"TIME"});
  const std::int64_t ms = std::atoll(time.items.at(0).text.c_str()) * 1000 +
                          std::atoll(time.items.at(1).text.c_str()) / 1000;
  if (now_ms_ > 0) slack_ms_ = std::max(slack_ms_, ms - now_ms_ + 1);
  return ms;
}

/// However long it was not looked at.
void Pair::look_at_clock() {
  now_ms_ = 0;
  now_ms_ = server_ms();
  fake_.advance_to({now_ms_});
}

bool Pair::is_replica() const { return fake_.mode().replica; }

void Pair::begin(std::size_t connections) {
  servers_.reset(clients_);
  clients_.clear();
  slack_ms_ = 1;
  if (listens_) ++connections;
  while (clients_.size() < connections + 1) clients_.push_back(servers_.open());  // one reads all
  if (listens_) begin_to_listen();
}

void Pair::begin_to_listen() {
  const std::vector<sim::Request> settings{{"CONFIG", "SET", "notify-keyspace-events", "KEAmn"},
                                           {"DEBUG", "SET-ACTIVE-EXPIRE", "0"}};
  const sim::Request listen{"PSUBSCRIBE", "__key*"};
  for (const auto& reply : servers_.admin.execute_all(settings))
    if (reply.is_error()) throw sim::BadInput(address().shown() + ": " + reply->text);
  for (const auto& request : settings) fake_.submit(clients_.back().fake, request);
  const Client& listener = clients_[clients_.size() - 2];
  listener.real->execute(listen);
  fake_.submit(listener.fake, listen);
}

bool Pair::is_listener(std::size_t connection) const {
  return listens_ && connection + 2 == clients_.size();
}

bool Pair::anyone_waits() const {
  return std::ranges::any_of(
      clients_, [&](const Client& client) { return fake_.session(client.fake).wait.has_value(); });
}

std::optional<Difference> Pair::run(const std::vector<Step>& steps, bool one_by_one) {
  std::size_t most = 0;
  for (const auto& step : steps) most = std::max(most, step.connection);
  begin(most + 1);
  if (auto difference = go_on(steps, one_by_one)) return difference;
  if (auto difference = surplus()) return difference;
  return compare_contents();
}

std::optional<Difference> Pair::compare_contents(Packing packing) {
  std::vector<Step> all;
  for (auto& request : reading(fake_.keyspace(), fake_.mode().version, packing))
    all.push_back({clients_.size() - 1, std::move(request)});
  return go_on(all, false);
}

std::optional<Difference> Pair::go_on(const std::vector<Step>& steps, bool one_by_one) {
  look_at_clock();
  for (std::size_t next = 0; next < steps.size();) {
    const std::size_t first = next;
    next = submit_batch(steps, first, one_by_one);
    clients_[steps[first].connection].real->send_all(batch_);
    if (auto difference = collect()) return difference;
    if (steps[next - 1].request[0] == kExpire) let_expire(1);
    drop_soon_expired();
    fake_.advance_to({now_ms_});
  }
  return std::nullopt;
}

/// Gives the next steps of one connection to the simulated server, at one instant of its clock.
/// Where somebody waits, or begins to, the batch is one step: what he does when he goes on must not
/// meet the rest of it. A key that expires soon ends it too: the real clock goes on during a batch.
/// Returns the step after it.
std::size_t Pair::submit_batch(const std::vector<Step>& steps, std::size_t first, bool one_by_one) {
  batch_.clear();
  expected_.clear();
  const auto connection = steps[first].connection;
  std::size_t at = first;
  while (at < steps.size() && steps[at].connection == connection) {
    const Step& step = steps[at++];
    for (const auto& prelude : preludes_of(step.request)) submit(step, prelude);
    if (step.request[0] == kExpire) {
      // In a transaction nobody knows which of its commands still meets the key.
      if (fake_.session(clients_[connection].fake).in_transaction) continue;
      submit(step, {"PEXPIRE", step.request.at(1), "1"});
      break;
    }
    submit(step, step.request);
    if (one_by_one || anyone_waits() || !soon_expired().empty()) break;
  }
  return at;
}

/// Lets the simulated server answer. A request that it refuses is forgotten; so is an EXEC which
/// makes a key that expires soon, perhaps between two of its commands: its transaction is
/// discarded.
void Pair::submit(const Step& step, const sim::Request& request) {
  const auto session = clients_[step.connection].fake;
  const Likeness likeness =
      likeness_of(request, fake_.session(session), fake_.keyspace(), fake_.now());
  if (likeness.chance || (listens_ && meets_by_chance(request))) return;
  const auto* command = sim::find_command(request);
  const bool transaction =
      command && command->has(sim::kRunsQueue) && fake_.session(session).in_transaction;
  const bool scripted = command && command->is_of("scripting");
  const bool may_be_undone = transaction || scripted || anyone_waits();
  const auto before = may_be_undone ? std::optional(fake_) : std::nullopt;
  std::vector<sim::Delivery> written;
  bool fine = true;
  try {
    written = fake_.submit(session, request);
    fine = !fake_.busy() && (!transaction || soon_expired().empty());
  } catch (const sim::BadInput&) {
    fine = false;
    ++refused_;
  }
  if (!fine) {
    if (before) fake_ = *before;
    if (transaction) submit(step, {"DISCARD"});
    return;
  }
  for (auto& [to, reply] : written) {
    const auto client = std::ranges::find(clients_, to, &Client::fake);
    expected_.push_back({static_cast<std::size_t>(client - clients_.begin()), &step,
                         std::move(reply), to == session ? likeness : Likeness{}});
  }
  batch_.push_back(request);
  ++commands_;
}

/// Waits for as many replies of the real server as the simulated one has given, then compares.
std::optional<Difference> Pair::collect() {
  std::vector<sim::Reply> replies;
  for (const auto& expected : expected_) {
    try {
      replies.push_back(clients_[expected.connection].real->await());
    } catch (const live::ConnectionBroken&) {
      return Difference{*expected.step, expected.connection, std::nullopt, expected.reply};
    }
  }
  now_ms_ = server_ms();
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const auto& expected = expected_[i];
    if (is_listener(expected.connection) && tells_in_any_order(expected.step->request)) continue;
    if (!alike(expected.likeness, replies[i], *expected.reply, 2 * slack_ms_))
      return Difference{*expected.step, expected.connection, replies[i], expected.reply};
  }
  return compare_unordered(replies);
}

/// The messages of steps that have no order.
std::optional<Difference> Pair::compare_unordered(const std::vector<sim::Reply>& replies) const {
  const sim::Reply nothing = sim::Reply::array({});
  std::map<const Step*, std::pair<sim::Reply, sim::Reply>> said;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const auto& expected = expected_[i];
    if (!is_listener(expected.connection) || !tells_in_any_order(expected.step->request)) continue;
    auto& [redis, lockstep] = said.try_emplace(expected.step, nothing, nothing).first->second;
    redis.items.push_back(replies[i]);
    lockstep.items.push_back(*expected.reply);
  }
  for (const auto& [step, both] : said)
    if (in_one_order(both.first) != in_one_order(both.second))
      return Difference{*step, clients_.size() - 2, both.first, both.second};
  return std::nullopt;
}

/// What the real server has written and the simulated one has not.
std::optional<Difference> Pair::surplus() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    pollfd bytes{clients_[i].real->descriptor(), POLLIN, 0};
    const auto reply = clients_[i].real->receive(poll(&bytes, 1, 0) > 0);
    if (reply) return Difference{{i, {"(no request)"}}, i, *reply, std::nullopt};
  }
  return std::nullopt;
}

void Pair::let_expire(std::int64_t ms) {
  const std::int64_t enough_ms = ms + 2;
  const auto began = now_ms_;
  while (now_ms_ < began + enough_ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(enough_ms));
    look_at_clock();
  }
}

void Pair::reconnect(const std::function<bool(const sim::Session&)>& ends) {
  std::vector<sim::Request> requests;
  for (auto& client : clients_) {
    if (!ends(fake_.session(client.fake))) continue;
    requests.push_back({"CLIENT", "KILL", "ID", client.real_id});
    fake_.close(client.fake);
    client = servers_.open();
  }
  servers_.admin.execute_all(requests);
}

void Pair::mirror(const Pair& master) {
  fake_.take(sim::mirror_of(master.fake_.keyspace(), fake_.keyspace()));
  slack_ms_ = std::max(slack_ms_, master.slack_ms_);
}

/// The keys that would expire during the run, at a moment that the two servers may see differently.
/// A replica has those that its master has.
std::vector<sim::Place> Pair::soon_expired() const {
  std::vector<sim::Place> places;
  if (is_replica()) return places;
  for (int database = 0; database < kDatabasesUsed; ++database) {
    const auto* keys = fake_.keyspace().database(database);
    if (!keys) continue;
    for (const auto& [key, entry] : *keys)
      if (entry.expires && entry.expires->ms <= now_ms_ + kSoonMs)
        places.push_back({database, key});
  }
  return places;
}

void Pair::drop_soon_expired() {
  std::vector<sim::Request> requests;
  for (const auto& place : soon_expired()) {
    requests.push_back({"SELECT", std::to_string(place.database)});
    requests.push_back({"DEL", place.key});
  }
  if (!requests.empty()) send_unseen(requests);
}

void Pair::send_unseen(const std::vector<sim::Request>& requests) {
  std::vector<sim::Request> all{{"SELECT", "0"}};
  all.insert(all.end(), requests.begin(), requests.end());
  all.push_back({"SELECT", "0"});
  servers_.admin.execute_all(all);
  for (const auto& request : all)
    for (const auto& [to, message] : fake_.submit(clients_.back().fake, request))
      if (listens_ && to != clients_.back().fake) clients_[clients_.size() - 2].real->await();
}

}  // namespace lockstep::conform
