// CLIENT TRACKING (semantics.md, section 10): both explorers hear the same of keys that are
// touched, in whichever way, and of connections that were broken meanwhile.
#include <catch2/catch.hpp>
#include <string>

#include "sim/redis/keyspace_events.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;
using test::kCompareAndDelete;

/// Tracks keys that begin so, and tries again whenever it is told.
std::string tries_when_told(const std::string& then = "latch:release()",
                            const std::string& prefix = "self.key") {
  return "local latch = semaphore(0)"
         " local heard = listen(" +
         prefix + ", function(keys) " + then +
         " end, { tracking = true })"
         " return retry(function() self.token = unique()"
         " if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) then"
         " stop(heard) return true end return false end, latch)";
}

/// Leases of 4 ms, work of 2.
struct TrackingLock : InlineLock {
  explicit TrackingLock(const std::string& acquire, const std::string& release = kCompareAndDelete)
      : InlineLock({acquire, release}) {
    lasting(4, 2);
    model.keyspace_events = sim::kInvalidations;
  }
  TrackingLock& with(Fault fault) {
    model = test::with_fault(model, fault);
    return *this;
  }
};

const std::string kRenames =
    "return redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
    " redis.call('rename', KEYS[1], KEYS[2]) redis.call('del', KEYS[2]) return 1 end return 0\","
    " 2, self.key, 'other', self.token) == 1";

}  // namespace

TEST_CASE("who tracks a key is told when it is deleted", "[tracking]") {
  CHECK(TrackingLock(tries_when_told()).judged(Property::deadlock) == Verdict::holds);
  CHECK(TrackingLock(tries_when_told(), kRenames).judged(Property::deadlock) == Verdict::holds);
  CHECK(TrackingLock(tries_when_told()).judged(Property::lost_wakeup) == Verdict::holds);
  // Of all keys, of none that is touched, and by nobody who listens to the channel's name alone.
  CHECK(TrackingLock(tries_when_told("latch:release()", "''")).judged(Property::deadlock) ==
        Verdict::holds);
  CHECK(TrackingLock(tries_when_told("latch:release()", "'another'")).judged(Property::deadlock) ==
        Verdict::violated);
  const std::string named = "if keys[1] == self.key and #keys == 1 then latch:release() end";
  CHECK(TrackingLock(tries_when_told(named)).judged(Property::deadlock) == Verdict::holds);
}

TEST_CASE("who tracks a key is told when it expires", "[tracking]") {
  CHECK(TrackingLock(tries_when_told()).with(Fault::crash).judged(Property::deadlock) ==
        Verdict::holds);
}

TEST_CASE("who tracks keys is told of a flush that all are gone", "[tracking]") {
  const std::string flushes = "redis('FLUSHALL') return true";
  CHECK(TrackingLock(tries_when_told("if keys == nil then latch:release() end"), flushes)
            .judged(Property::deadlock) == Verdict::holds);
  CHECK(TrackingLock(tries_when_told("if keys ~= nil then latch:release() end"), flushes)
            .judged(Property::deadlock) == Verdict::violated);
}

TEST_CASE("who tracks keys hears of an operator's flush, too", "[tracking]") {
  CHECK(TrackingLock(tries_when_told("if keys == nil then latch:release() end"))
            .with(Fault::flush)
            .judged(Property::lost_wakeup) == Verdict::violated);  // of a release it hears nothing
  CHECK(TrackingLock(tries_when_told()).with(Fault::flush).judged(Property::deadlock) ==
        Verdict::holds);
  const std::string deletes = "if keys == nil then redis('DEL', self.key) end latch:release()";
  CHECK(TrackingLock(tries_when_told(deletes)).judged(Property::foreign_release) == Verdict::holds);
  CHECK(
      TrackingLock(tries_when_told(deletes)).with(Fault::flush).judged(Property::foreign_release) ==
      Verdict::violated);
}

TEST_CASE("who tracks keys is told that it has missed what was touched while it was not connected",
          "[tracking]") {
  CHECK(TrackingLock(tries_when_told()).with(Fault::lose).judged(Property::lost_wakeup) ==
        Verdict::holds);
  CHECK(TrackingLock(tries_when_told("if keys then latch:release() end"))
            .with(Fault::lose)
            .judged(Property::lost_wakeup) == Verdict::violated);
}

TEST_CASE("what an EXEC or a script touches is told at once", "[tracking]") {
  // Told twice, it would find the lock taken again, and let somebody in beside itself.
  const std::string twice =
      "redis('MULTI') redis('SET', self.key .. 1, 1) redis('DEL', self.key .. 1, self.key)"
      " redis('EXEC') return true";
  const std::string counts =
      "if #keys == 2 and keys[1] == self.key and keys[2] == self.key .. 1 then latch:release() end";
  CHECK(TrackingLock(tries_when_told(counts), twice).judged(Property::deadlock) == Verdict::holds);
}
