// Threads of one process: switches at accesses to what they share, and one connection for all of
// them. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::Bodies;
using test::InlineLock;

/// One client with two threads, or two with one more; leases of 6 ms, work of 2 ms.
void with_threads(InlineLock& lock, std::size_t clients, int preemptions) {
  lock.model.processes.resize(clients);
  lock.lasting(6, 2);
  lock.model.processes.front().threads = 2;
  lock.model.budget[static_cast<std::size_t>(Fault::preempt)] =
      static_cast<std::uint8_t>(preemptions);
}

/// Its mutual exclusion, which holds without one.
void check_that_a_switch_breaks(InlineLock& lock) {
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.budget[static_cast<std::size_t>(Fault::preempt)] = 1;
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

/// The key is the client's; a flag keeps its threads apart.
const Bodies kFlag{
    "if self.busy then return false end self.busy = true "
    "if redis('GET', self.key) then self.busy = nil return false end "
    "redis('SET', self.key, 1) return true",
    "redis('DEL', self.key) self.busy = nil return true"};
/// How often the client holds the lock: what is read is written back one more.
const Bodies kCount{
    "self.tries = (self.tries or 0) + 1 "
    "if self.tries > 1 then self.tries = self.tries - 1 return false end "
    "redis('SET', self.key, 1) return true",
    "redis('DEL', self.key) self.tries = self.tries - 1 return true"};
/// The same, in a table that the object holds, by an index.
const Bodies kNested{
    "local all = self.all or { 0 } self.all = all all[1] = all[1] + 1 "
    "if all[1] > 1 then all[1] = all[1] - 1 return false end "
    "redis('SET', self.key, 1) return true",
    "redis('DEL', self.key) self.all[1] = self.all[1] - 1 return true"};
/// Who goes through the flags while the other one sets them sees some of before, some of after.
const Bodies kRounds{
    "self.flags = self.flags or { 1, 1 } local flags, sum = self.flags, 0 "
    "for _, flag in ipairs(flags) do sum = sum + flag end flags[1], flags[2] = 2, 2 "
    "return redis('SET', self.key, 1, 'NX') == OK or sum == 3",
    "redis('DEL', self.key) return true"};
/// The same, where the loop does not name its table.
const Bodies kOwnRounds{
    "self.flags = self.flags or { 1, 1 } local sum = 0 "
    "for _, flag in ipairs(self.flags) do sum = sum + flag end "
    "local flags = self.flags flags[1], flags[2] = 2, 2 "
    "return redis('SET', self.key, 1, 'NX') == OK or sum == 3",
    "redis('DEL', self.key) return true"};

}  // namespace

TEST_CASE("threads switch at any access, as often as they are allowed to", "[threads]") {
  const Bodies bodies = GENERATE(kFlag, kCount, kNested, kRounds, kOwnRounds);
  InlineLock lock(bodies);
  with_threads(lock, 1, 0);
  check_that_a_switch_breaks(lock);
}

TEST_CASE("tasks switch at a variable that both have captured", "[threads][many-models]") {
  InlineLock lock(
      {"local busy, first, second "
       "local one = spawn(function() if not busy then busy = true first = true end end) "
       "local other = spawn(function() if not busy then busy = true second = true end end) "
       "await(one) await(other) if first and second then return true end "
       "return redis('SET', self.key, 1, 'NX') == OK",
       "redis('DEL', self.key) return true"});
  with_threads(lock, 2, 0);
  lock.model.processes.front().threads = 1;
  check_that_a_switch_breaks(lock);
}

TEST_CASE("threads switch in a function that the process has kept", "[threads]") {
  const std::string acquire = GENERATE(
      // Goes round again when both have waited.
      "local round = 0 return retry(function() round = round + 1 if round == 1 then return false "
      "end if self.held then return false end self.held = true return true end, 3)",
      // Made in the round before.
      "if not self.try then self.try = function() if self.held then return false end self.held = "
      "true return true end return false end return self.try()");
  InlineLock lock({acquire, "self.held = false return true"});
  with_threads(lock, 1, 0);
  lock.model.processes.front().rounds = 2;
  check_that_a_switch_breaks(lock);
}

TEST_CASE("a task switches to one that the same step has spawned", "[threads]") {
  InlineLock lock(
      {"self.count = 0 local one = spawn(function() self.count = self.count + 1 end) "
       "self.count = self.count + 1 await(one) "
       "return self.count == 1 or redis('SET', self.key, 1, 'NX') == OK",
       "redis('DEL', self.key) return true"});
  with_threads(lock, 2, 0);
  lock.model.processes.front().threads = 1;
  check_that_a_switch_breaks(lock);
}

TEST_CASE("who is paused at a look at the clock goes on before another thread of the process",
          "[threads]") {
  InlineLock lock(
      {"if self.held then return false end local t = now() self.held = true return true",
       "self.held = false return true"});
  with_threads(lock, 1, 0);
  lock.model = test::with_fault(lock.model, Fault::pause);
  lock.model.properties = {Property::mutual_exclusion};
  CHECK(checker::explore(lock.model, {}).verdict != Verdict::violated);
  lock.model.budget[static_cast<std::size_t>(Fault::preempt)] = 1;
  CHECK(checker::explore(lock.model, {}).verdict == Verdict::violated);
}

