// A program that ends its own process, in both explorers: as a crash that costs nothing.
#include <catch2/catch.hpp>
#include <string>

#include "checker/trace/trace.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

const std::string kSetIfFree =
    "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";

/// Renews each 10 ms, and ends the process where that fails.
const std::string kRenewedOrEnds =
    test::kToken +
    "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then return false end "
    "self.timer = every(10, function() "
    "local ok, kept = pcall(redis, 'EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then "
    "return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0\", 1, self.key, self.token, "
    "self.ttl_ms) "
    "if not ok or kept ~= 1 then exit() end end) return true";
const std::string kStopsRenewing = "stop(self.timer) " + test::kCompareAndDelete;

}  // namespace

TEST_CASE("who ends its process leaves what a crash leaves, without any fault", "[exit]") {
  const auto judged = [](const std::string& acquire, Property property) {
    InlineLock lock({acquire, "return redis('DEL', self.key) == 1"});
    lock.model.processes.resize(1);
    return lock.judged(property);
  };
  const std::string for_ever = "redis('SET', self.key, 'v') exit() return true";
  for (const Property property : {Property::leak, Property::deadlock})
    CHECK(judged(for_ever, property) == Verdict::violated);
  const std::string leased = "redis('SET', self.key, 'v', 'PX', self.ttl_ms) exit() return true";
  CHECK(judged(leased, Property::leak) == Verdict::holds);
  CHECK(judged(leased, Property::deadlock) == Verdict::violated);  // nobody ever gets it
  CHECK(judged("redis('SET', self.key, 'v', 'NX') spawn(exit) return true", Property::leak) ==
        Verdict::violated);
  CHECK(judged("spawn(redis, 'SET', self.key, 'v') exit()", Property::leak) == Verdict::holds);
  CHECK(judged("spawn(redis, 'SET', self.key, 'v') sleep(0) exit()", Property::leak) ==
        Verdict::violated);
}

TEST_CASE("the next round of who has ended begins anew", "[exit]") {
  InlineLock lock(
      {"self.process.n = (self.process.n or 0) + 1 "
       "if self.process.n > 1 then redis('SET', self.key, 'v') end exit()",
       "return true"});
  lock.model.processes.resize(1);
  for (auto& process : lock.model.processes) process.rounds = 2;
  CHECK(lock.judged(Property::leak) == Verdict::holds);
}

TEST_CASE("who ends its process where a renewal fails holds nothing any more", "[exit]") {
  for (const Property property : {Property::foreign_release, Property::leak, Property::deadlock}) {
    InlineLock lock({kRenewedOrEnds, kStopsRenewing});
    lock.lasting(30, 25);
    lock.model = test::with_fault(lock.model, sim::Fault::evict);
    CAPTURE(sim::name(property));
    CHECK(lock.judged(property) == Verdict::holds);
  }
  InlineLock goes_on({kRenewedOrEnds, kStopsRenewing});
  goes_on.lasting(30, 25);
  goes_on.model = test::with_fault(goes_on.model, sim::Fault::evict);
  CHECK(goes_on.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a run tells that a process ends", "[exit]") {
  InlineLock lock({test::kToken + kSetIfFree, "exit()"});
  lock.model.processes.resize(1);
  lock.model.properties = {Property::honest_result, Property::leak};
  CHECK(lock.judged(Property::leak) == Verdict::holds);
  InlineLock stays({"redis('SET', self.key, 'v') return true", "exit()"});
  stays.model.processes.resize(1);
  stays.model.properties = {Property::leak};
  const auto found = checker::explore(stays.model, {});
  REQUIRE(found.verdict == Verdict::violated);
  const auto told = checker::tell(stays.model, found.schedule);
  CHECK_THAT(told.steps.back().prose.sentence, Catch::Contains("its process ends"));
}
