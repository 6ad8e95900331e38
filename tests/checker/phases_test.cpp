// Locks whose truth hangs on where in a second, a minute or a day it all happens (docs/time.md).
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using StepKind = sim::WorkStep::Kind;

/// A lock that whoever comes second enters, too, if `condition` says so of when it came.
test::InlineLock stamped(const std::string& condition) {
  const std::string acquire =
      "  local ms = millis(now())\n  if redis('SETNX', self.key, ms) == 1 then return true end\n"
      "  local at = redis('GET', self.key)\n  return at ~= nil and ";
  return test::InlineLock({acquire + condition, "redis('DEL', self.key) return true"},
                          ", leases = {}");
}

/// A holds the lock for so long, and B comes once.
sim::Model held(sim::Model model, std::int64_t ms) {
  model.processes[0].workload = {
      {StepKind::lock, 0, 0}, {StepKind::sleep, 0, ms}, {StepKind::unlock, 0, 0}};
  model.processes[1].workload = {{StepKind::lock, 0, 0}, {StepKind::unlock, 0, 0}};
  model.tick_ms = 500;
  return model;
}

/// What both explorers say of it.
checker::Verdict judged(test::InlineLock&& lock, std::int64_t held_ms) {
  lock.model = held(lock.model, held_ms);
  return lock.judged(sim::Property::mutual_exclusion);
}

/// What the engine says alone: the other one's ticks are parts of a second, too.
checker::Verdict explored(const test::InlineLock& lock, std::int64_t held_ms) {
  sim::Model model = held(lock.model, held_ms);
  model.properties = {sim::Property::mutual_exclusion};
  return checker::explore(model, {}).verdict;
}

}  // namespace

TEST_CASE("a run may begin anywhere in a second", "[time][many-models]") {
  // Gone in nine seconds and a bit, if A stamps its key late in a second and B looks early in one.
  const char* const by_seconds = "ms // 1000 - tonumber(at) // 1000 >= 10";
  CHECK(judged(stamped(by_seconds), 9500) == checker::Verdict::violated);
  CHECK(judged(stamped(by_seconds), 9000) == checker::Verdict::holds);
  const char* const by_difference = "(ms - tonumber(at)) // 1000 >= 10";
  CHECK(judged(stamped(by_difference), 9500) == checker::Verdict::holds);
  // B goes in beside whoever has come in an odd second.
  CHECK(judged(stamped("tonumber(at) // 1000 % 2 == 1"), 500) == checker::Verdict::violated);
  // The next whole second, worked out by a script.
  test::InlineLock next(
      {"  return redis('EVAL', [[local t = redis.call('TIME') local ms = t[1] * 1000 + "
       "math.floor(t[2] / 1000) local from = redis.call('GET', KEYS[1]) if not from then "
       "redis.call('SET', KEYS[1], string.format('%.0f', (t[1] + 1) * 1000)) return 1 end "
       "if ms >= tonumber(from) then return 1 end return 0]], 1, self.key) == 1",
       "redis('DEL', self.key) return true"},
      ", leases = {}");
  CHECK(judged(std::move(next), 500) == checker::Verdict::violated);
}

TEST_CASE("a decision by a part of a second that no unit explains is no proof", "[time]") {
  for (const char* const condition :
       {"tonumber(at) % 1000 == 437", "tonumber(at) // 60000 % 2 == 1",
        "tonumber(at) // 3600000 % 24 == 1"}) {
    INFO(condition);
    CHECK(explored(stamped(condition), 500) == checker::Verdict::inconclusive);
  }
}

TEST_CASE("a key that says in whole seconds when it ends is taken as exactly as one in ms",
          "[time][many-models]") {
  // It says three seconds after the second that A came in; that is over for B when it is in a later
  // second, or in that one: A may have come in the last ms of its own.
  const auto holds_for = [](const std::string& over, std::int64_t ms) {
    test::InlineLock lock(
        {"  local second = millis(now()) // 1000\n"
         "  if redis('SETNX', self.key, second + 3) == 1 then return true end\n"
         "  local ends = redis('GET', self.key)\n"
         "  return ends ~= nil and tonumber(ends) " +
             over +
             " millis(now()) // 1000 and redis('EVAL', [[if redis.call('get', KEYS[1]) == ARGV[1] "
             "then redis.call('set', KEYS[1], ARGV[2]) return 1 end return 0]], 1, self.key, ends, "
             "second + 3) == 1",
         "redis('DEL', self.key) return true"},
        ", leases = {}");
    return explored(lock, ms) == checker::Verdict::holds;
  };
  CHECK(holds_for("<", 3000));
  CHECK_FALSE(holds_for("<", 3500));
  CHECK(holds_for("<=", 2000));
  CHECK_FALSE(holds_for("<=", 2500));
}

