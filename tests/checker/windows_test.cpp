// Locks by the number of a window of the server's time: of ten seconds, of the minute.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

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

TEST_CASE("two clients in two windows of the server's time overlap", "[time][windows]") {
  for (const std::int64_t window_ms : {2000, 3000, 10'000}) {
    INFO(window_ms);
    const std::int64_t work_ms = 500;
    CHECK(judged(window_ms, "tonumber(old) ~= w", work_ms) == Verdict::violated);
    CHECK(judged(window_ms, "old ~= " + kDigits, work_ms) == Verdict::violated);
  }
}

TEST_CASE("who leaves a window between is a window later at least", "[time][windows]") {
  // A in the last ms of its window, B in the first one of the second after it.
  for (const std::string later : {"w >= old + 2", "w - old >= 2", "w - 1 > tonumber(old)"}) {
    INFO(later);
    CHECK(judged(3000, later, 3000) == Verdict::holds);
    CHECK(judged(3000, later, 3500) == Verdict::violated);
  }
}

TEST_CASE("the number of a window may be kept anywhere", "[time][windows]") {
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

TEST_CASE("a lock that only keeps the number of its window holds", "[time][windows]") {
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
