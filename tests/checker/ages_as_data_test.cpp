// Durations that are worked out from clocks and become data, which nobody varies where it is read
// again: nothing holds. And what is made of a time otherwise than by adding.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/checker/timed_model.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::timed;

/// A lock without a lease whose value is a time. Who is refused goes in if `rest`, which knows the
/// time now (n) and that of the value (v), says so.
std::string timed_or(const std::string& rest) {
  return "  local n = millis(now())\n"
         "  if redis('SET', self.key, n, 'NX') == OK then return true end\n"
         "  local v = tonumber(redis('GET', self.key) or n)\n" +
         rest;
}

/// Of a lock that is kept for longer than any number in these tests.
checker::Verdict found(const std::string& acquire) {
  return verdict_of(acquire, two_clients(30'000, 60'000));
}

/// EVAL of a script with the lock's key and another one.
std::string eval(const std::string& script, const std::string& arguments) {
  return "redis('EVAL', [[" + script + "]], 2, self.key, 'c'" + arguments + ")";
}

const char* const kBand = " >= 7010 and c < 7100";

}  // namespace

TEST_CASE("what is left of a lease and is stored as data proves nothing", "[time]") {
  const std::string refused = std::string("  if ") + kSetOrNot +
                              " then return true end\n"
                              "  local left = redis('PTTL', self.key)\n";
  const auto found = [&](const std::string& rest) {
    return verdict_of(refused + rest, two_clients(9000, 10'000));
  };
  CHECK(
      found("  redis('HSET', 'h', 'left', left)\n  return redis('HGET', 'h', 'left') == '4321'") !=
      checker::Verdict::holds);
  CHECK(found("  redis('ZADD', 'z', left, 'm')\n"
              "  return redis('ZCOUNT', 'z', 4321, 4323) == 1") != checker::Verdict::holds);
  CHECK(found("  redis('SET', 'other', 'x', 'PX', left)\n  return false") ==
        checker::Verdict::holds);
}

TEST_CASE("the age of a time that is sent and compared elsewhere proves nothing",
          "[time][many-models]") {
  const std::string within =
      "local c = tonumber(ARGV[1]) if c" + std::string(kBand) + " then return 1 end return 0";
  for (const auto& rest : std::vector<std::string>{
           "  return " + eval(within, ", n - v") + " == 1",
           "  redis('SET', 'c', n - v)\n  local c = tonumber(redis('GET', 'c'))\n  return c" +
               std::string(kBand),
           "  redis('ZADD', 'z', n - v, 'm')\n  return redis('ZCOUNT', 'z', 7010, 7100) == 1",
           "  redis('SET', 't', n)\n  local w = tonumber(redis('GET', 't'))\n  return " +
               eval(within, ", w - v") + " == 1"}) {
    INFO(rest);
    CHECK(found(timed_or(rest)) != checker::Verdict::holds);
    CHECK(verdict_of(timed_or(rest), two_clients(7009, 60'000)) != checker::Verdict::violated);
  }
}

TEST_CASE("the age of a time that a command works out proves nothing", "[time][many-models]") {
  const std::string age = "local a = ARGV[1] - redis.call('GET', KEYS[1]) ";
  for (const auto& rest : std::vector<std::string>{
           "  local c = " + eval(age + "return a", ", n") + "\n  return c" + kBand,
           "  " + eval(age + "if a > 5000 then redis.call('SET', KEYS[2], a) end", ", n") +
               "\n  local c = tonumber(redis('GET', 'c') or 0)\n  return c" + kBand,
           "  redis('SET', 'c', n)\n  local c = redis('DECRBY', 'c', v)\n  return c" +
               std::string(kBand)}) {
    INFO(rest);
    CHECK(found(timed_or(rest)) != checker::Verdict::holds);
  }
}

TEST_CASE("what a step would do on another way than those it was met on is looked at", "[time]") {
  // The first step that is met answers 1; it is like the others, but for the number.
  const std::string answered =
      "local t = redis.call('TIME') local n = t[1] * 1000 + math.floor(t[2] / 1000) "
      "if redis.call('SET', KEYS[1], string.format('%.0f', n), 'NX') then return 1 end "
      "return n - redis.call('GET', KEYS[1]) + 100";
  CHECK(found("  local c = " + eval(answered, "") +
              "\n  if c == 1 then return true end\n  return " +
              eval("local c = tonumber(ARGV[1]) if c >= 7010 and c < 7100 then return 1 end "
                   "return 0",
                   ", c - 100") +
              " == 1") != checker::Verdict::holds);
  const std::string stored =
      "local t = redis.call('TIME') local n = t[1] * 1000 + math.floor(t[2] / 1000) "
      "if redis.call('SET', KEYS[1], string.format('%.0f', n), 'NX') then return 1 end "
      "local a = n - redis.call('GET', KEYS[1]) "
      "if a > 5000 then redis.call('SET', KEYS[2], a) end return 0";
  CHECK(found("  if " + eval(stored, "") +
              " == 1 then return true end\n  local c = tonumber(redis('GET', 'c') or 0)\n"
              "  return c" +
              kBand) != checker::Verdict::holds);
}

TEST_CASE("a single millisecond decides by what is next to it, or sought around it",
          "[time][many-models]") {
  const auto in_script = [](const std::string& condition) {
    return timed_or("  return " +
                    eval("local age = ARGV[1] - redis.call('GET', KEYS[1]) if " + condition +
                             " then return 1 end return 0",
                         ", n") +
                    " == 1");
  };
  for (const char* condition :
       {"1 / (age - 7654) == math.huge", "(age - 7654) / 0 ~= (age - 7654) / 0",
        "math.frexp(age) == 7654 / 8192", "(',7654,'):find(',' .. age .. ',', 1, true)",
        "(',' .. age .. ','):find(',7654,')"}) {
    INFO(condition);
    CHECK(found(in_script(condition)) != checker::Verdict::holds);
    if (std::string(condition).find("frexp") == std::string::npos)
      CHECK(found(timed_or("  local age = n - v\n  return " + std::string(condition) +
                           " and true")) != checker::Verdict::holds);
  }
  CHECK(found(timed_or("  return ('at ' .. v):match('^at (%d+)$') + 40000 < n")) ==
        checker::Verdict::holds);
}

TEST_CASE("what decides only where something else has decided before is found",
          "[time][many-models]") {
  const std::string later = "  if n - v < 5000 then return false end\n";
  CHECK(found(timed_or("  local left = redis('PTTL', 'other')\n"
                       "  if left < 0 then redis('SET', 'other', 1, 'PX', 20000) end\n" +
                       later + "  return left > 12000 and left < 12100")) ==
        checker::Verdict::holds);  // it was set when the age was 0, and is asked with an age of 0
  CHECK(found("  local t = redis('TIME')\n  local n = t[1] * 1000 + t[2] // 1000\n"
              "  if redis('SET', self.key, n, 'NX') == OK then return true end\n"
              "  local v = tonumber(redis('GET', self.key) or n)\n" +
              later + "  return t[2] % 1000 == 517") != checker::Verdict::holds);
  CHECK(found("  return " +
              eval("local t = redis.call('TIME') local n = t[1] * 1000 + math.floor(t[2] / 1000) "
                   "if redis.call('SET', KEYS[1], string.format('%.0f', n), 'NX') then return 1 "
                   "end if n - redis.call('GET', KEYS[1]) < 5000 then return 0 end "
                   "if t[2] % 1000 == 517 then return 1 end return 0",
                   "") +
              " == 1") != checker::Verdict::holds);
  CHECK(found("  local token = unique()\n" + timed_or(later + "  return token:sub(1, 1) == '7'")) !=
        checker::Verdict::holds);
  CHECK(found("  local token = unique()\n" +
              timed_or("  return " +
                       eval("if ARGV[1] - redis.call('GET', KEYS[1]) < 5000 then return 0 end "
                            "if ARGV[2]:sub(1, 1) == '7' then return 1 end return 0",
                            ", n, token") +
                       " == 1")) != checker::Verdict::holds);
}
