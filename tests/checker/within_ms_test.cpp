// What turns within a millisecond: the microseconds that TIME tells.
#include <catch2/catch.hpp>
#include <string>

#include "tests/checker/timed_model.hpp"

namespace {
using namespace lockstep;
using namespace lockstep::timed;
}  // namespace

TEST_CASE("a time that is not rounded to ms fails at other microseconds", "[time]") {
  const auto taking = [](const std::string& ms) {
    return "return redis('EVAL', [[local t = redis.call('TIME') if redis.call('SETNX', KEYS[1], 1) "
           "== 0 then return 0 end redis.call('PEXPIREAT', KEYS[1], " +
           ms + " + 10000) return 1]], 1, self.key) == 1";
  };
  const checker::Result fails = searched(taking("t[1] * 1000 + t[2] / 1000"), two_clients(5, 9));
  CHECK(fails.verdict == checker::Verdict::inconclusive);
  CHECK(fails.time_gap == "something turns by the microseconds that TIME tells");
  const checker::Result rounded =
      searched(taking("t[1] * 1000 + math.floor(t[2] / 1000)"), two_clients(5, 9));
  CHECK(rounded.verdict == checker::Verdict::holds);
  CHECK(rounded.time_gap.empty());
}

/// DistributedLock.Redis keeps its semaphore so, and Redis tells a number of a script to its
/// commands with 17 digits.
TEST_CASE("a score in ms with their fraction is as good as one in microseconds", "[time]") {
  const std::string acquire =
      "self.token = unique() return redis('EVAL', [[local t = redis.call('TIME') "
      "local now = t[1] * 1000 + t[2] / 1000 redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) "
      "if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end "
      "return redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])]], "
      "1, self.key, self.token, self.ttl_ms) == 1";
  for (const int work_ms : {9, 12}) {
    const checker::Result found = searched(acquire, two_clients(work_ms, 10));
    CHECK(found.time_gap.empty());
    CHECK(found.verdict == (work_ms < 10 ? checker::Verdict::holds : checker::Verdict::violated));
  }
  // Of a text the number has 14 digits, which a whole ms may be rounded up to.
  std::string text = acquire;
  text.replace(text.find("now + ARGV[2]"), 13, "tostring(now + ARGV[2])");
  CHECK(searched(text, two_clients(9, 10)).time_gap.empty());
}

TEST_CASE("what turns within a millisecond of TIME is not taken for what whole ones show",
          "[time][many-models]") {
  const auto time_gap = [](const std::string& acquire) {
    return searched(acquire, two_clients(5, 9)).time_gap;
  };
  const std::string by_micros = "something turns by the microseconds that TIME tells";
  for (const char* key :
       {"self.key .. redis('TIME')[2] % 2", "self.key .. redis('TIME')[2] // 7 % 2"})
    CHECK(time_gap("  return redis('SETNX', " + std::string(key) + ", 'x') == 1") == by_micros);
  CHECK(time_gap("  local m = redis('TIME')[2] % 1000\n"
                 "  return redis('SETNX', self.key, 'x') == 1 or m == 517") == by_micros);
  CHECK(time_gap("  self.seen = redis('TIME')[2] % 1000\n"
                 "  return redis('SETNX', self.key, 'x') == 1") == by_micros);
  CHECK(time_gap("  return redis('EVAL', [[local t = redis.call('TIME') if t[2] % 1000 == 518 then "
                 "return 1 end return redis.call('SETNX', KEYS[1], 1)]], 1, self.key) == 1") ==
        by_micros);
  const auto stored_then = [&](const char* stored, const char* compared) {
    const std::string ms = "  local us = t[1] * 1000000 + t[2]\n";
    return time_gap("  local t = redis('TIME')\n" + ms + "  local e = " + stored +
                    " + 10000\n  local v = redis('GET', self.key)\n  if v and " + compared +
                    " < v + 0 then return false end\n"
                    "  return redis('SET', self.key, math.tointeger(e) or e) == OK");
  };
  CHECK(stored_then("us // 1000", "us // 1000") != by_micros);
  CHECK(time_gap("  return redis('EVAL', [[local t = redis.call('TIME') "
                 "local ms = t[1] * 1000 + math.floor(t[2] / 1000) "
                 "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - 10000) "
                 "if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end "
                 "redis.call('ZADD', KEYS[1], ms, ARGV[1]) return 1]], 1, self.key, unique()) == "
                 "1") == "");
  CHECK(stored_then("us // 1000", "-(-us // 1000)") == by_micros);
  CHECK(stored_then("us // 1000", "(us + 500) // 1000") == by_micros);
  CHECK(stored_then("us // 1000", "us / 1000") ==
        "the microseconds that TIME tells are rounded in one place and not in another");
  CHECK(time_gap("  local t = redis('TIME')\n"
                 "  local ms = t[1] * 1000 + t[2] // 1000\n"
                 "  return redis('SET', self.key, ms, 'NX', 'PX', 9) == OK") == "");
}
