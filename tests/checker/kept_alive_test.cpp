// Who keeps another's lease alive without having a lock itself, though something in its key is its
// own (docs/semantics.md, section 3, `foreign_extend`).
#include <catch2/catch.hpp>
#include <string>

#include "checker/explorer.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

const std::string kKeepsAlive = "redis.call('pexpire', KEYS[1], ARGV[2]) ";

/// The key, a token and the lease are told to a script, which says whether that was it.
std::string script_says(const std::string& script) {
  return "redis('EVAL', [[" + script + "]], 1, self.key, self.token, self.ttl_ms) == 1";
}

/// Asks three times at most, and sleeps before it asks again.
std::string tries_thrice(const std::string& script) {
  return test::kToken + "for i = 1, 3 do if " + script_says(script) +
         " then return true end sleep(4) end return false";
}

/// A hash in which the owner's field is the lock; who comes later leaves a mark.
std::string takes_or(const std::string& marks) {
  return "if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 1 then " + kKeepsAlive +
         "return 1 end if redis.call('hget', KEYS[1], 'owner') == ARGV[1] then return 1 end " +
         marks + "return 0";
}

const std::string kOwnerLeaves =
    "return " + script_says(
                    "if redis.call('hget', KEYS[1], 'owner') ~= ARGV[1] then return 0 end "
                    "return redis.call('del', KEYS[1])");

TEST_CASE("who waits and marks the key keeps the holder's lease alive by each try",
          "[kept-alive]") {
  for (const char* mark : {"redis.call('hset', KEYS[1], 'wanted', ARGV[1]) ",
                           "redis.call('hincrby', KEYS[1], 'waiters', 1) "}) {
    CAPTURE(mark);
    test::InlineLock lock({tries_thrice(takes_or(mark + kKeepsAlive)), kOwnerLeaves});
    CHECK(lock.judged(Property::foreign_extend) == Verdict::violated);
    // At its first sleep, not only where it gives up.
    const checker::Result found = checker::explore(lock.model, {});
    CHECK(found.schedule.size() == 9);
    CHECK(test::InlineLock({tries_thrice(takes_or(mark)), kOwnerLeaves})
              .judged(Property::foreign_extend) == Verdict::holds);
  }
}

/// Whoever joins before somebody is inside counts, and lets all who have joined live on; after a
/// while the first of them gets the lock.
TEST_CASE("who lets those live on who wait beside it has extended no holder's lease",
          "[kept-alive]") {
  const std::string joins = script_says(
      "if redis.call('hexists', KEYS[1], 'inside') == 1 then return 0 end "
      "redis.call('hset', KEYS[1], ARGV[1], redis.call('hlen', KEYS[1])) " +
      kKeepsAlive + "return 1");
  const std::string is_first = script_says(
      "if redis.call('hget', KEYS[1], ARGV[1]) == '0' then "
      "redis.call('hset', KEYS[1], 'inside', 1) return 1 end return 0");
  const std::string leaves = "redis('HDEL', self.key, self.token) ";
  const test::InlineLock lock({test::kToken + "if not (" + joins +
                                   ") then return false end sleep(4) if " + is_first +
                                   " then return true end " + leaves + "return false",
                               "redis('HDEL', self.key, 'inside') " + leaves + "return true"});
  CHECK(lock.judged(Property::foreign_extend) == Verdict::holds);
}

/// The former owner's note stays in the key.
TEST_CASE("a note in the key entitles no watchdog that goes on after release()", "[kept-alive]") {
  const std::string takes = script_says(
      "if redis.call('hsetnx', KEYS[1], 'owner', ARGV[1]) == 0 then return 0 end "
      "redis.call('hset', KEYS[1], 'was:' .. ARGV[1], 1) " +
      kKeepsAlive + "return 1");
  const std::string acquire =
      test::kToken + "if not (" + takes +
      ") then return false end self.dog = every(8, function() redis('PEXPIRE', self.key, "
      "self.ttl_ms) return redis('EXISTS', self.key) == 1 end) return true";
  const std::string release = "return redis('HDEL', self.key, 'owner') == 1";
  CHECK(test::InlineLock({acquire, release}).judged(Property::foreign_extend) == Verdict::violated);
  CHECK(test::InlineLock({acquire, "stop(self.dog) " + release}).judged(Property::foreign_extend) ==
        Verdict::holds);
}

}  // namespace