TEST_CASE("threads that share nothing may switch wherever they like",
          "[threads][many-models][long-models]") {
  InlineLock lock(
      {"local mine = task_local() mine.token = unique() "
       "return redis('SET', self.key, mine.token, 'NX', 'PX', self.ttl_ms) == OK",
       "local mine = task_local() "
       "return redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
       " return redis.call('del', KEYS[1]) end return 0\", 1, self.key, mine.token) == 1"});
  with_threads(lock, 2, 1);
  for (const auto property : {Property::mutual_exclusion, Property::foreign_release})
    CHECK(lock.judged(property) == Verdict::holds);
}

TEST_CASE("a switch beside a pause and a crash", "[threads][many-models]") {
  InlineLock lock(GENERATE(kFlag, kNested));
  with_threads(lock, 1, 1);
  lock.model =
      test::with_fault(lock.model, GENERATE(Fault::pause, Fault::crash, Fault::lose, Fault::delay));
  for (const auto property : {Property::mutual_exclusion, Property::deadlock})
    lock.judged(property);
}

TEST_CASE("a transaction is its connection's", "[threads]") {
  const std::string take =
      "local token = unique() "
      "if redis('SET', self.key, token, 'NX', 'PX', self.ttl_ms) ~= OK then return false end "
      "self.token = token return true";
  const std::string release =
      "redis('MULTI') redis('DEL', self.key) local all = redis('EXEC') "
      "return all ~= nil and all[1] == 1";
  InlineLock own({take, release});
  with_threads(own, 1, 0);
  own.model.processes.front().lease_ms = 60;
  CHECK(own.judged(Property::honest_result) == Verdict::holds);
  InlineLock shared({take, release}, ", shared_connection = true");
  with_threads(shared, 1, 0);
  shared.model.processes.front().lease_ms = 60;
  CHECK(shared.judged(Property::honest_result) == Verdict::violated);
}

TEST_CASE("one connection beside faults, timeouts and latency",
          "[threads][many-models][long-models]") {
  const std::string once = "return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK";
  const std::string watched =
      "redis('WATCH', self.key) if redis('EXISTS', self.key) == 1 then redis('UNWATCH') return "
      "false "
      "end redis('MULTI') redis('SET', self.key, 1, 'PX', self.ttl_ms) return redis('EXEC') ~= nil";
  const bool in_transaction = GENERATE(false, true);
  InlineLock lock({in_transaction ? watched : once, "return redis('DEL', self.key) == 1"},
                  ", shared_connection = true");
  const auto fault =
      GENERATE(Fault::delay, Fault::lose, Fault::crash, Fault::node_crash, Fault::pause);
  const std::int64_t timeout_ms = fault == Fault::delay ? 2 : 0;
  with_threads(lock, 1, 0);
  lock.model.request_timeout_ms = timeout_ms;
  lock.model.latency_ms = fault == Fault::pause ? 1 : 0;
  lock.model = test::with_fault(lock.model, fault);
  for (const auto property :
       {Property::mutual_exclusion, Property::honest_result, Property::deadlock})
    lock.judged(property);
}

TEST_CASE("a task that has given up on a shared connection", "[threads]") {
  // Its late reply is heard by nobody; the other task's comes behind it.
  InlineLock lock({"local waits = every(1, function() pcall(call, { timeout_ms = 1, 'GET', 'x' }) "
                   "return false end) "
                   "local got = redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK "
                   "stop(waits) return got",
                   "return redis('DEL', self.key) == 1"},
                  ", shared_connection = true");
  with_threads(lock, 2, 0);
  lock.model.processes.front().threads = 1;
  lock.model = test::with_fault(lock.model, Fault::delay);
  for (const auto property : {Property::mutual_exclusion, Property::deadlock})
    lock.judged(property);
}

TEST_CASE("a thread that has nothing to do is on no key", "[threads]") {
  // What the other one leaves behind is its own leftover, although both share the object.
  InlineLock lock(
      {"return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK", "return true"});
  with_threads(lock, 1, 0);
  CHECK(lock.judged(Property::reentrancy) == Verdict::violated);
}

TEST_CASE("who never had a key of the lock has nothing taken by its other thread", "[threads]") {
  // The first one to come asks nobody. The second one makes the key, and removes it.
  InlineLock lock(
      {"if not self.begun then self.begun = true return true end task_local().asked = true "
       "return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
       "return not task_local().asked or redis('DEL', self.key) == 1"});
  with_threads(lock, 1, 0);
  CHECK(lock.judged(Property::reentrancy) == Verdict::holds);
}

TEST_CASE("what a spawned task still takes away is no leak", "[threads]") {
  const auto judged = [](const std::string& then) {
    InlineLock lock(
        {"return redis('SETNX', self.key, 1) == 1",
         "local key = self.key spawn(function() sleep(5) " + then + " end) return true"});
    lock.model.processes.resize(1);
    return lock.judged(Property::leak);
  };
  CHECK(judged("redis('DEL', key)") == Verdict::holds);
  CHECK(judged("redis('GET', key)") == Verdict::violated);
}

TEST_CASE("a spawned task that waits for ever does nothing: it leaks nothing", "[threads]") {
  // The heart beats once: so that there is a loop, and what goes on for ever is looked for.
  InlineLock lock(
      {"self.mutex = mutex() self.mutex:lock() "
       "spawn(function() self.mutex:lock() end) "
       "every(1, function() return false end) "
       "return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
       "return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  CHECK(lock.judged(Property::leak) == Verdict::holds);
}
