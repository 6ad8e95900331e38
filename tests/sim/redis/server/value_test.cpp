// The fake server as a value, without a real one beside it: its clock, its sessions, its copies,
// and what it shows of itself.
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/reply_text.hpp"

namespace {

using namespace lockstep::sim;

/// What is written, as "1 +OK".
std::string run(Server& server, SessionId session, const char* line) {
  std::string text;
  for (const Delivery& delivery : server.submit(session, lockstep::test::split(line))) {
    text += (text.empty() ? "" : "; ") + std::to_string(delivery.to) + " " +
            lockstep::test::show(*delivery.reply);
  }
  return text;
}

TEST_CASE("a wait ends a millisecond after its time-out, the earliest first") {
  Server server;
  const SessionId late = server.open(), early = server.open(), ever = server.open();
  CHECK(run(server, late, "BLPOP l 0.02").empty());
  CHECK(run(server, early, "BRPOP l 0.01").empty());
  CHECK(run(server, ever, "BLPOP l 0").empty());
  CHECK(server.advance(Duration{10}).empty());
  const auto written = server.advance(Duration{1000});
  REQUIRE(written.size() == 2);
  CHECK(written[0] == Delivery{early, Reply::null()});
  CHECK(written[1] == Delivery{late, Reply::null()});
  CHECK(server.now() == kEpoch + Duration{1010});
  CHECK(run(server, late, "RPUSH l x") == "1 :1; 3 ['l' 'x']");
}

TEST_CASE("requests of a blocked session are processed at the instant at which it goes on") {
  Server server;
  const SessionId one = server.open();
  run(server, one, "SET k v PX 15");
  run(server, one, "BLPOP l 0.01");
  CHECK(run(server, one, "PTTL k").empty());
  const auto written = server.advance(Duration{100});
  REQUIRE(written.size() == 2);
  CHECK(written[1] == Delivery{one, Reply::number(4)});  // 11 ms later, not 100
}

/// What gives a key an expiry, takes one along, or hands one on; each after FLUSHALL and SET a v
/// PX 7.
constexpr const char* kExpiring[] = {
    "SET b v PX 3",
    "SET b v EXAT 1",
    "SETEX b 1 v",
    "PSETEX b 3 v",
    "PEXPIRE a 3",
    "PEXPIREAT a 5",
    "EXPIRE a 1",
    "GETEX a PX 3",
    "PERSIST a",
    "RENAME a b",
    "COPY a b",
    "COPY a b DB 4",
    "MOVE a 5",
    "SWAPDB 0 3",
    "APPEND a x",
    "SORT l STORE a",
    "RESTORE r 3 \"\\x00\\xc0\\x05\\n\\x00c/_f\\x83/\\xb3Q\"",
    "EVAL \"return redis.call('PEXPIRE', 'a', 3)\" 0",
    "EVAL_RO \"return redis.call('GET', 'a')\" 0",
    "EVAL \"redis.call('SELECT', 2) return redis.call('SET', 'c', 'v', 'PX', 3)\" 0",
    "MULTI|SET b v PX 3|GET a|EXEC",
    "MULTI|SET b v PX 3|DISCARD",
    "SELECT 7|SET b v PX 3|SELECT 0",
    "BLMOVE none l LEFT LEFT 0.004",
    "FLUSHDB",
    "DEL a",
};

TEST_CASE("what expires is gone for every command, however few keys are visited") {
  for (const std::string given : kExpiring) {
    for (const int step_ms : {1, 3, 11}) {
      CAPTURE(given, step_ms);
      Server server;
      const SessionId one = server.open(), other = server.open();
      run(server, one, "RPUSH l 2 1");
      run(server, one, "SET lasting v PX 100000");
      run(server, one, "SET a v PX 7");
      run(server, other, "GET a");
      std::istringstream lines(given);
      for (std::string line; std::getline(lines, line, '|');) {
        CHECK(run(server, one, line.c_str()).find("ERR") == std::string::npos);
        run(server, other, "GET a");
      }
      for (int at = 0; at < 15; at += step_ms) {
        server.advance(Duration{step_ms});
        for (const char* line : {"GET a", "SELECT 2", "DBSIZE", "TTL lasting", "SELECT 0"})
          run(server, other, line);
        Keyspace all = server.keyspace();
        all.purge(server.now());
        CHECK(all == server.keyspace());
      }
    }
  }
}

TEST_CASE("a keyspace that is put in its place has expiries of its own") {
  Server server;
  const SessionId one = server.open();
  CHECK(run(server, one, "GET k") == "1 (nil)");
  Keyspace keyspace;
  keyspace.keys["k"] = new_entry("v", 0);
  keyspace.keys["k"].expires = Expiry(server.now() + Duration{5});
  server.take(keyspace);
  CHECK(run(server, one, "GET k") == "1 'v'");
  server.advance(Duration{6});
  CHECK(server.keyspace().keys.empty());
  Server copy = server;
  const SessionId two = copy.open();
  run(copy, two, "SET k v PX 5");
  copy.advance(Duration{6});
  CHECK(copy.keyspace().keys.empty());
}

TEST_CASE("a clock that is set back gives a key its time again") {
  Server server;
  const SessionId one = server.open();
  run(server, one, "SET k v PX 100");
  server.advance(Duration{-50});
  CHECK(run(server, one, "PTTL k") == "1 :150");
}

TEST_CASE("a copy of a server goes its own way") {
  Server server;
  const SessionId one = server.open();
  run(server, one, "WATCH k");
  run(server, one, "MULTI");
  run(server, one, "EVAL 'return 1' 0");
  Server copy = server;
  const SessionId other = copy.open();
  run(copy, other, "SET k v");
  CHECK(run(copy, one, "EXEC") == "1 (nil)");
  CHECK(run(server, one, "EXEC") == "1 [:1]");
  CHECK(!server.is_open(other));
  CHECK(server.keyspace().keys.empty());
}

TEST_CASE("a closed session leaves nothing behind") {
  Server server;
  const SessionId one = server.open(), two = server.open();
  run(server, one, "SUBSCRIBE c");
  run(server, one, "SSUBSCRIBE c");
  server.close(one);
  CHECK(!server.is_open(one));
  CHECK(run(server, two, "PUBLISH c m") == "2 :0");
  CHECK(run(server, two, "SPUBLISH c m") == "2 :0");
  const SessionId three = server.open();
  CHECK(three == 3);
  run(server, three, "BLPOP l 0");
  server.close(three);
  CHECK(run(server, two, "RPUSH l x") == "2 :1");
  CHECK_THROWS_WITH(run(server, one, "PING"),
                    Catch::Contains("session 1") && Catch::Contains("not open"));
  CHECK_THROWS_AS(server.close(one), BadInput);
  CHECK_THROWS_AS(server.submit(two, {}), BadInput);
}

TEST_CASE("what is not simulated is refused by name, and the session goes on") {
  Server server;
  const SessionId one = server.open();
  for (const char* line : {"CLIENT PAUSE 100", "COMMAND DOCS get", "COMMAND HELP",
                           "EVAL \"redis.setresp(3) return redis.call('command','info','get')\" 0",
                           "EVAL \"redis.setresp(3) return redis.call('command')\" 0",
                           "CONFIG SET maxmemory 100", "PUBSUB HELP", "MONITOR", "REPLICAOF a 1"}) {
    INFO(line);
    CHECK_THROWS_AS(run(server, one, line), BadInput);
  }
  run(server, one, "SELECT 3");
  run(server, one, "MULTI");
  run(server, one, "SET k v");
  run(server, one, "PUBSUB HELP");
  CHECK_THROWS_AS(run(server, one, "EXEC"), BadInput);
  CHECK(run(server, one, "GET k") == "1 'v'");  // what ran before it stays
  CHECK(server.session(one).database == 3);
  CHECK(server.keyspace().database(3)->contains("k"));
}

TEST_CASE("CLIENT LIST and INFO show the state of a server without sockets") {
  Server server;
  const SessionId one = server.open(), two = server.open();
  run(server, one, "CLIENT SETNAME me");
  run(server, one, "SELECT 2");
  run(server, one, "SET k v PX 5000");
  server.advance(Duration{3000});
  run(server, two, "SUBSCRIBE a b");
  run(server, one, "MULTI");
  run(server, one, "CLIENT LIST");
  const std::string list = run(server, one, "EXEC");
  CHECK_THAT(list, Catch::Contains("id=1 addr=127.0.0.1:50001 ") &&
                       Catch::Contains("name=me age=3 idle=0 flags=N db=2 sub=0") &&
                       Catch::Contains("id=2 addr=127.0.0.1:50002 ") &&
                       Catch::Contains("flags=P db=0 sub=2 psub=0 ssub=0 multi=-1"));
  const std::string info = run(server, one, "INFO");
  CHECK_THAT(info, Catch::Contains("redis_version:7.0.15\r\n") &&
                       Catch::Contains("connected_clients:2\r\n") &&
                       Catch::Contains("db2:keys=1,expires=1"));
  CHECK_THAT(run(server, one, "INFO keyspace"), !Catch::Contains("redis_version"));
}

constexpr const char* kSpin = "EVAL 'while true do end' 0";

TEST_CASE("while a script does not end, the server is deaf for 5 s and then says BUSY") {
  Server server;
  const SessionId one = server.open(), two = server.open(), three = server.open();
  CHECK(run(server, one, kSpin).empty());
  REQUIRE(server.busy());
  CHECK(server.busy()->session == one);
  CHECK(run(server, two, "GET k").empty());
  CHECK(run(server, three, "MULTI").empty());
  CHECK(server.advance(Duration{4999}).empty());
  const auto written = server.advance(Duration{1});
  REQUIRE(written.size() == 2);
  CHECK(written[0].to == two);
  CHECK(written[0].reply->text.starts_with("BUSY "));
  CHECK(written[1] == Delivery{three, Reply::ok()});
  CHECK(run(server, two, "SCRIPT KILL") ==
        "2 +OK; 1 -ERR Script killed by user with SCRIPT KILL... script: "
        "694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.");
  CHECK_FALSE(server.busy());
  CHECK(run(server, one, "GET k") == "1 (nil)");
}

TEST_CASE(
    "SCRIPT KILL that was sent early is heard after 5 s; waits that ended meanwhile end then") {
  Server server;
  const SessionId one = server.open(), two = server.open(), waiting = server.open();
  run(server, waiting, "BLPOP list 1");
  run(server, one, kSpin);
  run(server, one, "PING");
  CHECK(run(server, two, "SCRIPT KILL").empty());
  CHECK(server.advance(Duration{4000}).empty());
  const auto written = server.advance(Duration{1000});
  REQUIRE(written.size() == 4);
  CHECK(written[0] == Delivery{two, Reply::ok()});
  CHECK(written[1].reply->text.starts_with("ERR Script killed"));
  CHECK(written[2] == Delivery{waiting, Reply::null()});
  CHECK(written[3] == Delivery{one, Reply::status("PONG")});
}

TEST_CASE("a script goes on when its client has closed the connection") {
  Server server;
  const SessionId one = server.open(), two = server.open(), three = server.open();
  run(server, one, kSpin);
  run(server, three, "PING");
  server.close(one);
  server.close(three);
  server.advance(Duration{5000});
  CHECK(run(server, two, "PING").starts_with("2 -BUSY"));
  CHECK(run(server, two, "SCRIPT KILL") == "2 +OK");
  CHECK(run(server, two, "PING") == "2 +PONG");
}

TEST_CASE("FUNCTION STATS tells what runs") {
  Server server;
  const SessionId one = server.open(), two = server.open();
  run(server, one,
      R"x(FUNCTION LOAD "#!lua name=lib\nredis.register_function('spin', function() while true do end end)")x");
  run(server, one, "FCALL spin 1 k");
  server.advance(Duration{7000});
  CHECK(
      run(server, two, "FUNCTION STATS")
          .find("'running_script' ['name' 'spin' 'command' ['FCALL' 'spin' '1' 'k'] 'duration_ms' "
                ":7000]") != std::string::npos);
}

TEST_CASE("an endless script is bad input within a transaction and within a pcall") {
  Server server;
  const SessionId one = server.open();
  run(server, one, "MULTI");
  run(server, one, kSpin);
  CHECK_THROWS_AS(run(server, one, "EXEC"), BadInput);
  CHECK_FALSE(server.busy());
  const SessionId two = server.open();
  CHECK_THROWS_AS(run(server, two, "EVAL 'return pcall(function() while true do end end)' 0"),
                  BadInput);
  CHECK_FALSE(server.busy());
}

}  // namespace
