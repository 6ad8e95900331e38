// Databases and connections where there is no server around: in a keyspace of the explored world.
#include <catch2/catch.hpp>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/fake_node.hpp"

namespace {

using namespace lockstep::sim;

struct DatabasesNode : lockstep::test::FakeNode {
  template <class Command>
  Reply run(const Command& command) {
    return FakeNode::run(1, command);
  }
  /// Runs a command in another database, as only a script can.
  Reply run_in(const char* database, const char* command) {
    return run(Request{"EVAL", "redis.call('select', ARGV[1]) return redis.call(unpack(ARGV, 2))",
                       "0", database, "set", command, "v", "px", "10"});
  }
};

TEST_CASE("a script's SELECT reaches the other databases and ends with the script") {
  DatabasesNode node;
  node.run("SET k zero");
  node.run_in("3", "k");
  CHECK(node.run("GET k") == Reply::bulk("zero"));
  CHECK(node.keyspace.keys.size() == 1);
  REQUIRE(node.keyspace.others.size() == 1);
  CHECK(node.keyspace.database(3)->contains("k"));
  node.run(Request{"EVAL", "redis.call('select', 3) error('x')", "0"});
  CHECK(node.run("GET k") == Reply::bulk("zero"));
  CHECK(node.run("SWAPDB 0 3") == Reply::ok());
  CHECK(node.run("GET k") == Reply::bulk("v"));
  CHECK(node.run("FLUSHALL") == Reply::ok());
  CHECK(node.keyspace.keys.empty());
  CHECK(node.keyspace.others.empty());
  CHECK(node.keyspace.scripts.size() == 2);  // scripts stay
}

TEST_CASE("expiry, makers and the bytes of a keyspace know every database") {
  DatabasesNode node;
  const std::string empty = encode(node.keyspace);
  node.run("SET a v");
  node.run("DEL a");
  CHECK(encode(node.keyspace) == empty);
  node.run_in("3", "k");
  DatabasesNode moved;
  moved.run_in("4", "k");
  CHECK(encode(node.keyspace) != encode(moved.keyspace));
  CHECK(node.keyspace != moved.keyspace);
  CHECK(!same_keys(node.keyspace, moved.keyspace));

  CHECK(node.keyspace.database(3)->at("k").maker == 1);
  node.keyspace.disown(1);
  CHECK(node.keyspace.database(3)->at("k").maker == 0);
  node.keyspace.shift_expiry(Duration{5});
  node.keyspace.purge(kEpoch + Duration{15});
  CHECK(node.keyspace.others.size() == 1);
  node.keyspace.purge(kEpoch + Duration{16});
  CHECK(node.keyspace.others.empty());
}

TEST_CASE("what waits or is about other connections is refused by name where they are unknown") {
  DatabasesNode node;
  for (const char* line : {"MULTI", "WATCH k", "SUBSCRIBE c", "BLPOP l 0", "WAIT 1 0", "CLIENT ID",
                           "HELLO 2", "QUIT", "SELECT 1"}) {
    const std::string name = lockstep::test::split(line)[0];
    INFO(line);
    CHECK_THROWS_WITH(node.run(line), Catch::Contains("command '" + lower_case(name) + "'") &&
                                          Catch::Contains("connection"));
  }
  CHECK(node.run("SELECT 0") == Reply::ok());
  CHECK(node.run("EXEC").is_error());
  CHECK(node.run("PUBLISH c m") == Reply::number(0));  // nobody can have subscribed
  CHECK(node.run("BLPOP l x").is_error());
}

}  // namespace
