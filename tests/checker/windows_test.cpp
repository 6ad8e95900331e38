// Locks by the number of a window of the server's time: of ten seconds, of the minute.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using test::InlineLock;

/// Where the number of the window is kept: a script that writes it, and what reads it.
struct Place {
  std::string keep, kept;
};
const std::string kDigits = "string.format('%.0f', w)";
const Place kInString{"redis.call('set', KEYS[1], " + kDigits + ")", "redis.call('get', KEYS[1])"};

/// Whoever comes in a window of which `free` says so of `w`, its number, and of `old`, the one that
/// is kept, enters.
Verdict judged(std::int64_t window_ms, const std::string& free, std::int64_t work_ms,
               const Place& place = kInString) {
  const std::string script = fmt::format(
      "local t = redis.call('time') local ms = t[1] * 1000 + math.floor(t[2] / 1000) "
      "local w = math.floor(ms / {}) local old = {} if old and not ({}) then return 0 end "
      "{} return 1",
      window_ms, place.kept, free, place.keep);
  InlineLock lock({test::scripted_acquire(script), "return true"}, ", leases = {}");
  lock.model.tick_ms = 500;
  return lock.lasting(window_ms * 3, work_ms).judged(sim::Property::mutual_exclusion);
}

}  // namespace

TEST_CASE("two clients in two windows of the server's time overlap",
          "[time][windows][many-models]") {
  for (const std::int64_t window_ms : {2000, 3000, 10'000}) {
    INFO(window_ms);
    const std::int64_t work_ms = 500;
    CHECK(judged(window_ms, "tonumber(old) ~= w", work_ms) == Verdict::violated);
    CHECK(judged(window_ms, "old ~= " + kDigits, work_ms) == Verdict::violated);
  }
}

TEST_CASE("who leaves a window between is a window later at least",
          "[time][windows][many-models]") {
  // A in the last ms of its window, B in the first one of the second after it.
  for (const std::string later : {"w >= old + 2", "w - old >= 2", "w - 1 > tonumber(old)"}) {
    INFO(later);
    CHECK(judged(3000, later, 3000) == Verdict::holds);
    CHECK(judged(3000, later, 3500) == Verdict::violated);
  }
}

TEST_CASE("the number of a window may be kept anywhere", "[time][windows][many-models]") {
  for (const Place& place :
       {Place{"redis.call('hset', KEYS[1], 'window', " + kDigits + ")",
              "redis.call('hget', KEYS[1], 'window')"},
        Place{"redis.call('rpush', KEYS[1], " + kDigits + ")", "redis.call('lindex', KEYS[1], -1)"},
        Place{"redis.call('zadd', KEYS[1], " + kDigits + ", 'window')",
              "redis.call('zscore', KEYS[1], 'window')"},
        Place{"redis.call('set', KEYS[1], 'w:' .. " + kDigits + ")",
              "redis.call('get', KEYS[1]) if old then old = string.match(old, '%d+') end"}}) {
    INFO(place.keep);
    CHECK(judged(2000, "w >= old + 2", 2000, place) == Verdict::holds);
    CHECK(judged(2000, "w >= old + 2", 2500, place) == Verdict::violated);
  }
}

TEST_CASE("a lock that only keeps the number of its window holds", "[time][windows][many-models]") {
  InlineLock lock(
      {test::scripted_acquire(
           "local t = redis.call('time') local w = math.floor(t[1] / 10) "
           "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
           "redis.call('hset', 'last', 'window', string.format('%.0f', w)) return 1 end return 0"),
       test::kCompareAndDelete});
  lock.model.tick_ms = 500;
  CHECK(lock.lasting(3000, 2000).judged(sim::Property::mutual_exclusion) == Verdict::holds);
  CHECK(lock.lasting(3000, 4000).judged(sim::Property::mutual_exclusion) == Verdict::violated);
}

namespace {

/// The same by the client's own clock: it sends the number, and a script compares.
Verdict judged_by_client(const std::string& numbers, const std::string& script,
                         std::int64_t work_ms, std::vector<std::int64_t> clocks_ms = {}) {
  InlineLock lock({"return redis('EVAL', [[" + script + "]], 1, self.key, " + numbers + ") == 1",
                   "return true"},
                  ", leases = {}");
  lock.model.tick_ms = 500;
  lock.model.clocks_ms = std::move(clocks_ms);
  return lock.lasting(3000, work_ms).judged(sim::Property::mutual_exclusion);
}

}  // namespace

TEST_CASE("windows that clients number, whose clocks are apart", "[time][windows][many-models]") {
  // A at the end of its window; B, 1500 ms ahead, in the second one after that.
  const std::string later =
      "local old = redis.call('get', KEYS[1]) if old and tonumber(ARGV[1]) < old + 2 then return 0 "
      "end redis.call('set', KEYS[1], ARGV[1]) return 1";
  const std::string number = "millis(now()) // 5000";
  CHECK(judged_by_client(number, later, 5000) == Verdict::holds);
  CHECK(judged_by_client(number, later, 5500) == Verdict::violated);
  CHECK(judged_by_client(number, later, 3500, {0, 1500}) == Verdict::holds);
  CHECK(judged_by_client(number, later, 4000, {0, 1500}) == Verdict::violated);
}

TEST_CASE("windows of two lengths begin together once in a while", "[time][windows]") {
  // Every 6 s both are other ones at once; each by itself is no reason to enter.
  const std::string both =
      "local a, b = redis.call('hget', KEYS[1], 'a'), redis.call('hget', KEYS[1], 'b') "
      "if a and (a == ARGV[1] or b == ARGV[2]) then return 0 end "
      "redis.call('hset', KEYS[1], 'a', ARGV[1], 'b', ARGV[2]) return 1";
  CHECK(judged_by_client("millis(now()) // 2000, millis(now()) // 3000", both, 500) ==
        Verdict::violated);
}

namespace {

/// A client that takes the lock over once `free` of `old`, what its maker noted, and `ms`, now.
Verdict taken_over(const std::string& noted, const std::string& free, std::int64_t work_ms) {
  InlineLock lock({"local ms = millis(now()) if redis('SETNX', self.key, " + noted +
                       ") == 1 then return true end "
                       "local old = tonumber(redis('GET', self.key) or 0) "
                       "return old > 0 and (" +
                       free + ") and redis('SET', self.key, " + noted + ") == OK",
                   "return true"},
                  ", leases = {}");
  lock.model.tick_ms = 250;
  return lock.lasting(3000, work_ms).judged(sim::Property::mutual_exclusion);
}

}  // namespace

TEST_CASE("a time that is rounded, plus a part of the unit, ends so much earlier",
          "[time][windows]") {
  // Noted in the last tick of a second, 1.5 s after it began: 750 ms later it is not over.
  CHECK(taken_over("ms // 1000 * 1000 + 1500", "ms > old", 750) == Verdict::holds);
  CHECK(taken_over("ms // 1000 * 1000 + 1500", "ms > old", 1000) == Verdict::violated);
  CHECK(taken_over("(ms // 1000 + 2) * 1000 - 250", "ms >= old", 750) == Verdict::holds);
  CHECK(taken_over("(ms // 1000 + 2) * 1000 - 250", "ms >= old", 1000) == Verdict::violated);
}

TEST_CASE("a script may round its time to several seconds", "[time][windows][many-models]") {
  const auto judged = [](const std::string& script, std::int64_t work_ms) {
    InlineLock lock(
        {test::scripted_acquire("local s = redis.call('time')[1] " + script), "return true"},
        ", leases = {}");
    lock.model.tick_ms = 500;
    return lock.lasting(30'000, work_ms).judged(sim::Property::mutual_exclusion);
  };
  // A bucket's name is another one 1 tick after it was last taken.
  CHECK(judged("return redis.call('set', KEYS[1] .. ':' .. (s - s % 5), 'x', 'nx') and 1 or 0",
               500) == Verdict::violated);
  // Noted in the last tick of 3 s, until 6 s after they began: 3.5 s later that is over.
  const std::string noted =
      "local old = redis.call('get', KEYS[1]) if old and s < old then return 0 end "
      "redis.call('set', KEYS[1], string.format('%.0f', math.floor(s / 3) * 3 + 6)) return 1";
  CHECK(judged(noted, 3000) == Verdict::holds);
  CHECK(judged(noted, 3500) == Verdict::violated);
}

TEST_CASE("so does a lease that ends at such a time", "[time][windows]") {
  const auto until = [](const std::string& acquire, std::int64_t work_ms) {
    InlineLock lock({acquire, "return true"});
    lock.model.tick_ms = 250;
    return lock.lasting(3000, work_ms).judged(sim::Property::mutual_exclusion);
  };
  const std::string by_client =
      "return redis('SET', self.key, 'x', 'NX', 'PXAT', millis(now()) // 1000 * 1000 + 1500) == OK";
  CHECK(until(by_client, 750) == Verdict::holds);
  CHECK(until(by_client, 1000) == Verdict::violated);
  const std::string by_server = test::scripted_acquire(
      "local t = redis.call('time') local ms = t[1] * 1000 + math.floor(t[2] / 1000) "
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end redis.call('set', KEYS[1], 'x') "
      "redis.call('pexpireat', KEYS[1], string.format('%.0f', ms - ms % 1000 + 1500)) return 1");
  CHECK(until(by_server, 750) == Verdict::holds);
  CHECK(until(by_server, 1000) == Verdict::violated);
}

TEST_CASE("a script's lease may be rounded to a part of a second, or be what is left of one",
          "[time][windows][many-models]") {
  const auto set_until = [](const std::string& option, std::int64_t work_ms) {
    InlineLock lock(
        {test::scripted_acquire(
             "local t = redis.call('time') local ms = t[1] * 1000 + math.floor(t[2] / 1000) "
             "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
             "redis.call('set', KEYS[1], 'x', " +
             option + ") return 1"),
         "return true"});
    lock.model.tick_ms = 50;
    return lock.lasting(1000, work_ms).judged(sim::Property::mutual_exclusion);
  };
  // Taken 150 ms after a multiple of 200; what was left at 500 is over 1 tick after that.
  const std::string until = "'PXAT', string.format('%.0f', ms - ms % 200 + 500)";
  CHECK(set_until(until, 350) == Verdict::holds);
  CHECK(set_until(until, 400) == Verdict::violated);
  const std::string rest = "'PX', 500 - ms % 500 + 250";  // 300 at least
  CHECK(set_until(rest, 300) == Verdict::holds);
  CHECK(set_until(rest, 350) == Verdict::violated);
}

TEST_CASE("a score may be a whole second or have a part of one", "[time][windows][many-models]") {
  // Who is in a sorted set leaves it when its score is over, 3 s after `now`.
  const auto removed = [](const std::string& now, std::int64_t work_ms) {
    InlineLock lock({test::scripted_acquire("local t = redis.call('time') local ms = t[1] * 1000 + "
                                            "math.floor(t[2] / 1000) local now = " +
                                            now +
                                            " redis.call('zremrangebyscore', KEYS[1], '-inf', now) "
                                            "if redis.call('zcard', KEYS[1]) > 0 then return 0 end "
                                            "redis.call('zadd', KEYS[1], now + 3, 'x') return 1"),
                     "return true"},
                    ", leases = {}");
    lock.model.tick_ms = 250;
    return lock.lasting(3000, work_ms).judged(sim::Property::mutual_exclusion);
  };
  // Noted in the last tick of a second, 750 ms after it began.
  for (const char* second : {"t[1]", "math.floor(ms / 1000)"}) {
    INFO(second);
    CHECK(removed(second, 2000) == Verdict::holds);
    CHECK(removed(second, 2250) == Verdict::violated);
  }
  CHECK(removed("ms / 1000", 2750) != Verdict::violated);
  CHECK(removed("ms / 1000", 3000) == Verdict::violated);
}

TEST_CASE("a client may remember when a rounded time is over", "[time][windows]") {
  const auto evicted = [](const std::string& till, std::int64_t work_ms) {
    InlineLock lock(
        {"if redis('SETNX', self.key, 'x') == 1 then return true end local ms = millis(now()) "
         "if self.till == nil then self.till = " +
             till +
             " return false end "
             "if ms >= self.till then self.till = nil return redis('SET', self.key, 'x') == OK end "
             "return false",
         "return true"},
        ", leases = {}");
    lock.model.processes[1].rounds = 2;
    lock.lasting(30'000, work_ms);
    lock.model.properties = {sim::Property::mutual_exclusion};
    return checker::explore(lock.model, {}).verdict;
  };
  CHECK(evicted("ms // 1000 * 1000 + 1250", 250) == Verdict::holds);
  CHECK(evicted("ms // 1000 * 1000 + 1250", 251) == Verdict::violated);
}

TEST_CASE("seconds that only a client remembers are those of its clock", "[time][windows]") {
  // Read in the last ms of a second; three seconds further is 2001 ms later.
  const auto evicted = [](const std::string& second, std::int64_t work_ms) {
    InlineLock lock(
        {"if redis('SETNX', self.key, 'x') == 1 then return true end local s = " + second +
             " if self.since == nil then self.since = s return false end "
             "if s - self.since > 2 then self.since = nil "
             "return redis('SET', self.key, 'x') == OK end return false",
         "return true"},
        ", leases = {}");
    lock.model.processes[1].rounds = 2;
    lock.lasting(30'000, work_ms);
    lock.model.properties = {sim::Property::mutual_exclusion};
    return checker::explore(lock.model, {}).verdict;
  };
  for (const char* second : {"millis(now()) // 1000", "math.floor(millis(now()) / 1000)",
                             "tonumber(redis('TIME')[1])"}) {
    INFO(second);
    CHECK(evicted(second, 2000) == Verdict::holds);
    CHECK(evicted(second, 2001) == Verdict::violated);
  }
}

TEST_CASE("the end of a lease, kept in whole seconds, is rounded to nothing rarer",
          "[time][windows]") {
  // It may meet the second in which it was written, as what was written then.
  for (const std::int64_t lease_s : {2, 5, 6, 10, 30}) {
    InlineLock lock(
        {test::scripted_acquire(fmt::format("local now = tonumber(redis.call('time')[1]) "
                                            "local old = redis.call('get', KEYS[1]) "
                                            "if old and now < tonumber(old) then return 0 end "
                                            "redis.call('set', KEYS[1], now + {}) return 1",
                                            lease_s)),
         "return true"},
        ", leases = {}");
    lock.model.properties = {sim::Property::mutual_exclusion};
    const std::int64_t least_ms = lease_s * 1000 - 999;  // taken in the last ms of a second
    for (const std::int64_t work_ms : {least_ms - 1, least_ms}) {
      CAPTURE(lease_s, work_ms);
      lock.lasting(lease_s * 1000, work_ms);
      CHECK(checker::explore(lock.model, {}).verdict ==
            (work_ms < least_ms ? Verdict::holds : Verdict::violated));
    }
  }
}
