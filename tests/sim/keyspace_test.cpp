// The keyspace as a value: expiry to the millisecond, who made what, and the bytes that stand for
// it.
#include "sim/keyspace.hpp"

#include <catch2/catch.hpp>

#include "sim/error.hpp"
#include "sim/execute.hpp"
#include "sim/script_vm.hpp"
#include "tests/support/twin.hpp"

namespace {

using namespace lockstep::sim;

/// A node whose clock the test moves.
struct Node {
  Keyspace keyspace;
  ScriptVm vm;
  WallTime now = kEpoch;
  bool looked_at_time = false;

  Reply run(Maker sender, const Request& request) {
    Execution execution{now, sender, &vm, false};
    Reply reply = execute(keyspace, request, execution);
    looked_at_time = execution.looked_at_time;
    return reply;
  }
  Reply run(Maker sender, const char* line) { return run(sender, lockstep::test::split(line)); }

  Maker maker(const char* key) const { return keyspace.keys.at(key).maker; }
  Maker field_maker(const char* key, const char* field) const {
    return std::get<Hash>(keyspace.keys.at(key).value).at(field).maker;
  }
};

TEST_CASE("a key is readable at its expiry instant and gone a millisecond later") {
  Node node;
  node.run(1, "SET k v PX 10");
  node.now = kEpoch + Duration{10};
  CHECK(node.run(1, "GET k") == Reply::bulk("v"));
  CHECK(node.run(1, "PTTL k") == Reply::number(0));
  CHECK(node.keyspace.find("k", node.now) != nullptr);
  node.now = kEpoch + Duration{11};
  CHECK(node.keyspace.find("k", node.now) == nullptr);
  CHECK(node.run(1, "EXISTS k") == Reply::number(0));
  CHECK(node.keyspace.keys.empty());
}

TEST_CASE("purge drops what is expired and shift_expiry moves every expiry") {
  Node node;
  node.run(1, "SET short v PX 10");
  node.run(1, "SET long v PX 20");
  node.run(1, "SET ever v");
  node.keyspace.purge(kEpoch + Duration{10});
  CHECK(node.keyspace.keys.size() == 3);
  node.keyspace.shift_expiry(Duration{-5});
  node.keyspace.purge(kEpoch + Duration{10});
  CHECK(node.keyspace.keys.size() == 2);
  CHECK(node.keyspace.keys.at("long").expires == kEpoch + Duration{15});
  CHECK(!node.keyspace.keys.at("ever").expires);
}

TEST_CASE("a key's maker is who created or overwrote it") {
  Node node;
  for (const char* write : {"SET k v", "SETEX k 10 v", "PSETEX k 10000 v", "GETSET k v", "MSET k v",
                            "SET k v XX", "SET k v KEEPTTL"}) {
    INFO(write);
    node.keyspace.keys.clear();
    node.run(1, "SET k old");
    node.run(2, write);
    CHECK(node.maker("k") == 2);
  }
  for (const char* create : {"SETNX n 1", "MSETNX n 1", "INCR n", "DECRBY n 2", "INCRBYFLOAT n 1",
                             "APPEND n 1", "SETRANGE n 1 x", "SET n v NX"}) {
    INFO(create);
    node.keyspace.keys.clear();
    node.run(3, create);
    CHECK(node.maker("n") == 3);
  }
}

TEST_CASE("a command that modifies a key leaves its maker") {
  Node node;
  node.run(1, "SET k 1");
  for (const char* change : {"INCR k", "INCRBYFLOAT k 1", "APPEND k 1", "SETRANGE k 0 1",
                             "EXPIRE k 100", "PERSIST k", "SET k v NX", "GETEX k EX 100"}) {
    INFO(change);
    node.run(2, change);
    CHECK(node.maker("k") == 1);
  }
  node.run(2, "RENAME k moved");
  CHECK(node.maker("moved") == 1);
}

TEST_CASE("a field's maker is who added or overwrote it; the hash keeps its own") {
  Node node;
  node.run(1, "HSET h f 1");
  node.run(2, "HINCRBY h f 1");
  CHECK(node.field_maker("h", "f") == 1);
  node.run(2, "HSET h g 1");
  CHECK(node.field_maker("h", "g") == 2);
  node.run(2, "HSETNX h f 9");
  CHECK(node.field_maker("h", "f") == 1);
  node.run(2, "HSET h f 9");
  CHECK(node.field_maker("h", "f") == 2);
  node.run(3, "HINCRBY h new 1");
  CHECK(node.field_maker("h", "new") == 3);
  CHECK(node.maker("h") == 1);
  node.keyspace.disown(1);
  CHECK(node.maker("h") == 0);
  CHECK(node.field_maker("h", "f") == 2);
  node.keyspace.disown(2);
  CHECK(node.field_maker("h", "g") == 0);
}

TEST_CASE("commands in scripts have the script's sender") {
  Node node;
  node.run(4, {"EVAL", "return redis.call('set', KEYS[1], 'v')", "1", "k"});
  CHECK(node.maker("k") == 4);
}

TEST_CASE("what depends on absolute time says so") {
  Node node;
  node.run(1, "SET k v");
  for (const char* relative : {"SET k v EX 10", "PEXPIRE k 100", "TTL k", "PTTL k", "GET k",
                               "PERSIST k", "PEXPIRETIME k", "EXPIRETIME none", "EXPIRE k -1"}) {
    INFO(relative);
    node.run(1, relative);
    CHECK(!node.looked_at_time);
  }
  node.run(1, "SET k v EX 100");
  for (const char* absolute :
       {"TIME", "EXPIRETIME k", "PEXPIRETIME k", "SET k v EXAT 4102444800",
        "SET k v PXAT 4102444800000", "GETEX k EXAT 4102444800", "EXPIREAT k 4102444800",
        "PEXPIREAT k 4102444800000", "PEXPIRE k 9223372036854775807",
        "EVAL 'return redis.call(\"time\")' 0"}) {
    INFO(absolute);
    node.run(1, absolute);
    CHECK(node.looked_at_time);
  }
}

TEST_CASE("encode tells keyspaces apart exactly when they differ") {
  const std::vector<std::vector<const char*>> histories{
      {},
      {"SET k v"},
      {"SET k w"},
      {"SET v k"},
      {"SET k v PX 10"},
      {"SET k v PX 11"},
      {"HSET k v ''"},
      {"HSET k f 1 g 2"},
      {"HSET k g 2 f 1"},
      {"SCRIPT LOAD 'return 1'"},
      {"EVAL 'return math.random()' 0"},
      {"SET k '' ", "SET kk ''"},
      {"SET k kk"},
  };
  std::vector<Node> nodes(histories.size() * 2);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto maker = static_cast<Maker>(i < histories.size() ? 1 : 2);
    for (const char* line : histories[i % histories.size()]) nodes[i].run(maker, line);
  }
  for (const Node& a : nodes) {
    for (const Node& b : nodes) {
      CHECK((encode(a.keyspace) == encode(b.keyspace)) == (a.keyspace == b.keyspace));
    }
  }
  Node again;
  for (const char* line : {"HSET k x 0", "HSET k f 1", "HDEL k x", "HSET k g 2"})
    again.run(1, line);
  CHECK(encode(again.keyspace) == encode(nodes[7].keyspace));
}

TEST_CASE("a command that Redis has and that is not simulated is refused by name") {
  Node node;
  CHECK_THROWS_WITH(node.run(1, "ZADD z 1 m"),
                    Catch::Contains("zadd") && Catch::Contains("not simulated"));
  CHECK_THROWS_AS(node.run(1, "ZADD z 1 m"), BadInput);
  CHECK_THROWS_AS(node.run(1, "PUBLISH c m"), BadInput);
  CHECK_THROWS_AS(node.run(1, "SCRIPT HELP"), BadInput);
  CHECK_THROWS_WITH(node.run(1, {"EVAL", "return redis.call('lpush', KEYS[1], 'x')", "1", "l"}),
                    Catch::Contains("lpush") && Catch::Contains("not simulated"));
  CHECK_THROWS_AS(
      node.run(1, {"EVAL", "return pcall(redis.call, 'lpush', KEYS[1], 'x')", "1", "l"}), BadInput);
}

}  // namespace
