// Interruptions where they really come: in the middle of a step, behind a connection that is broken
// for the client alone, between a node's write and its reply. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;
using test::kCompareAndDelete;

/// A lease of 6 ms and work of 2 ms: the naive explorer goes ms by ms, and a cut may come at each.
void shorten(InlineLock& lock) { lock.lasting(6, 2); }

Verdict judged(InlineLock& lock, Fault fault, Property property) {
  lock.model = test::with_fault(lock.model, fault);
  return lock.judged(property);
}

const std::string kTake =
    "self.token, self.since = unique(), monotonic() "
    "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";
/// Asks again if it hears nothing.
const std::string kPatient = "for try = 1, 2 do local answered, n = pcall(function() " +
                             kCompareAndDelete +
                             " end) if answered then return n end end return false";

}  // namespace

TEST_CASE("a pause between a look at the clock and the request that it decides",
          "[interruptions][many-models]") {
  const auto release =
      GENERATE(std::string("if monotonic() - self.since >= self.ttl_ms then return false end "
                           "return redis('DEL', self.key) == 1"),
               std::string("local t = now() local left = self.since + self.ttl_ms - monotonic() "
                           "if left <= 0 or now() < t then return false end "
                           "return redis('UNLINK', self.key) == 1"),
               // A request comes between: what was seen before it is older still.
               std::string("local left = self.ttl_ms - (monotonic() - self.since) "
                           "if left > 0 then redis('PEXPIRE', self.key, 1) end return true"));
  InlineLock guarded({kTake, release});
  shorten(guarded);
  CHECK(guarded.judged(Property::foreign_release) == Verdict::holds);
  CHECK(judged(guarded, Fault::pause, Property::foreign_release) == Verdict::violated);
}

TEST_CASE("a pause between the start of a timer and what the client does next",
          "[interruptions][many-models]") {
  const std::string set = "redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK ";
  const std::string timer = GENERATE("local ends = every(36, function() return false end) ",
                                     "local ends = spawn(sleep, 36) ");
  const auto honest = [&](const std::string& acquire, bool pauses) {
    InlineLock lock({"self.token = unique() " + acquire, test::kCompareAndDelete});
    if (pauses) lock.model = test::with_fault(lock.model, sim::Fault::pause);
    return lock.judged(Property::honest_result);
  };
  // Its time is over before the answer is there, however fast that is.
  const std::string before = timer + "return " + set + "and alive(ends)";
  CHECK(honest(before, true) == Verdict::violated);
  CHECK(honest(before, false) == Verdict::holds);
  // Set behind the answer it goes off behind what is left of the step.
  CHECK(honest("local taken = " + set + timer + "return taken and alive(ends)", true) ==
        Verdict::holds);

  // A timer of 10 ms goes off before a sleep of 8 ms ends, that begins behind it.
  InlineLock lock(
      {"every(10, function() redis('SET', 'mark', 1) return false end) sleep(8) "
       "return redis('EXISTS', 'mark') == 1",
       "return true"});
  lock.model.processes.resize(1);
  lock.model.properties = {Property::mutual_exclusion};
  lock.model.witnesses = {sim::Witness::acquired};
  CHECK_FALSE(lock.unmet().empty());
  lock.model = test::with_fault(lock.model, sim::Fault::pause);
  CHECK(lock.unmet().empty());
}

TEST_CASE("a look at the clock decides nothing where the server compares",
          "[interruptions][many-models]") {
  InlineLock fixed({kTake, "if monotonic() - self.since >= self.ttl_ms then return false end " +
                               kCompareAndDelete});
  shorten(fixed);
  CHECK(judged(fixed, Fault::pause, Property::foreign_release) == Verdict::holds);
}

TEST_CASE("a pause in the middle of a step may be limited, too", "[interruptions][many-models]") {
  InlineLock guarded({kTake,
                      "if monotonic() - self.since >= self.ttl_ms - 2 then return false end "
                      "return redis('DEL', self.key) == 1"});
  shorten(guarded);
  guarded.model.pause_max_ms = 4;  // DEL leaves 2 ms after SET: by the 6th the key is A's own
  CHECK(judged(guarded, Fault::pause, Property::foreign_release) == Verdict::holds);
  guarded.model.pause_max_ms = 5;
  CHECK(guarded.judged(Property::foreign_release) == Verdict::violated);
}