TEST_CASE("who compares what it wrote in whole seconds is judged by the second",
          "[time][many-models]") {
  // B takes over when its second is later than the one after A's: A has more than a second.
  const auto holds_for = [](std::int64_t ms) {
    return judged(
        test::InlineLock({"  local s = millis(now()) // 1000\n"
                          "  self.value = string.format('%d', s + 1)\n"
                          "  if redis('SETNX', self.key, self.value) == 1 then return true end\n"
                          "  local old = redis('GET', self.key)\n"
                          "  if old == nil or tonumber(old) >= s then return false end\n"
                          "  return redis('GETSET', self.key, self.value) == old",
                          "if redis('GET', self.key) == self.value then redis('DEL', self.key) end "
                          "return true"},
                         ", leases = {}"),
        ms);
  };
  CHECK(holds_for(1000) == checker::Verdict::holds);
  CHECK(holds_for(1500) == checker::Verdict::violated);
}

TEST_CASE("a time in ms may be rounded up to whole seconds", "[time][many-models]") {
  // Who comes at a full second has the key for 3 s, whoever comes later for longer; at the ms at
  // which it ends it is still there.
  const auto holds_for = [](std::int64_t ms) {
    return judged(test::InlineLock({"  local ends = (millis(now()) + 3999) // 1000 * 1000\n"
                                    "  return redis('SET', self.key, 1, 'NX', 'PXAT', ends) == OK",
                                    "redis('DEL', self.key) return true"},
                                   ", leases = {}"),
                  ms);
  };
  CHECK(holds_for(3000) == checker::Verdict::holds);
  CHECK(holds_for(3500) == checker::Verdict::violated);
}

TEST_CASE("what is rounded to the nearest second turns in the middle of one",
          "[time][many-models]") {
  // A may have come in with the last ms that is rounded down: its key says so much less.
  for (const std::string nearest :
       {"math.floor(millis(now()) / 1000 + 0.5)", "(millis(now()) + 500) // 1000"}) {
    INFO(nearest);
    const auto lock_with = [&](const std::string& over) {
      return test::InlineLock(
          {"  local second = " + nearest +
               "\n  if redis('SETNX', self.key, second + 3) == 1 then return true end\n"
               "  local ends = redis('GET', self.key)\n  return ends ~= nil and tonumber(ends) " +
               over + " second",
           "redis('DEL', self.key) return true"},
          ", leases = {}");
    };
    CHECK(explored(lock_with("<"), 3000) == checker::Verdict::holds);
    CHECK(explored(lock_with("<"), 3001) == checker::Verdict::violated);
    CHECK(explored(lock_with("<="), 2000) == checker::Verdict::holds);
    CHECK(explored(lock_with("<="), 2001) == checker::Verdict::violated);
    CHECK(judged(lock_with("<"), 3000) == checker::Verdict::holds);
    CHECK(judged(lock_with("<"), 3500) == checker::Verdict::violated);
  }
}

TEST_CASE("a window of time may begin at an offset", "[time][many-models]") {
  // B comes in two windows later: at least one whole one and 1 ms.
  const auto judged_with = [](const std::string& window, std::int64_t ms) {
    test::InlineLock lock({"  local window = " + window +
                               "\n  if redis('SETNX', self.key, window) == 1 then return true end\n"
                               "  local at = redis('GET', self.key)\n"
                               "  return at ~= nil and window - tonumber(at) >= 2",
                           "redis('DEL', self.key) return true"},
                          ", leases = {}");
    return explored(lock, ms);
  };
  for (const std::string window :
       {"(millis(now()) + 5000) // 10000", "math.floor(millis(now()) / 10000 + 0.5)",
        "(millis(now()) + 2500) // 10000"}) {
    INFO(window);
    CHECK(judged_with(window, 10'000) == checker::Verdict::holds);
    CHECK(judged_with(window, 10'001) == checker::Verdict::violated);
  }
  // A day of another time zone.
  CHECK(judged_with("(millis(now()) + 28800000) // 86400000", 86'400'001) ==
        checker::Verdict::violated);
}

TEST_CASE("a window of a few ms may have no whole parts", "[time]") {
  // It turns 20 ms after the beginning of one of 6 ms: with no half, and not beside one.
  test::InlineLock lock(
      {"  return redis('EVAL', [[local t = redis.call('TIME') local ms = t[1] * 1000 + "
       "math.floor(t[2] / 1000) local at = redis.call('GET', KEYS[1]) "
       "if at and ms - tonumber(at) * 6 < 20 then return 0 end "
       "redis.call('SET', KEYS[1], string.format('%.0f', math.floor(ms / 6))) return 1]], 1, "
       "self.key) == 1",
       "redis('DEL', self.key) return true"},
      ", leases = {}");
  CHECK(explored(lock, 20) == checker::Verdict::violated);
}
