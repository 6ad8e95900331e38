// Slot migration compared with real servers: two nodes of a cluster of our own, a slot that goes to
// and fro between them key by key, and in each state the same requests to both, on connections that
// remember ASKING and MULTI. LOCKSTEP_SEQUENCES sets how many migrations, LOCKSTEP_SEEDS which.
#include "sim/redis/commands/cluster.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/checker/dice.hpp"
#include "tests/support/reply_text.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;
using sim::Slots;

const std::vector<std::string> kKeys{"{l}a", "{l}b", "{l}c"};

/// A node and its likeness, each with a connection. One that has lost its last slot stays a master.
struct Node {
  live::Server server{sim::Persistence::none,
                      {"--cluster-enabled", "yes", "--cluster-allow-replica-migration", "no"}};
  live::Connection admin{server.address()}, real{server.address()};
  std::string id = admin.execute({"CLUSTER", "MYID"}).text;
  sim::Keyspace keyspace;
  sim::Session session;
  sim::ScriptVm scripts;
  Slots slots = Slots::own;

  std::string port() const { return std::to_string(server.address().port); }
};

void expect_ok(const sim::Reply& reply) { REQUIRE(test::show(reply) == "+OK"); }

class Cluster {
 public:
  Cluster() {
    expect_ok(nodes_[0].admin.execute({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}));
    expect_ok(nodes_[0].admin.execute({"CLUSTER", "MEET", "127.0.0.1", nodes_[1].port()}));
    nodes_[1].slots = Slots::elsewhere;
    await([&] { return serves(nodes_[0]) && serves(nodes_[1]); });
  }

  /// One of a migration's requests, sent to both likenesses of the node; what differs, or "".
  std::string compare(std::size_t n, const sim::Request& request) {
    Node& node = nodes_[n];
    sim::Execution execution;
    execution.now = sim::kEpoch;
    execution.scripts = &node.scripts;
    execution.mode = {
        .cluster = true, .slots = node.slots, .other_node = static_cast<std::uint8_t>(1 - n)};
    const std::string ours =
        test::show(sim::execute(node.keyspace, node.session, request, execution));
    const std::string theirs = by_name(test::show(node.real.execute(request)));
    ++compared_;
    ++words_[ours.substr(0, ours.find(' '))];
    std::string text;
    for (const std::string& word : request) text += word + " ";
    return ours == theirs ? "" : text + "-> real " + theirs + ", simulated " + ours;
  }

  void begin(std::size_t source) {
    Node &from = nodes_[source], &to = nodes_[1 - source];
    expect_ok(to.admin.execute({"CLUSTER", "SETSLOT", slot_, "IMPORTING", from.id}));
    expect_ok(from.admin.execute({"CLUSTER", "SETSLOT", slot_, "MIGRATING", to.id}));
    from.slots = Slots::migrating;
    to.slots = Slots::importing;
  }

  void move(std::size_t source, const std::string& key) {
    Node &from = nodes_[source], &to = nodes_[1 - source];
    const auto place = from.keyspace.keys.find(key);
    // REPLACE: who asks without having been told to may have made it there.
    const sim::Request request{"MIGRATE", "127.0.0.1", to.port(), key, "0", "5000", "REPLACE"};
    const std::string said = test::show(from.admin.execute(request));
    CHECK(said == (place == from.keyspace.keys.end() ? "+NOKEY" : "+OK"));
    if (place == from.keyspace.keys.end()) return;
    to.keyspace.keys.insert_or_assign(key, place->second);
    from.keyspace.keys.erase(place);
  }

  void end(std::size_t source) {
    for (const std::string& key : kKeys) move(source, key);
    Node &from = nodes_[source], &to = nodes_[1 - source];
    expect_ok(to.admin.execute({"CLUSTER", "SETSLOT", slot_, "NODE", to.id}));
    expect_ok(from.admin.execute({"CLUSTER", "SETSLOT", slot_, "NODE", to.id}));
    from.slots = Slots::elsewhere;
    to.slots = Slots::own;
    await([&] { return view_of(from) == view_of(to); });
  }

