// Keyspace events (semantics.md, section 10): both explorers hear the same of what is deleted,
// evicted and expired, in time and late.
#include "sim/redis/keyspace_events.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;
using test::kCompareAndDelete;

/// Tries, else listens to what the key's channel says, tries again, and waits for a word.
std::string acquire_waiting(const std::string& wait) {
  return "local function try() self.token = unique()"
         " return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= nil end"
         " if try() then return true end"
         " local latch = semaphore(0)"
         " local heard = listen('__keyspace@0__:' .. self.key, function(event)"
         " if event == 'del' or event == 'expired' or event == 'evicted' then latch:release() end"
         " end)"
         " return retry(function() if try() then stop(heard) return true end " +
         wait + " end)";
}

/// Leases of 4 ms, work of 2; the nodes publish these events.
struct WaitingLock : InlineLock {
  WaitingLock(const std::string& events, const std::string& wait)
      : InlineLock({acquire_waiting(wait), kCompareAndDelete}) {
    lasting(4, 2);
    model.keyspace_events = sim::parse_keyspace_events(events).value();
  }
};

const std::string kForEver = "latch:acquire()";
const std::string kForALease = "latch:acquire(self.ttl_ms)";

}  // namespace

TEST_CASE("who waits for a keyspace event alone", "[keyspace-events]") {
  // Redis tells nothing unless it is told to.
  CHECK(WaitingLock("", kForEver).judged(Property::deadlock) == Verdict::violated);
  CHECK(WaitingLock("Kg", kForEver).judged(Property::deadlock) == Verdict::holds);
  CHECK(WaitingLock("Eg", kForEver).judged(Property::deadlock) == Verdict::violated);
  CHECK(WaitingLock("", kForALease).judged(Property::deadlock) == Verdict::holds);
}

TEST_CASE("a holder that dies is told of when its lease is over", "[keyspace-events]") {
  const std::string events = GENERATE(std::string("Kg"), std::string("Kgx"), std::string("Kx"));
  WaitingLock lock(events, kForEver);
  lock.model = test::with_fault(lock.model, Fault::crash);
  const bool told = events == "Kgx";  // of releases, too
  CHECK(lock.judged(Property::deadlock) == (told ? Verdict::holds : Verdict::violated));
}

TEST_CASE("keys that stay, and keys with tokens in their names, are told of or not",
          "[keyspace-events][many-models]") {
  const std::string beside =
      "redis('SET', 'stays', 1) redis('SET', 'seen:' .. unique(), 1, 'PX', 1) ";
  for (const std::string events : {"Kgx", "AKE"}) {
    InlineLock lock({beside + acquire_waiting(kForALease), kCompareAndDelete});
    lock.lasting(4, 2);
    lock.model.keyspace_events = sim::parse_keyspace_events(events).value();
    CHECK(lock.judged(Property::deadlock) == Verdict::holds);
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  }
}

TEST_CASE("an event that comes late, or is lost", "[keyspace-events][many-models]") {
  const auto fault = GENERATE(Fault::delay, Fault::lose, Fault::evict, Fault::flush, Fault::pause);
  const std::string wait = GENERATE(kForEver, kForALease);
  CAPTURE(sim::name(fault), wait);
  WaitingLock lock("AKE", wait);
  lock.model = test::with_fault(lock.model, fault);
  for (const auto property : {Property::deadlock, Property::mutual_exclusion, Property::progress})
    lock.judged(property);
}

TEST_CASE("how long one waits whom Redis tells late", "[keyspace-events]") {
  WaitingLock lock("Kgx", kForEver);
  lock.model.budget[static_cast<std::size_t>(Fault::crash)] = 1;
  lock.model.waits_ms = 8;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
  lock.model.budget[static_cast<std::size_t>(Fault::delay)] = 1;
  CHECK(lock.judged(Property::waits) == Verdict::violated);
}

TEST_CASE("a key that is met is told of before what meets it", "[keyspace-events]") {
  // Who takes "expired" for the lock may hear it of a lease that is over, when another has one.
  InlineLock lock(
      {"self.token = unique()"
       " if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= nil then return true end"
       " local latch = semaphore(0)"
       " local heard = listen('__keyevent@0__:expired', function() latch:release() end)"
       " latch:acquire() stop(heard) self.token = unique()"
       " redis('SET', self.key, self.token, 'PX', self.ttl_ms) return true",
       kCompareAndDelete});
  lock.model.keyspace_events = sim::parse_keyspace_events("Ex").value();
  lock.lasting(3, 2);
  lock.model = test::with_fault(lock.model, Fault::crash);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.processes.push_back(lock.model.processes.back());
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a word of four letters is no time", "[keyspace-events]") {
  // Read as packed Unix seconds, "lock", the key's name, is a time of 2027.
  InlineLock lock(
      {"self.token = unique() if redis('ECHO', 'live') ~= 'live' then return false end"
       " local heard = listen('__keyevent@0__:del', function(key)"
       " if key == self.key then self.heard = true end end)"
       " local got = redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= nil"
       " stop(heard) return got",
       kCompareAndDelete});
  lock.lasting(4, 2);
  lock.model.keyspace_events = sim::parse_keyspace_events("Eg").value();
  lock.model.properties = {Property::mutual_exclusion};
  const checker::Result result = checker::explore(lock.model, {});
  CHECK(result.time_gap.empty());
  CHECK(result.verdict == Verdict::holds);
}