TEST_CASE("a client dies between two requests of one call",
          "[interruptions][many-models][long-models]") {
  // Whoever finds the key on both nodes takes it for a leftover; on one node alone it stays.
  InlineLock both(
      {"local found = call_all { 'EXISTS', self.key } "
       "if found[1].reply ~= found[2].reply then return false end "
       "if found[1].reply == 1 then call_all { 'DEL', self.key } return false end "
       "call_all { 'SET', self.key, 1 } return true",
       "call_all { 'DEL', self.key } return true"});
  shorten(both);
  for (auto& process : both.model.processes) process.nodes = 2;
  CHECK(judged(both, Fault::pause, Property::deadlock) == Verdict::holds);
  CHECK(judged(both, Fault::crash, Property::deadlock) == Verdict::violated);
}

TEST_CASE("a request outlives its connection", "[interruptions]") {
  const std::string settled =
      "self.token = unique() "
      "local answered, reply = pcall(redis, 'SETNX', self.key, self.token) "
      "if answered then return reply == 1 end ";
  InlineLock settles({settled + "redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
                                " return redis.call('del', KEYS[1]) end return 0\","
                                " 1, self.key, self.token) return false",
                      kPatient});
  CHECK(judged(settles, Fault::lose, Property::deadlock) == Verdict::violated);
}

TEST_CASE("a request that comes late finds the mark of the attempt that was given up",
          "[interruptions]") {
  InlineLock marks(
      {"self.token = unique() local mark = 'mark ' .. self.token "
       "local answered, reply = pcall(redis, 'EVAL', \"if redis.call('exists', KEYS[2]) == 1 then"
       " return 0 end return redis.call('setnx', KEYS[1], ARGV[1])\","
       " 2, self.key, mark, self.token) "
       "if answered then return reply == 1 end "
       "redis('EVAL', \"redis.call('set', KEYS[2], 1) if redis.call('get', KEYS[1]) == ARGV[1] then"
       " return redis.call('del', KEYS[1]) end return 0\", 2, self.key, mark, self.token) "
       "return false",
       kPatient});
  CHECK(judged(marks, Fault::lose, Property::deadlock) == Verdict::holds);
}

TEST_CASE("a node dies between writing and replying", "[interruptions]") {
  const std::string swallows =
      "self.token = unique() "
      "local answered, reply = pcall(redis, 'SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) "
      "return answered and reply == OK";
  InlineLock swallowed({swallows, kCompareAndDelete});
  swallowed.model.persistence = sim::Persistence::aof_always;
  CHECK(judged(swallowed, Fault::node_crash, Property::honest_result) == Verdict::violated);
  swallowed.model.persistence = sim::Persistence::none;  // what was written is gone as well
  CHECK(swallowed.judged(Property::honest_result) == Verdict::holds);
}