  std::int64_t left_ms(std::size_t n, const std::string& key) {
    return nodes_[n].admin.execute({"PTTL", key}).integer;
  }
  std::size_t compared() const { return compared_; }
  std::size_t met(const std::string& word) const {
    const auto found = words_.find(word);
    return found == words_.end() ? 0 : found->second;
  }

 private:
  /// Addresses by the names that the simulated servers have.
  std::string by_name(std::string text) const {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const std::string address = "127.0.0.1:" + nodes_[n].port();
      for (auto at = text.find(address); at != text.npos; at = text.find(address))
        text.replace(at, address.size(), "redis-" + std::to_string(n + 1) + ":6379");
    }
    return text;
  }

  static void await(const std::function<bool()>& it) {
    using namespace std::chrono_literals;
    for (const auto latest = std::chrono::steady_clock::now() + 20s; !it();) {
      REQUIRE(std::chrono::steady_clock::now() < latest);
      std::this_thread::sleep_for(5ms);
    }
  }

  /// Whether it knows both nodes and serves all slots.
  bool serves(Node& node) const {
    const std::string known = node.admin.execute({"CLUSTER", "NODES"}).text;
    const std::string state = node.admin.execute({"CLUSTER", "INFO"}).text;
    return known.find(nodes_[0].id) != known.npos && known.find(nodes_[1].id) != known.npos &&
           known.find("0-16383") != known.npos && state.starts_with("cluster_state:ok");
  }

  /// Who has which slots, and by which epoch, as a node has heard of it. (What is still on its way
  /// in the cluster could take a slot away that migrates again.)
  static std::set<std::string> view_of(Node& node) {
    std::set<std::string> view;
    std::istringstream lines(node.admin.execute({"CLUSTER", "NODES"}).text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> all(std::istream_iterator<std::string>(words), {});
      std::string known = all.at(0) + " " + all.at(6);  // its name, and its epoch
      for (std::size_t i = 8; i < all.size(); ++i) known += " " + all[i];
      view.insert(known);
    }
    return view;
  }

  std::array<Node, 2> nodes_;
  std::string slot_ = std::to_string(sim::hash_slot(kKeys[0]));
  std::size_t compared_ = 0;
  std::map<std::string, std::size_t> words_;
};

const char* const kTwoKeys = "return {redis.pcall('get', KEYS[1]), redis.pcall('get', KEYS[2])}";
const char* const kUndeclared = "return redis.call('get', '{l}c')";
const char* const kDeletedFirst =
    "redis.call('del', KEYS[1]) return redis.pcall('set', KEYS[1], 'again')";

sim::Request drawn_request(test::Dice& dice) {
  const auto key = [&] { return dice.of(kKeys); };
  const auto other = [&] { return dice.one_in(12) ? std::string("elsewhere") : key(); };
  const sim::Request plain = dice.of<sim::Request>({{"SET", key(), "v"},
                                                    {"SET", key(), "w", "NX"},
                                                    {"GET", key()},
                                                    {"DEL", key()},
                                                    {"INCR", "{l}n"},
                                                    {"PING"}});
  const sim::Request of_two = dice.of<sim::Request>({{"MGET", key(), other()},
                                                     {"DEL", key(), other()},
                                                     {"MSETNX", key(), "1", other(), "2"},
                                                     {"RENAME", key(), other()},
                                                     {"EXISTS", key(), key(), other()}});
  const sim::Request of_script =
      dice.of<sim::Request>({{"EVAL", kTwoKeys, "2", key(), other()},
                             {"EVAL", kUndeclared, "1", key()},
                             {"EVAL", kUndeclared, "0"},
                             {"EVAL", kDeletedFirst, "1", key()},
                             {"EVALSHA", std::string(40, 'f'), "1", key()},
                             {"SCRIPT", "LOAD", kTwoKeys}});
  return dice.of<sim::Request>({plain,
                                plain,
                                of_two,
                                of_script,
                                {"ASKING"},
                                {"ASKING"},
                                dice.of<sim::Request>({{"MULTI"}, {"EXEC"}, {"EXEC"}})});
}

