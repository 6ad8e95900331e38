// Looks at a clock that goes wrong between them: a wall clock that jumps between two looks of one
// step, a script that looks twice, a replica whose clock is behind. Both explorers judge.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "sim/client/claims.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::Bodies;
using test::InlineLock;
using test::kCompareAndDelete;

const std::string kTakeOnce =
    "self.token = unique() return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == "
    "OK";

/// What both explorers say of a lock that lets in at once whoever sees this of `a` and `b`, two
/// looks of one step, if one clock may jump so far.
Verdict judged_with_jump(const std::string& clock, const std::string& seen, std::int64_t jump_ms) {
  InlineLock lock({"local a = " + clock + "() local b = " + clock + "() if " + seen +
                       " then return true end " + kTakeOnce,
                   kCompareAndDelete});
  if (jump_ms != 0) {
    lock.model = test::with_fault(lock.model, Fault::jump);
    lock.model.jumps_ms = {jump_ms};
  }
  return lock.judged(Property::mutual_exclusion);
}

/// What the engine alone says, and why if it cannot say more.
checker::Result searched(InlineLock& lock) {
  lock.model.properties = {Property::mutual_exclusion};
  return checker::explore(lock.model, {});
}

/// Takes the lock by a script.
Bodies by_script(const std::string& script) {
  return {"self.token = unique() return redis('EVAL', \"" + script +
              "\", 1, self.key, self.token) == 1",
          kCompareAndDelete};
}

}  // namespace

TEST_CASE("a clock may jump between two looks of one step", "[looks][many-models]") {
  CHECK(judged_with_jump("now", "b - a >= 5", 5) == Verdict::violated);
  CHECK(judged_with_jump("now", "b - a >= 5", 4) == Verdict::holds);
  CHECK(judged_with_jump("now", "a - b >= 5", -5) == Verdict::violated);
  CHECK(judged_with_jump("now", "b - a >= 5", 0) == Verdict::holds);
  CHECK(judged_with_jump("monotonic", "b - a >= 5", 5) == Verdict::holds);
}

TEST_CASE("a jump between two looks is told as it is", "[looks]") {
  InlineLock lock(
      {"local a = now() if now() - a >= 5 then return true end " + kTakeOnce, kCompareAndDelete});
  lock.model = test::with_fault(lock.model, Fault::jump);
  lock.model.jumps_ms = {5};
  const auto trace = checker::tell(lock.model, searched(lock).schedule);
  CHECK(std::ranges::any_of(trace.steps, [](const auto& step) {
    return step.prose.sentence.find("then its wall clock jumps forward 5 ms") != std::string::npos;
  }));
}

/// ShedLock works out its lease so: until when, less now.
TEST_CASE("a lease that is worked out of two looks in one step is as long as it says",
          "[looks][many-models]") {
  for (const char* lease : {"(now() + 30) - now()", "30 + (now() - now())"}) {
    CAPTURE(lease);
    test::InlineLock lock({test::kToken + "return redis('SET', self.key, self.token, 'NX', 'PX', " +
                               lease + ") == OK",
                           test::kCompareAndDelete});
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
    CHECK(checker::explore(lock.model, {}).time_gap.empty());
    lock.lasting(30, 31);
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
    lock.lasting(30, 10).model = test::with_fault(lock.model, Fault::pause);
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  }
}

TEST_CASE("a script that looks at a clock twice is not judged as if it stood still",
          "[looks][many-models]") {
  const std::string set = "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 30) and 1 or 0";
  const std::string twice =
      "local s = redis.call('time')[1] local u = redis.call('time')[2] if s == u then return 1 "
      "end ";
  const std::string once = "local t = redis.call('time') if t[1] == 'x' then return 1 end ";
  InlineLock lock(by_script(twice + set));
  const auto result = searched(lock);
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.why_inconclusive.find("looks at a clock more than once") != std::string::npos);
  InlineLock control(by_script(once + set));
  CHECK(searched(control).verdict == Verdict::holds);
  // What is left of a key is told in whole ms: whether one begins in between is tried (section 1).
  InlineLock left(
      by_script("local t = redis.call('time')[1] if redis.call('pttl', KEYS[1]) > 0 and "
                "t == 'x' then return 1 end " +
                set));
  CHECK(searched(left).verdict == Verdict::holds);
  lock.model.server = sim::ServerVersion::redis_7_2;  // commandTimeSnapshot
  CHECK(searched(lock).why_inconclusive.find("more than once") == std::string::npos);
}

TEST_CASE("a replica whose clock is behind may still show what has ended at its master",
          "[looks]") {
  // Whoever finds its own name at a replica has the lock still; the lease runs out by itself.
  InlineLock lock(
      {"self.name = self.name or unique() "
       "if call { node = 2, 'GET', self.key } == self.name then return true end "
       "return redis('SET', self.key, self.name, 'NX', 'PX', self.ttl_ms) == OK",
       ""});
  for (auto& process : lock.model.processes) {
    process.replicas = 1;
    process.rounds = 2;
    process.workload[1].ms = 0;
  }
  CHECK(searched(lock).verdict == Verdict::holds);
  lock.model.node_clocks_ms = {0, -5};
  const auto behind = searched(lock);
  CHECK(behind.verdict == Verdict::inconclusive);
  CHECK(behind.why_inconclusive.find("a replica whose clock is behind") != std::string::npos);
}

TEST_CASE("so it may to an invariant that looks at what servers store", "[looks]") {
  const auto found = [](const std::string& claim) {
    InlineLock lock({test::kToken +
                         "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) "
                         "== OK",
                     ""});
    for (auto& process : lock.model.processes) process.replicas = 1;
    lock.lasting(30, 40).model.node_clocks_ms = {5, 0};
    lock.model.properties = {Property::invariant};
    lock.model.claims = std::make_shared<sim::OwnClaims>(
        "here/mine.lua", "invariant('mine', function(world) " + claim + " end)");
    return checker::explore(lock.model, {}).verdict;
  };
  const std::string both =
      "local nodes = world.nodes return not nodes[2].keys.lock or nodes[1].keys.lock ~= nil";
  CHECK(found(both) == Verdict::inconclusive);
  CHECK(found("return #world.clients == 2") == Verdict::holds);
}

TEST_CASE("a replica that lags may be counted no more", "[looks]") {
  InlineLock lock(
      {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"});
  for (auto& process : lock.model.processes) process.replicas = 1;
  lock.model.min_replicas = 1;
  CHECK(lock.judged(Property::leak) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::lag);
  CHECK(lock.judged(Property::leak) == Verdict::violated);
}

TEST_CASE("what a script changes and puts back is nobody's loss", "[looks]") {
  const auto judged = [](const std::string& script) {
    InlineLock lock(
        {"self.token = unique() if redis('SET', self.key, self.token, 'NX', 'PX', "
         "self.ttl_ms) == OK then return true end redis('EVAL', \"" +
             script + "\", 1, self.key) return false",
         kCompareAndDelete});
    return lock.judged(Property::foreign_release);
  };
  const std::string changes =
      "local v = redis.call('get', KEYS[1]) if not v then return 0 end "
      "redis.call('set', KEYS[1], 'x', 'KEEPTTL') ";
  CHECK(judged(changes + "redis.call('set', KEYS[1], v, 'KEEPTTL') return 1") == Verdict::holds);
  CHECK(judged(changes + "return 1") == Verdict::violated);
}
