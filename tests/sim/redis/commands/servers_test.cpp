// What only some servers have, on the simulated ones alone: as seen on real ones where Debian has
// them (tests/conform/servers_test.cpp compares), and as documented of Redis 8.4.
#include <catch2/catch.hpp>
#include <string>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"
#include "sim/redis/text.hpp"
#include "sim/redis/version.hpp"

namespace {

using namespace lockstep;
using enum sim::ServerVersion;

/// One connection to a simulated server.
class Client {
 public:
  explicit Client(sim::ServerVersion version)
      : server_({.version = version}), session_(server_.open()) {}

  /// The reply to a line, as a prompt shows it, without the line break.
  std::string operator()(const std::string& line) {
    std::string text;
    for (const auto& written : server_.submit(session_, sim::split_line(line)))
      text += sim::shown(*written.reply);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

 private:
  sim::Server server_;
  sim::SessionId session_;
};

constexpr const char* kSyntax = "(error) ERR syntax error";
constexpr const char* kWrongType =
    "(error) WRONGTYPE Operation against a key holding the wrong kind of value";

TEST_CASE("SET IFEQ sets what is equal, on the servers that have it") {
  for (const auto version : {redis_8_4, valkey_8_1, valkey_9}) {
    INFO(name(version));
    Client client(version);
    CHECK(client("SET none v IFEQ v") == "(nil)");
    CHECK(client("EXISTS none") == "(integer) 0");
    client("SET k v PX 1000");
    CHECK(client("SET k w IFEQ x") == "(nil)");
    CHECK(client("SET k w IFEQ x GET") == "\"v\"");
    CHECK(client("SET k w ifeq v KEEPTTL") == "OK");
    CHECK(client("PTTL k") == "(integer) 1000");
    CHECK(client("SET k x PX 50 IFEQ w GET") == "\"w\"");
    CHECK(client("PTTL k") == "(integer) 50");
    CHECK(client("SET k x IFEQ x") == "OK");
    CHECK(client("PTTL k") == "(integer) -1");
    for (const char* wrong : {"SET k v IFEQ", "SET k v IFEQ x NX", "SET k v XX IFEQ x",
                              "SET k v IFEQ x IFEQ x", "SET k v EX IFEQ x"})
      CHECK(client(wrong) == kSyntax);
    client("RPUSH l a");
    CHECK(client("SET l v IFEQ a") == kWrongType);
  }
  for (const auto version : {redis_7_0, redis_7_2, redis_8_0}) {
    Client client(version);
    CHECK(client("SET k v IFEQ v") == kSyntax);
  }
}

TEST_CASE("SET IFNE, which only Redis 8.4 has, sets what is not there") {
  Client client(redis_8_4);
  CHECK(client("SET k v IFNE v") == "OK");
  CHECK(client("SET k w IFNE v") == "(nil)");
  CHECK(client("SET k w IFNE x GET") == "\"v\"");
  CHECK(client("GET k") == "\"w\"");
  CHECK(client("SET k w IFNE x IFEQ w") == kSyntax);
  Client valkey(valkey_9);
  CHECK(valkey("SET k v IFNE v") == kSyntax);
}

TEST_CASE("DELEX deletes if it is equal, or is not, or without a condition") {
  Client client(redis_8_4);
  client("SET k v");
  CHECK(client("DELEX k IFEQ w") == "(integer) 0");
  CHECK(client("DELEX k IFNE v") == "(integer) 0");
  CHECK(client("DELEX k FOO v") ==
        "(error) ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE");
  CHECK(client("DELEX k IFEQ") == "(error) ERR wrong number of arguments for 'delex' command");
  CHECK(client("DELEX k IFEQ v w") == "(error) ERR wrong number of arguments for 'delex' command");
  CHECK(client("DELEX k ifeq v") == "(integer) 1");
  CHECK(client("DELEX k IFEQ v") == "(integer) 0");
  CHECK(client("DELEX k IFEQ") == "(integer) 0");
  client("RPUSH l a");
  CHECK(client("DELEX l IFEQ a") ==
        "(error) ERR Key should be of string type if conditions are specified");
  CHECK(client("DELEX l") == "(integer) 1");
  for (const auto version : {redis_7_0, redis_8_0, valkey_9}) {
    Client other(version);
    CHECK(other("DELEX k IFEQ v") ==
          "(error) ERR unknown command 'DELEX', with args beginning with: 'k' 'IFEQ' 'v' ");
  }
}

TEST_CASE("DELIFEQ is Valkey 9's") {
  Client client(valkey_9);
  client("SET k v");
  CHECK(client("DELIFEQ k w") == "(integer) 0");
  CHECK(client("DELIFEQ k v") == "(integer) 1");
  CHECK(client("DELIFEQ k v") == "(integer) 0");
  client("HSET h f v");
  CHECK(client("DELIFEQ h v") == kWrongType);
  CHECK(client("DELIFEQ h") == "(error) ERR wrong number of arguments for 'delifeq' command");
  Client older(valkey_8_1);
  CHECK(older("DELIFEQ k v") ==
        "(error) ERR unknown command 'DELIFEQ', with args beginning with: 'k' 'v' ");
}

TEST_CASE("a watch is broken by a condition that holds, and by no other") {
  const auto executed = [](const std::string& between) {
    Client client(redis_8_4);
    client("SET k v");
    client("WATCH k");
    client(between);
    client("MULTI");
    return client("EXEC") != "(nil)";
  };
  CHECK(executed("SET k v IFEQ w"));
  CHECK(executed("SET k v IFEQ w GET"));
  CHECK(executed("SET k v IFEQ nx"));
  CHECK(executed("DELEX k IFEQ w"));
  CHECK_FALSE(executed("SET k v IFEQ v"));
  CHECK_FALSE(executed("SET k v IFEQ v GET"));
  CHECK_FALSE(executed("SET k v IFNE nx"));
  CHECK_FALSE(executed("DELEX k IFEQ v"));
}

TEST_CASE("what a server has and is not simulated is refused by name, and only there") {
  for (const auto version : {redis_8_0, redis_8_4, valkey_9}) {
    Client client(version);
    CHECK_THROWS_WITH(
        client("HEXPIRE h 10 FIELDS 1 f"),
        "command 'hexpire': " + std::string(name(version)) + " has it, but it is not simulated");
  }
  Client valkey(valkey_8_1);
  CHECK(valkey("HEXPIRE h 10").starts_with("(error) ERR unknown command"));
  Client newest(redis_8_4);
  CHECK_THROWS_WITH(newest("SET k v IFDEQ 0"),
                    "option IFDEQ of 'set': redis-8.4 has it, but it is not simulated");
  CHECK_THROWS_WITH(newest("EVAL 'return os.clock()' 0"), Catch::Contains("os.clock"));
  CHECK_THROWS_WITH(newest("CLIENT SETINFO lib-name x"), Catch::Contains("'client setinfo'"));
  CHECK(newest("EVAL 'return type(os)' 0") == "\"table\"");
}

TEST_CASE("COMMAND has what its server has") {
  CHECK(Client(redis_7_0)("COMMAND INFO delex delifeq") == "1) (nil)\n2) (nil)");
  CHECK(Client(redis_8_4)("COMMAND GETKEYS DELEX k IFEQ v") == "1) \"k\"");
  CHECK(Client(valkey_9)("COMMAND GETKEYSANDFLAGS DELIFEQ k v") ==
        "1) 1) \"k\"\n   2) 1) RM\n      2) delete");
}

}  // namespace
