// What a node of a cluster answers to keys that are there or not, in each state of its slots. That
// real nodes answer so is tests/conform/cluster_test.cpp's business.
#include "sim/redis/commands/cluster.hpp"

#include <catch2/catch.hpp>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"

namespace {

using namespace lockstep::sim;
using Names = std::vector<std::string>;

/// Of a node that has the key {l}a.
std::string answer(Slots slots, bool asking, const Names& keys) {
  Keyspace keyspace;
  Execution execution;
  execution.now = kEpoch;
  execute(keyspace, {"SET", "{l}a", "1", "PX", "10"}, execution);
  const ServerMode mode{.cluster = true, .slots = slots, .other_node = 1};
  return cluster_refusal(keyspace, keys, asking, mode, kEpoch + Duration{10});
}

const std::string kAsk = "ASK 11562 redis-2:6379", kMoved = "MOVED 11562 redis-2:6379",
                  kTryAgain = "TRYAGAIN Multiple keys request during rehashing of slot";

}  // namespace

TEST_CASE("a node of a cluster executes, or says where its slots are") {
  const Names here{"{l}a"}, gone{"{l}b"}, half{"{l}a", "{l}b"}, none{"{l}b", "{l}c"},
      twice{"{l}b", "{l}b"};
  for (const Names& keys : {here, gone, half, none}) {
    CHECK(answer(Slots::own, false, keys).empty());
    CHECK(answer(Slots::elsewhere, true, keys) == kMoved);
    CHECK(answer(Slots::importing, false, keys) == kMoved);
  }
  CHECK(answer(Slots::migrating, false, here).empty());
  CHECK(answer(Slots::migrating, true, gone) == kAsk);
  CHECK(answer(Slots::migrating, false, none) == kAsk);
  CHECK(answer(Slots::migrating, false, half) == kTryAgain);
  CHECK(answer(Slots::importing, true, gone).empty());
  CHECK(answer(Slots::importing, true, twice).empty());
  CHECK(answer(Slots::importing, true, half) == kTryAgain);
  CHECK(answer(Slots::importing, true, none) == kTryAgain);
  for (const Slots slots : {Slots::own, Slots::migrating, Slots::importing, Slots::elsewhere}) {
    CHECK(answer(slots, false, {}).empty());
    CHECK(answer(slots, true, {"{l}b", "other"}) ==
          "CROSSSLOT Keys in request don't hash to the same slot");
  }
}

TEST_CASE("ASKING is for one request, or for the transaction that begins with it") {
  Keyspace keyspace;
  Session session;
  Execution execution;
  execution.now = kEpoch;
  execution.mode = {.cluster = true, .slots = Slots::importing, .other_node = 1};
  const auto say = [&](const Request& request) {
    return execute(keyspace, session, request, execution).text;
  };
  CHECK(say({"SET", "{l}b", "1"}) == kMoved);
  CHECK(say({"ASKING"}) == "OK");
  CHECK_FALSE(session.fresh());
  CHECK(say({"SET", "{l}b", "1"}) == "OK");
  CHECK(session.fresh());
  CHECK(say({"GET", "{l}b"}) == kMoved);
  say({"ASKING"});
  say({"MULTI"});
  CHECK(say({"SET", "{l}b", "2"}) == "QUEUED");
  CHECK(say({"INCR", "{l}c"}) == "QUEUED");
  CHECK(say({"EXEC"}) == kTryAgain);  // of two keys one is not there
  CHECK(session.fresh());
  say({"MULTI"});
  CHECK(say({"INCR", "{l}c"}) == kMoved);
  CHECK(say({"EXEC"}) == "EXECABORT Transaction discarded because of previous errors.");
}

TEST_CASE("what a client's library makes of an answer") {
  CHECK(redirection_in(kAsk)->ask);
  CHECK(redirection_in(kAsk)->node == 1);
  CHECK_FALSE(redirection_in(kMoved)->ask);
  for (const std::string& other : {kTryAgain, std::string("MOVED"), std::string("ASK 1 host:1"),
                                   std::string("ERR MOVED 1 redis-2:6379")})
    CHECK_FALSE(redirection_in(other).has_value());
  CHECK(is_cluster_refusal(kTryAgain));
  CHECK_FALSE(is_cluster_refusal("ERR no"));
}
