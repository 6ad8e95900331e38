// Envelopes on a real server, and what a server may say instead of taking them.
#include "live/envelope.hpp"

#include <catch2/catch.hpp>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::tests {
namespace {

const live::Envelope& envelope() {
  static const live::Envelope one("order", {"lock", "other"});
  return one;
}

live::Opened sent(live::Connection& connection, const sim::Request& request) {
  const auto all = envelope().around(request);
  REQUIRE(all.size() == envelope().replies());
  return envelope().open(connection.execute_all(all));
}

TEST_CASE("An envelope brings the reply, the place in the order and the keys before and after") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address());
  const auto set = std::get<live::Executed>(sent(connection, {"SET", "lock", "a", "PX", "60000"}));
  CHECK(set.order == 1);
  CHECK(set.reply == sim::Reply::ok());
  CHECK(set.before == std::vector<std::int64_t>{live::kNoKey, live::kNoKey});
  CHECK(set.after[0] - set.begun.ms >= 60'000);
  CHECK(set.after[0] - set.ended.ms <= 60'000);
  CHECK(set.after[1] == live::kNoKey);
  const auto persist = std::get<live::Executed>(sent(connection, {"PERSIST", "lock"}));
  CHECK(persist.order == 2);
  CHECK(persist.before == set.after);
  CHECK(persist.after == std::vector<std::int64_t>{live::kNoExpiry, live::kNoKey});
  const auto eval = std::get<live::Executed>(
      sent(connection, {"EVAL", "return redis.call('del', KEYS[1])", "1", "lock"}));
  CHECK(eval.reply == sim::Reply::number(1));
  CHECK(eval.after[0] == live::kNoKey);
}

TEST_CASE("What the server refuses at once reaches the program as if it had been sent alone") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address()), alone(server.address());
  for (const sim::Request& request :
       {sim::Request{"GET"}, {"NOSUCH", "lock"}, {"CLIENT", "NOSUCH"}, {"SET", "lock"}}) {
    const auto away = std::get<live::TurnedAway>(sent(connection, request));
    CHECK(away.reply->is_error());
    CHECK(away.reply == alone.execute(request));
  }
  // Refused when it runs: that is a reply like any other.
  alone.execute({"LPUSH", "lock", "x"});
  const auto executed = std::get<live::Executed>(sent(connection, {"GET", "lock"}));
  CHECK(executed.order == 1);
  CHECK(executed.reply == alone.execute({"GET", "lock"}));
}

TEST_CASE("A server without memory refuses what is ours: nothing was executed") {
  const live::Server server(sim::Persistence::none, {"--maxmemory", "1"});
  live::Connection connection(server.address());
  const auto none = std::get<live::NoEnvelopes>(sent(connection, {"DEL", "lock"}));
  CHECK_FALSE(none.sent_alone);
  CHECK_THAT(none.why, Catch::Contains("INCR") && Catch::Contains("OOM"));
}

TEST_CASE("A server that refuses MULTI has executed the request alone") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address());
  connection.execute({"SET", "lock", "a"});
  connection.execute({"ACL", "SETUSER", "default", "-multi"});
  const auto none = std::get<live::NoEnvelopes>(sent(connection, {"GET", "lock"}));
  CHECK(none.sent_alone);
  CHECK(none.reply == sim::Reply::bulk("a"));
  CHECK_THAT(none.why, Catch::Contains("MULTI") && Catch::Contains("NOPERM"));
}

TEST_CASE("What means something else in a transaction is sent bare") {
  using sim::Request;
  for (const Request& request : {Request{"GET", "a"},
                                 {"set", "a", "b"},
                                 {"EVAL", "return 1", "0"},
                                 {"evalsha", "0", "0"},
                                 {"FCALL", "f", "0"},
                                 {"EVALSHA_RO", "0", "0"},
                                 {"SCRIPT", "LOAD", "x"},
                                 {"SCRIPT", "FLUSH"},
                                 {"FUNCTION", "LOAD", "x"},
                                 {"PING"},
                                 {"PUBLISH", "c", "m"},
                                 {"NOSUCH"},
                                 {"TIME"},
                                 {"INCR", "a"}})
    CHECK(live::only_bare(request).empty());
  for (const Request& request : {Request{"MULTI"},
                                 {"exec"},
                                 {"WATCH", "a"},
                                 {"SUBSCRIBE", "c"},
                                 {"BLPOP", "a", "1"},
                                 {"BLMPOP", "1", "1", "a", "LEFT"},
                                 {"SELECT", "1"},
                                 {"HELLO"},
                                 {"CLIENT", "ID"},
                                 {"WAIT", "1", "1"},
                                 {"QUIT"},
                                 {"AUTH", "x"},
                                 {"FLUSHALL"},
                                 {"FLUSHDB"},
                                 {"SWAPDB", "0", "1"},
                                 {"READONLY"},
                                 {"SCRIPT", "KILL"},
                                 {"FUNCTION", "STATS"},
                                 {"CONFIG", "GET", "x"},
                                 {"MONITOR"},
                                 {"RESET"}})
    CHECK_THAT(live::only_bare(request), Catch::Contains(request[0]));
}

}  // namespace
}  // namespace lockstep::tests
