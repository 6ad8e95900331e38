// What is tried in one way of many (what Redis draws at random, how a token is spelt) proves
// nothing.
#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "tests/checker/timed_model.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::timed;

}  // namespace

TEST_CASE("what Redis draws at random, or in no order, proves nothing", "[time][many-models]") {
  const sim::Model model = two_clients(9'000, 10'000);
  const auto draws = [&](const std::string& condition) {
    return verdict_of(
        "  self.token = unique() redis('SADD', self.key, self.token)\n"
        "  redis('HSET', 'h', self.token, 1) redis('ZADD', 'z', 1, self.token)\n"
        "  return " +
            condition,
        model);
  };
  for (const char* condition :
       {"redis('SRANDMEMBER', self.key) == self.token", "redis('SPOP', self.key) == 'nobody'",
        "redis('SMEMBERS', self.key)[1] == self.token", "redis('HRANDFIELD', 'h') == 'nobody'",
        "redis('ZRANDMEMBER', 'z') == 'nobody'", "redis('RANDOMKEY') == 'nobody'",
        "redis('KEYS', '*')[1] == 'nobody'", "redis('SCAN', 0)[2][1] == 'nobody'",
        "redis('SSCAN', self.key, 0)[2][1] == 'nobody'",
        "redis('SORT', self.key, 'BY', 'nosort', 'LIMIT', 0, 1)[1] == 'nobody'",
        "redis('EVAL', 'return math.random(3)', 0) == 4"}) {
    INFO(condition);
    CHECK(draws(condition) != checker::Verdict::holds);
  }
  CHECK(draws("redis('EVAL', 'math.randomseed(7) return math.random(3)', 0) == 4") ==
        checker::Verdict::holds);
  CHECK(verdict_of("  return redis('SADD', self.key, 1) == 1 and redis('SPOP', self.key) == 2",
                   model) == checker::Verdict::holds);
}

TEST_CASE("another seed tries other choices, in both explorers alike", "[time][many-models]") {
  const std::string draws =
      "  redis('SADD', 'pool', 'a', 'b', 'c')\n"
      "  if redis('SRANDMEMBER', 'pool') == 'c' then return true end\n  return " +
      std::string(kSetOrNot);
  int violated = 0, open = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    sim::Model model = two_clients(90, 100);
    model.draw_seed = seed;
    const test::TemporaryProtocol folder("draws", locked_by(draws));
    model.program = std::make_shared<sim::Program>(folder.folder());
    model.properties = {sim::Property::mutual_exclusion};
    const checker::Result engine = checker::explore(model, {});
    const checker::Result naive = checker::explore_naively(model, {});
    CAPTURE(seed, engine.why_inconclusive);
    CHECK((engine.verdict == checker::Verdict::violated) ==
          (naive.verdict == checker::Verdict::violated));
    CHECK(engine.schedule.size() == naive.schedule.size());
    if (engine.verdict == checker::Verdict::violated) {
      ++violated;
      continue;
    }
    ++open;
    CHECK(engine.verdict == checker::Verdict::inconclusive);
    CHECK(engine.why_inconclusive ==
          "Redis leaves open what it answers, and one answer was tried: SRANDMEMBER pool (another "
          "--draw-seed tries other choices)");
  }
  CHECK(violated > 0);
  CHECK(open > 0);
  CHECK(searched("  redis('SADD', 'pool', 'a', 'b')\n  redis('SMEMBERS', 'pool')\n  return " +
                     std::string(kSetOrNot),
                 two_clients(90, 100))
            .why_inconclusive.ends_with("SMEMBERS pool"));
}