TEST_CASE("who asks again without a pause asks with what its clock shows",
          "[interruptions][many-models][long-models]") {
  const std::string token = "self.token = unique() return retry(function() ";
  SECTION("the lease that it gives is a whole one") {
    InlineLock lock({token + "return redis('SET', self.key, self.token, 'NX', 'PXAT', "
                             "millis(now()) + 6) == OK end)",
                     test::kCompareAndDelete});
    for (auto& process : lock.model.processes)
      for (auto& step : process.workload)
        if (step.kind == sim::WorkStep::Kind::work) step.ms = 5;
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  }
  SECTION("between question and answer no time has passed") {
    const InlineLock lock(
        {token + "local asked = monotonic() local granted = redis('SET', self.key, self.token, "
                 "'NX', 'PX', 30) == OK if granted and monotonic() - asked > 3 then return false "
                 "end return granted end)",
         test::kCompareAndDelete});
    CHECK(lock.judged(Property::foreign_release) == Verdict::holds);
    CHECK(lock.judged(Property::deadlock) == Verdict::holds);
  }
  SECTION("its requests do not time out") {
    InlineLock lock({token + "local heard, granted = pcall(redis, 'SET', self.key, self.token, "
                             "'NX', 'PX', 30) if not heard then redis('DEL', self.key) end "
                             "return granted == OK end)",
                     test::kCompareAndDelete});
    lock.model.request_timeout_ms = 4;
    CHECK(lock.judged(Property::foreign_release) == Verdict::holds);
  }
  SECTION("it hears at once that a lease is over") {
    InlineLock lock({token + "return redis('SET', self.key, self.token, 'NX', 'PX', 30) == OK end)",
                     test::kCompareAndDelete});
    lock.model.budget[static_cast<std::size_t>(sim::Fault::crash)] = 1;
    lock.model.waits_ms = 31;
    CHECK(lock.judged(Property::waits) == Verdict::holds);
    lock.model.waits_ms = 30;
    CHECK(lock.judged(Property::waits) == Verdict::violated);
  }
  SECTION("it gives up as soon as it has waited for long enough") {
    InlineLock lock(
        {"self.token = unique() local began = monotonic() return retry(function() "
         "if redis('SET', self.key, self.token, 'NX', 'PX', 30) == OK then return true "
         "end if monotonic() - began >= 4 then error('too late') end end)",
         test::kCompareAndDelete});
    lock.model.waits_ms = 4;
    CHECK(lock.judged(Property::waits) == Verdict::holds);
    lock.model.waits_ms = 3;
    CHECK(lock.judged(Property::waits) == Verdict::violated);
  }
}

TEST_CASE("a write that is late loses an update, or its own", "[interruptions]") {
  // The client has given up on it, and on the lock: another one reads and writes meanwhile.
  InlineLock lock(
      {"self.token = unique() "
       "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK",
       test::kCompareAndDelete});
  lock.model = test::with_fault(lock.model, sim::Fault::lose);
  CHECK(lock.judged(Property::no_lost_update) == Verdict::violated);
}

TEST_CASE("a critical section that is left at once is one all the same",
          "[interruptions][many-models]") {
  test::InlineLock lock({"return redis('PING') == 'PONG'", "return redis('PING') == 'PONG'"});
  for (auto& process : lock.model.processes)
    process.workload = {{sim::WorkStep::Kind::lock, 0, 0}, {sim::WorkStep::Kind::unlock, 0, 0}};
  CHECK(lock.judged(sim::Property::mutual_exclusion) == checker::Verdict::violated);
}

TEST_CASE("what comes late is of what it was sent for, wherever its client has got since",
          "[interruptions]") {
  // The SET of the first call is late, and comes into the second release(): a leftover of that, if
  // the call said that it had acquired, and none if it said no. The client is at one place then.
  const auto judged = [](const std::string& result) {
    InlineLock lock(
        {"self.round = (self.round or 0) + 1 if self.round > 1 then return true end "
         "pcall(redis, 'SET', self.key, 1) return " +
             result,
         "if self.round == 1 then return false end redis('DEL', self.key) return true"});
    lock.model.processes.resize(1);
    lock.model.processes[0].rounds = 2;
    lock.model = test::with_fault(lock.model, Fault::lose);
    return lock.judged(Property::reentrancy);
  };
  CHECK(judged("false") == Verdict::holds);
  CHECK(judged("true") == Verdict::violated);
  CHECK(judged("choose(2) == 1") == Verdict::violated);
  CHECK(judged("choose(2) == 2") == Verdict::violated);
  CHECK(judged("error('no answer', 0)") == Verdict::holds);
}

TEST_CASE("a client removes its own key by what was sent for a call that is over",
          "[interruptions]") {
  InlineLock lock({"return redis('SET', self.key, 1) == OK",
                   "return (pcall(redis, 'DEL', self.key))"});  // no claim where it is not answered
  lock.model.processes.resize(1);
  lock.model.processes[0].rounds = 2;
  CHECK(lock.judged(Property::reentrancy) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::lose);
  CHECK(lock.judged(Property::reentrancy) == Verdict::violated);
}