/// What differs in one migration from node `source` to the other one, or "".
std::string migration(Cluster& cluster, std::size_t source, test::Dice& dice) {
  const auto ask = [&] {
    for (int requests = 0; requests < 12; ++requests) {
      const std::string found = cluster.compare(dice.below(2), drawn_request(dice));
      if (!found.empty()) return found;
    }
    return std::string();
  };
  std::string found = ask();
  cluster.begin(source);
  for (const std::string& key : kKeys) {
    if (found.empty()) found = ask();
    if (dice.one_in(2)) cluster.move(source, key);
  }
  if (found.empty()) found = ask();
  cluster.move(source, "{l}n");
  cluster.end(source);
  return found.empty() ? ask() : found;
}

}  // namespace

TEST_CASE("nodes of a cluster answer as real ones while a slot migrates", "[cluster]") {
  const auto count = static_cast<std::uint32_t>(test::setting("LOCKSTEP_SEQUENCES", 40));
  const auto seeds = test::seeds_of("slot migrations", count);
  Cluster cluster;
  std::size_t source = 0;
  for (auto seed = seeds.first; seed <= seeds.last; ++seed, source = 1 - source) {
    test::Dice dice(seed);
    INFO("LOCKSTEP_SEEDS=" << seed << "-" << seed << " (after those before it)");
    REQUIRE(migration(cluster, source, dice) == "");
  }
  for (const char* word : {"-MOVED", "-ASK", "-TRYAGAIN", "-CROSSSLOT", "-NOSCRIPT", "-EXECABORT"})
    CHECK(cluster.met(word) > 0);
  std::cout << seeds.count() << " slot migrations, " << cluster.compared()
            << " requests: " << cluster.met("-MOVED") << " MOVED, " << cluster.met("-ASK")
            << " ASK, " << cluster.met("-TRYAGAIN") << " TRYAGAIN, " << cluster.met("-CROSSSLOT")
            << " CROSSSLOT\n";
}

TEST_CASE("a key that moves to another node keeps what is left of its lifetime", "[cluster]") {
  Cluster cluster;
  REQUIRE(cluster.compare(0, {"SET", kKeys[0], "v", "PX", "100000"}) == "");
  cluster.begin(0);
  cluster.move(0, kKeys[0]);
  REQUIRE(cluster.compare(0, {"PTTL", kKeys[0]}) == "");  // ASK
  cluster.end(0);
  const std::int64_t left_ms = cluster.left_ms(1, kKeys[0]);
  CHECK((left_ms > 90'000 && left_ms <= 100'000));
}

TEST_CASE("scripts of a cluster touch keys of several slots where they may", "[cluster]") {
  Cluster cluster;
  const std::string two = "local one = redis.pcall('set', 'a', '1')\n";
  const std::string apart = two + "return {one, redis.pcall('set', 'b', '2')}";
  const std::string at_once = "return redis.pcall('mset', 'a', '1', 'b', '2')";
  const std::string may = "#!lua flags=allow-cross-slot-keys\n";
  for (const std::string& first : {std::string(), std::string("#!lua\n"), may})
    for (const std::string& body : {apart, at_once}) {
      CHECK(cluster.compare(0, {"EVAL", first + body, "0"}) == "");
      CHECK(cluster.compare(0, {"EVAL", first + body, "1", "a"}) == "");
      CHECK(cluster.compare(0, {"EVAL", first + body, "1", "b"}) == "");
    }
  const std::string library =
      "#!lua name=l\nredis.register_function('f', function(keys)\n" + apart + "\nend)";
  CHECK(cluster.compare(0, {"FUNCTION", "LOAD", library}) == "");
  CHECK(cluster.compare(0, {"FCALL", "f", "0"}) == "");
  CHECK(cluster.compare(0, {"FCALL", "f", "1", "b"}) == "");
  // What runs in one EXEC runs in one slot, which its first key decides.
  const std::string set_b = "#!lua\nreturn redis.pcall('set', 'b', '2')";
  const std::string set_a = "#!lua\nreturn redis.pcall('set', 'a', '2')";
  for (const sim::Request& request : std::vector<sim::Request>{{"MULTI"},
                                                               {"EVAL", set_b, "0"},
                                                               {"EVAL", set_a, "0"},
                                                               {"EXEC"},
                                                               {"MULTI"},
                                                               {"SET", "a", "1"},
                                                               {"EVAL", set_b, "0"},
                                                               {"EXEC"}})
    CHECK(cluster.compare(0, request) == "");
}