TEST_CASE("which of two tokens comes first is tried one way: that proves nothing", "[time]") {
  const std::string twice = "  local one, other = unique(), unique()\n";
  const auto found = [&](const std::string& rest) {
    return verdict_of(twice + rest, two_clients(5'000, 10'000));
  };
  CHECK(found("  if other < one then return true end\n"
              "  return redis('SET', self.key, one, 'NX') == OK") ==
        checker::Verdict::inconclusive);
  CHECK(found("  redis('ZADD', one, 0, one, 0, other)\n"
              "  if redis('ZRANK', one, one) == 1 then return true end\n"
              "  return redis('SET', self.key, one, 'NX') == OK") ==
        checker::Verdict::inconclusive);
  // A tie that changes nothing, in whichever order; and one of three, where one stays in the
  // middle.
  const std::string tie = "  redis('ZADD', one, 0, one, 0, other)\n";
  const std::string take = "  return redis('SET', self.key, one, 'NX') == OK";
  CHECK(found(tie + "  redis('ZRANGEBYSCORE', one, 5, 1)\n" + take) == checker::Verdict::holds);
  CHECK(found(tie + "  if redis('ZRANGE', one, 0, 0)[1] == other then return true end\n" + take) ==
        checker::Verdict::inconclusive);
  CHECK(found("  local third = unique()\n  redis('ZADD', one, 0, one, 0, other, 0, third)\n"
              "  if redis('ZRANGE', one, 1, 1)[1] == third then return true end\n" +
              take) == checker::Verdict::inconclusive);
  CHECK(found("  if one == other then return true end\n"
              "  return redis('SET', self.key, one, 'NX') == OK") == checker::Verdict::holds);
}

TEST_CASE("what is made of the bytes of tokens proves nothing", "[time]") {
  // Token by token, the first byte of one is as likely to be odd as that of the other.
  const auto found = [&](const std::string& rest) {
    return verdict_of("  local one, other = unique(), unique()\n  local both = {one, other}\n" +
                          rest + "  return redis('SET', self.key, one, 'NX') == OK",
                      two_clients(5'000, 10'000));
  };
  const std::string add = "  redis('ZADD', one, 0, one, 0, other)\n";
  const std::string set = "  redis('SET', one, one)\n";
  for (const std::string& looks :
       {std::string("  table.sort(both) if both[1] == other then return true end\n"),
        std::string("  if next({[one] = 1, [other] = 2}) == other then return true end\n"),
        std::string("  if one:byte(2) % 2 == 1 then return true end\n"),
        std::string("  if one:sub(1, 1) < '8' then return true end\n"),
        std::string("  if one:match('^[0-7]') then return true end\n"),
        std::string("  if #one == 32 then return true end\n"),
        set + "  if redis('STRLEN', one) == 32 then return true end\n",
        add + "  if redis('SORT', one, 'ALPHA')[1] == other then return true end\n",
        add + "  if redis('ZUNION', 1, one)[1] == other then return true end\n",
        add + "  if redis('ZSCAN', one, 0)[2][1] == other then return true end\n",
        set + "  if redis('GETRANGE', one, 1, 1) == 'x' then return true end\n",
        set + "  if redis('GETBIT', one, 15) == 1 then return true end\n",
        set +
            "  if redis('EVAL', \"return redis.sha1hex(KEYS[1]) < redis.sha1hex(ARGV[1]) and 1 or "
            "0\", 1, one, other) == 1 then return true end\n",
        // One token in hundreds, so that none that is tried need be one of these.
        std::string("  local sum = 0 for i = 1, #one do sum = (sum * 31 + one:byte(i)) % 1000 end\n"
                    "  if sum == 123 then return true end\n"),
        std::string("  if redis('EVAL', \"return tonumber(redis.sha1hex(ARGV[1]):sub(1, 8), 16) % "
                    "1024\", 0, one) == 5 then return true end\n"),
        std::string(
            "  if redis('EVAL', \"return redis.sha1hex(ARGV[1]):sub(5, 7) == '9ab' and 1 or "
            "0\", 0, one) == 1 then return true end\n")}) {
    INFO(looks);
    CHECK(found(looks) != checker::Verdict::holds);
  }
  for (const std::string& looks :
       {std::string("  if one == other or #one ~= #other then return true end\n"),
        add + "  if redis('ZSCORE', one, other) ~= '0' then return true end\n",
        std::string("  if one:sub(1, 3) == other then return true end\n")}) {
    INFO(looks);
    CHECK(found(looks) == checker::Verdict::holds);
  }
}
