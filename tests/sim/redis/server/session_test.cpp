// A connection's session as a value, and execute() for a caller that owns a keyspace and sessions:
// transactions, watches and the selected database, without a server around them.
#include <catch2/catch.hpp>

#include "sim/base/error.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/vm.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/reply_text.hpp"

namespace {

using namespace lockstep::sim;
using lockstep::test::show;
using lockstep::test::split;

/// Two connections to one keyspace; their owner tells each what the other has touched.
struct Pair {
  Keyspace keyspace;
  Session one, other;
  ScriptVm vm;
  WallTime now = kEpoch;
  Execution last{};

  std::string send(Session& session, const char* line) {
    last = Execution{};
    last.now = now;
    last.scripts = &vm;
    Session& listener = &session == &one ? other : one;
    for (const auto& [place, was_there] : listener.watched) last.watched.push_back(place);
    const std::string reply = show(execute(keyspace, session, split(line), last));
    for (const Place& place : last.touched) touch(listener, place);
    return reply;
  }
};

TEST_CASE("a new connection's session is fresh, and is again after what it remembered is over") {
  Pair pair;
  CHECK(pair.one.fresh());
  for (const auto& [begin, end] :
       {std::pair("MULTI", "DISCARD"), std::pair("WATCH k", "UNWATCH"),
        std::pair("SELECT 3", "SELECT 0"), std::pair("SELECT 3", "RESET"),
        std::pair("MULTI", "EXEC"), std::pair("MULTI", "RESET")}) {
    INFO(begin << ", " << end);
    pair.send(pair.one, begin);
    CHECK(!pair.one.fresh());
    pair.send(pair.one, end);
    CHECK(pair.one.fresh());
  }
  CHECK(pair.send(pair.one, "AUTH default x") == "+OK");
  CHECK(pair.one.fresh());
}

TEST_CASE("EXEC runs what was queued at one instant, with the sender as maker") {
  Pair pair;
  CHECK(pair.send(pair.one, "MULTI") == "+OK");
  CHECK(pair.send(pair.one, "SET k v PX 100") == "+QUEUED");
  CHECK(pair.send(pair.one, "LPUSH k x") == "+QUEUED");
  CHECK(pair.send(pair.one, "EVAL \"return redis.call('GET', 'k')\" 0") == "+QUEUED");
  CHECK(pair.keyspace.keys.empty());
  CHECK(pair.send(pair.other, "GET k") == "(nil)");
  Execution execution{};
  execution.now = pair.now;
  execution.scripts = &pair.vm;
  execution.sender = 7;
  const Reply reply = execute(pair.keyspace, pair.one, {"EXEC"}, execution);
  REQUIRE(reply.items.size() == 3);
  CHECK(reply.items[0] == Reply::ok());
  CHECK(reply.items[1].is_error());  // the others have run all the same
  CHECK(reply.items[2] == Reply::bulk("v"));
  CHECK(pair.keyspace.keys.at("k").maker == 7);
  CHECK(pair.one.fresh());
}

TEST_CASE("a command that is refused while queueing aborts the transaction") {
  Pair pair;
  pair.send(pair.one, "MULTI");
  CHECK(pair.send(pair.one, "NOSUCH").find("unknown command") != std::string::npos);
  pair.send(pair.one, "SET k v");
  CHECK(pair.send(pair.one, "EXEC") ==
        "-EXECABORT Transaction discarded because of previous errors.");
  CHECK(pair.keyspace.keys.empty());
  CHECK(pair.one.fresh());
}

TEST_CASE("a watch is broken by what another connection touches, and by nothing else") {
  Pair pair;
  pair.send(pair.other, "SET k v");
  pair.send(pair.one, "WATCH k none");
  pair.send(pair.one, "MULTI");
  pair.send(pair.one, "SET done 1");
  SECTION("a read") {
    pair.send(pair.other, "GET k");
    CHECK(pair.last.touched.empty());
    CHECK(pair.send(pair.one, "EXEC") == "[+OK]");
  }
  SECTION("another key") {
    pair.send(pair.other, "SET l v");
    CHECK(pair.last.touched.empty());
    CHECK(pair.send(pair.one, "EXEC") == "[+OK]");
  }
  SECTION("the key of that name in another database") {
    pair.send(pair.other, "SELECT 1");
    pair.send(pair.other, "SET k x");
    CHECK(pair.send(pair.one, "EXEC") == "[+OK]");
  }
  for (const char* line : {"DEL k", "SET k v", "SET none x", "FLUSHALL", "SWAPDB 0 1", "RENAME k l",
                           "EVAL \"redis.call('DEL', 'k')\" 0", "PEXPIRE k 5"}) {
    DYNAMIC_SECTION(line) {
      pair.send(pair.other, line);
      CHECK(pair.one.watch_broken);
      CHECK(pair.one.watched.empty());
      CHECK(pair.send(pair.one, "EXEC") == "(nil)");
      CHECK(pair.keyspace.keys.count("done") == 0);
      CHECK(pair.one.fresh());
    }
  }
  SECTION("what another's EXEC touches") {
    pair.send(pair.other, "MULTI");
    pair.send(pair.other, "DEL k");
    CHECK(!pair.one.watch_broken);
    pair.send(pair.other, "EXEC");
    CHECK(pair.send(pair.one, "EXEC") == "(nil)");
  }
}

TEST_CASE("a watch is broken by the connection's own writes before MULTI, its script's too") {
  Pair pair;
  const char* const script = "EVAL \"redis.call('SET', 'k', 'v')\" 0";
  for (const char* line : {"SET k v", script}) {
    INFO(line);
    pair.send(pair.one, "WATCH k");
    pair.send(pair.one, line);
    pair.send(pair.one, "MULTI");
    CHECK(pair.send(pair.one, "EXEC") == "(nil)");
  }
}

TEST_CASE("a watch is broken by the expiry of its key, however that has gone") {
  Pair pair;
  pair.send(pair.other, "SET k v PX 10");
  pair.send(pair.one, "WATCH k");
  pair.send(pair.one, "MULTI");
  SECTION("it is still readable") {
    pair.now = pair.now + Duration{10};
    CHECK(pair.send(pair.one, "EXEC") == "[]");
  }
  SECTION("EXEC finds it gone") {
    pair.now = pair.now + Duration{11};
    CHECK(pair.send(pair.one, "EXEC") == "(nil)");
  }
  SECTION("somebody has made it again") {
    pair.now = pair.now + Duration{11};
    pair.send(pair.other, "SET k v");
    CHECK(pair.send(pair.one, "EXEC") == "(nil)");
  }
  SECTION("it was not there when WATCH was sent") {
    pair.now = pair.now + Duration{11};
    pair.send(pair.other, "WATCH k");
    pair.send(pair.other, "MULTI");
    CHECK(pair.send(pair.other, "EXEC") == "[]");
  }
}

TEST_CASE("the selected database is the connection's") {
  Pair pair;
  CHECK(pair.send(pair.one, "SELECT 3") == "+OK");
  pair.send(pair.one, "SET k v");
  CHECK(pair.send(pair.other, "GET k") == "(nil)");
  CHECK(pair.send(pair.one, "EVAL \"redis.call('SELECT', 5) redis.call('SET', 'k', 'x')\" 0") ==
        "(nil)");
  CHECK(pair.send(pair.one, "GET k") == "'v'");
  CHECK(pair.keyspace.keys.empty());
  CHECK(pair.keyspace.database(5)->contains("k"));
}

TEST_CASE(
    "what waits or needs the other connections is refused by name, and nothing is left open") {
  Pair pair;
  for (const char* line : {"BLPOP l 0", "BLMOVE a b LEFT LEFT 0", "BZMPOP 0 1 z MIN", "WAIT 1 0",
                           "SUBSCRIBE c", "UNSUBSCRIBE", "PSUBSCRIBE c", "SSUBSCRIBE c",
                           "PUBSUB CHANNELS", "CLIENT ID", "HELLO 2", "QUIT"}) {
    INFO(line);
    CHECK_THROWS_WITH(pair.send(pair.one, line),
                      Catch::Contains("command '" + lower_case(split(line)[0])));
    CHECK(pair.one.fresh());
  }
  pair.send(pair.one, "SELECT 2");
  pair.send(pair.one, "MULTI");
  pair.send(pair.one, "BLPOP l 0");
  pair.send(pair.one, "WAIT 1 0");
  CHECK(pair.send(pair.one, "EXEC") == "[(nil) :0]");  // nothing waits there
  pair.send(pair.one, "MULTI");
  pair.send(pair.one, "SET k v");
  pair.send(pair.one, "SUBSCRIBE c");
  CHECK_THROWS_AS(pair.send(pair.one, "EXEC"), BadInput);
  CHECK(pair.keyspace.database(2)->contains("k"));  // no other database is left selected
  CHECK(pair.send(pair.one, "GET k") == "'v'");
  CHECK(pair.send(pair.one, "BLPOP l x").find("timeout") != std::string::npos);
  pair.send(pair.one, "RPUSH l x");
  CHECK(pair.send(pair.one, "BLPOP l 0") == "['l' 'x']");
}

TEST_CASE("equal sessions have equal bytes, different ones different bytes") {
  std::vector<Session> all(14);
  all[1].database = 1;
  all[2].in_transaction = true;
  all[3].in_transaction = all[3].must_abort = true;
  all[4].watch_broken = true;
  all[5].queued = {{"SET", "k", "v"}};
  all[6].queued = {{"SET", "k"}, {"v"}};
  all[7].watched = {{{0, "k"}, true}};
  all[8].watched = {{{0, "k"}, false}};
  all[9].watched = {{{1, "k"}, false}};
  all[10].channels = {"k"};
  all[11].patterns = {"k"};
  all[12].shard_channels = {"k"};
  all[13].wait = BlockedOn{BlockedOn::Kind::list, {{0, "k"}}, {"lpop"}, std::nullopt};
  for (const Session& a : all) {
    for (const Session& b : all) CHECK((encode(a) == encode(b)) == (&a == &b));
  }
  for (const Session& session : all) {
    const Session renamed = with_texts(session, [](std::string_view text) {
      return text == "k" ? std::string("other") : std::string(text);
    });
    for (const std::string_view text : texts(renamed)) CHECK(text != "k");
    CHECK(texts(renamed).size() == texts(session).size());
    CHECK(with_texts(renamed, [](std::string_view text) {
            return text == "other" ? std::string("k") : std::string(text);
          }) == session);
  }
}

}  // namespace
