// A seeded random differential over several connections: transactions, watches, subscriptions and
// blocking pops on the fake server and on a real one. A sequence that differs is shortened before
// it is reported.
#include <catch2/catch.hpp>
#include <cstdint>

#include "conform/dice.hpp"
#include "tests/support/line_text.hpp"
#include "tests/support/setting.hpp"
#include "tests/support/twin.hpp"

namespace {

using lockstep::conform::Dice;
using lockstep::conform::kWait;
using lockstep::conform::Step;
using lockstep::sim::Request;
using lockstep::sim::Session;
using lockstep::test::Twin;

/// Templates: K is a key, W another connection. What blocks, subscribes or closes is not for
/// everyone.
const std::vector<const char*> kCommon{
    "SET K v",
    "SET K v XX",
    "SET K v NX",
    "GET K",
    "DEL K",
    "DEL K K",
    "INCR K",
    "APPEND K x",
    "RPUSH K 1 2",
    "LPUSH K x",
    "RPUSH K y",
    "LPOP K",
    "LRANGE K 0 -1",
    "LMOVE K K LEFT RIGHT",
    "ZADD K 1 m 2 n",
    "ZADD K 3 o",
    "ZPOPMIN K",
    "HSET K f v",
    "HDEL K f",
    "SADD K a",
    "RENAME K K",
    "COPY K K",
    "COPY K K REPLACE",
    "MOVE K 1",
    "FLUSHDB",
    "FLUSHALL",
    "SELECT 0",
    "SELECT 1",
    "EXPIRE K 100",
    "PERSIST K",
    "TYPE K",
    "MULTI",
    "MULTI",
    "MULTI",
    "EXEC",
    "EXEC",
    "EXEC",
    "DISCARD",
    "WATCH K",
    "WATCH K",
    "WATCH K K",
    "UNWATCH",
    "PUBLISH x hi",
    "PUBLISH y hi",
    "SPUBLISH s hi",
    "PUBSUB NUMSUB x y",
    "PUBSUB NUMPAT",
    "PUBSUB SHARDNUMSUB s",
    "PING",
    "ECHO e",
    "SET",
    "NOSUCH",
    "CONFIG NOSUCH",
    "CLIENT UNBLOCK @W",
    "CLIENT UNBLOCK @W ERROR",
    "WAIT 0 0",
    "SCRIPT NOSUCH",
    "EXISTS K K",
};
const std::vector<const char*> kDaring{"BLPOP K 0",
                                       "BLPOP K K 0",
                                       "BRPOP K K 0",
                                       "BLMOVE K K LEFT RIGHT 0",
                                       "BRPOPLPUSH K K 0",
                                       "BLMPOP 0 2 K K LEFT COUNT 2",
                                       "BZPOPMIN K 0",
                                       "BZPOPMAX K K 0",
                                       "BZMPOP 0 2 K K MAX",
                                       "BLPOP K x",
                                       "SUBSCRIBE x",
                                       "SUBSCRIBE x y",
                                       "PSUBSCRIBE x*",
                                       "UNSUBSCRIBE x",
                                       "UNSUBSCRIBE y",
                                       "PUNSUBSCRIBE x*",
                                       "SSUBSCRIBE s",
                                       "SUNSUBSCRIBE s",
                                       "SUNSUBSCRIBE",
                                       "CLIENT REPLY ON",
                                       "CLIENT REPLY OFF",
                                       "CLIENT REPLY SKIP",
                                       "RESET",
                                       "RESET",
                                       "QUIT",
                                       "CLIENT KILL ID @W",
                                       "WAIT 1 0"};
const std::vector<const char*> kServerScripts{
    "redis.call('rpush', KEYS[1], 'a', 'b') redis.call('lpop', KEYS[1]) return 1",
    "redis.call('set', KEYS[1], 'x') redis.call('del', KEYS[1]) return 1",
    "return redis.pcall('rpush', KEYS[1], 'x')",
    "redis.call('select', 1) return redis.pcall('rpush', KEYS[1], 'x')",
    "return {redis.call('publish', 'x', 'from a script'), redis.pcall('blpop', KEYS[1], 0)}",
    "return redis.pcall('blmpop', 0, 1, KEYS[1], 'LEFT')",
    "redis.pcall('zadd', KEYS[1], 1, 'm') return redis.pcall('get', KEYS[1])",
    "return redis.call('get', KEYS[1])",
};

/// The last connection only does what keeps it able to go on.
/// Not compared: CLIENT REPLY inside a transaction makes EXEC announce more than it delivers, and
/// after a QUIT without a reply redis-server keeps the connection open and deaf.
bool is_askew(const Request& request, const Session& session, bool free) {
  if (request[0] == "CLIENT" && request.at(1) == "REPLY") return !free;
  return request[0] == "QUIT" && (!free || session.replies != lockstep::sim::Replies::on);
}

Request random_request(Dice& dice, const std::string& everyone, char who) {
  const bool careful = who == everyone.back();
  if (dice.below(12) == 0) {
    return {"EVAL", dice.of(kServerScripts), "1", dice.of({"k", "l", "z"})};
  }
  const bool daring = !careful && dice.below(3) == 0;
  Request request = lockstep::test::split(dice.of(daring ? kDaring : kCommon));
  for (std::string& word : request) {
    if (word == "K") word = dice.of({"k", "l", "z"});
    if (word == "@W") word[1] = everyone[dice.below(everyone.size() - 1)];
  }
  return request;
}

std::size_t connection_of(char who) { return static_cast<std::size_t>(who - 'a'); }

/// Now and then something that ends by itself, and the time for it.
std::vector<Step> timed_steps(Dice& dice, char who) {
  const char* key = dice.of({"k", "l"});
  Request request{"BLPOP", key, "0.015"};
  if (dice.below(2) == 0) request = {"SET", key, "v", "PX", "15"};
  return {{connection_of(who), request}, {connection_of(who), {kWait, "40"}}};
}

/// Runs a random sequence; the steps up to the first difference, or none.
std::vector<Step> find_difference(Twin& twin, std::uint64_t seed, std::size_t length) {
  Dice dice(seed);
  std::string everyone = "abcd";
  char next = 'e';
  std::vector<Step> steps;
  twin.reset();
  for (const char who : everyone) twin.run(connection_of(who), {"PING"});
  while (steps.size() < length) {
    const std::size_t index = dice.below(everyone.size());
    char& who = everyone[index];
    if (!twin.session(connection_of(who)) && next <= 'z') {
      who = next++;
      twin.run(connection_of(who), {"PING"});
    }
    const Session* session = twin.session(connection_of(who));
    if (!session) continue;
    const bool free = !session->wait && !session->in_transaction;
    std::vector<Step> more;
    if (free && index + 1 < everyone.size() && dice.below(60) == 0) {
      more = timed_steps(dice, who);
    } else {
      more = {{connection_of(who), random_request(dice, everyone, who)}};
    }
    if (is_askew(more[0].request, *session, free)) continue;
    for (Step& step : more) {
      steps.push_back(std::move(step));
      if (!twin.run(steps.back().connection, steps.back().request).empty()) return steps;
    }
  }
  return twin.compare_contents().empty() ? std::vector<Step>{} : steps;
}

TEST_CASE("random commands over several connections are answered as redis-server does",
          "[server]") {
  constexpr std::size_t kLength = 100;
  const auto sequences = lockstep::test::setting("LOCKSTEP_SERVER_SEQUENCES", 100);
  Twin twin;
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    const auto steps = find_difference(twin, seed, kLength);
    const std::string differs = steps.empty() ? "" : twin.examine(steps);
    if (!differs.empty()) FAIL("seed " << seed << ":\n" << differs);
  }
  SUCCEED();
}

}  // namespace
