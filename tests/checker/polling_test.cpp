// Requests that poll: what a client asks again and again in a loop lets time pass, what it asks
// twice does not, and nothing but a fault makes either late. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

const sim::WorkStep lock_of(std::uint8_t index) { return {sim::WorkStep::Kind::lock, index, 0}; }
const sim::WorkStep unlock_of(std::uint8_t i) { return {sim::WorkStep::Kind::unlock, i, 0}; }
const sim::WorkStep work_for(std::int64_t ms) { return {sim::WorkStep::Kind::work, 0, ms}; }

/// Takes the lock, and asks for it once more while it has it, with 5 ms to spare.
Verdict asking(const std::string& asks) {
  InlineLock lock(
      {"self.token = unique() "
       "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then "
       "return false end\n" +
           asks + "\nreturn true",
       test::kCompareAndDelete});
  lock.lasting(12, 7);
  return lock.judged(Property::mutual_exclusion);
}

const std::string kGet = "redis('GET', self.key)";

}  // namespace

TEST_CASE("what is asked a number of times is asked at one instant", "[polling]") {
  const auto asks = GENERATE(
      kGet + " " + kGet, "local v = " + kGet + " == " + kGet,
      "local function has() return " + kGet + " end has() has()",
      "local t = redis('TIME') local u = redis('TIME')", "for i = 1, 3 do " + kGet + " end",
      "for _, k in ipairs({1, 2, 3}) do " + kGet + " end",
      "while true do " + kGet + " break end " + kGet,
      "while not " + kGet + " do sleep(1) end repeat local got = " + kGet + " until got",
      "for i = 1, 2 do while " + kGet + " == 'x' do sleep(1) end end",
      kGet + " if self.again then goto done end " + kGet + " ::done::",
      "retry(function() " + kGet + " " + kGet + " return true end)",
      "local n = 0 while n < 2 do n = n + 1 " + kGet + " end",
      "local n = 0 repeat n = n + 1 redis('TIME') until n == 2",
      "local n = 0 ::again:: n = n + 1 " + kGet + " if n < 2 then goto again end",
      "local function ask(n) " + kGet + " if n > 1 then ask(n - 1) end end ask(2)",
      "local function ask(n) " + kGet + " if n > 1 then return ask(n - 1) end end ask(2)",
      "local n = 0 retry(function() n = n + 1 " + kGet + " return n == 2 end)",
      "self.n = 0 if true then return retry(function() self.n = self.n + 1 " + kGet +
          " return self.n == 3 end) end",
      "local n = 0 while n < 2 do n = n + 1 redis('PEXPIRE', self.key, self.ttl_ms) end");
  CAPTURE(asks);
  CHECK(asking(asks) == Verdict::holds);
}

TEST_CASE("who polls hears at once what leads it elsewhere", "[polling][many-models]") {
  // Each leaves the loop 2 ms after its SET, when 10 of 12 are left: A at 2, and B, whose SET comes
  // at 13 at the earliest, at 15.
  const auto poll = GENERATE(
      std::string("redis('PTTL', self.key) <= 10"),
      std::string("redis('GET', 'x') or redis('PTTL', self.key) < 11"),
      std::string("redis('EVAL', \"return redis.call('pttl', KEYS[1]) < 11 and 1 or 0\", 1, "
                  "self.key) == 1"),
      std::string("redis('SET', self.key, self.token, 'NX') or monotonic() - self.since >= 2"));
  InlineLock lock(
      {"self.token = unique() self.since = monotonic() "
       "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then "
       "return false end return retry(function() return " +
           poll + " end)",
       test::kCompareAndDelete});
  const auto judged = [&](std::int64_t work_ms) {
    lock.lasting(12, work_ms);
    return lock.judged(Property::mutual_exclusion);
  };
  CAPTURE(poll);
  CHECK(judged(12) == Verdict::holds);
  CHECK(judged(13) == Verdict::violated);
}

TEST_CASE("who polls with a new token each time waits until the key is gone",
          "[polling][many-models]") {
  InlineLock lock(
      {"return retry(function() self.token = unique() "
       "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK end)",
       test::kCompareAndDelete});
  const auto crash = static_cast<std::size_t>(sim::Fault::crash);
  for (auto& process : lock.model.processes) process.lease_ms = 12;
  lock.model.budget[crash] = 1;
  lock.model.waits_ms = 12;
  CHECK(lock.judged(Property::waits) == Verdict::violated);  // gone after 12 ms: found at 13
  lock.model.waits_ms = 13;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
}

TEST_CASE("who polls for what will never come is deadlocked", "[polling]") {
  // Nothing lies ahead in time that its rounds could keep from happening.
  InlineLock lock(
      {"self.token = unique() return retry(function() "
       "return redis('SETNX', self.key, self.token) == 1 end)",
       test::kCompareAndDelete});
  lock.model.processes[0].workload = {lock_of(0), lock_of(0), unlock_of(0), unlock_of(0)};
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
  lock.model.processes.pop_back();
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("a request that polls is no later than the network makes it", "[polling][many-models]") {
  const std::string poll =
      GENERATE(std::string("redis('EXISTS', 'gate') == 0"), std::string("not redis('GET', 'gate')"),
               std::string("redis('PTTL', 'gate') == -2"));
  InlineLock gate(
      {"if redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) ~= OK then return false end "
       "if self.key == 'gate' then return true end "
       "return retry(function() return " +
           poll + " end)",
       "return redis('DEL', self.key) == 1"});
  gate.model.processes.push_back(gate.model.processes[0]);
  const auto set = [&](std::int64_t gate_ms) {
    for (std::size_t p = 0; p < 3; ++p) {
      gate.model.processes[p].lock_keys = {p < 2 ? "a" : "gate"};
      gate.model.processes[p].workload = {lock_of(0), work_for(p < 2 ? 4 : gate_ms), unlock_of(0)};
    }
  };
  for (auto& process : gate.model.processes) process.lease_ms = 8;
  set(3);  // 3 + 4 of 8
  CHECK(gate.judged(Property::mutual_exclusion) == Verdict::holds);
  set(5);
  CHECK(gate.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("clients that change a node in tight loops let time pass", "[polling]") {
  InlineLock spin(
      {"return retry(function() if redis('INCR', self.key) == 1 then return true end "
       "redis('DECR', self.key) return false end)",
       "redis('DECR', self.key) return true"});
  for (auto& process : spin.model.processes)
    process.workload = {lock_of(0), work_for(3), unlock_of(0)};
  CHECK(spin.judged(Property::deadlock) == Verdict::holds);
  CHECK(spin.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("a tight loop that asks something else each time is named", "[polling][many-models]") {
  InlineLock endless(
      {"self.n = 0 return retry(function() self.n = self.n + 1 "
       "return redis('SETNX', self.key .. self.n, 1) == 2 end)",
       "return true"});
  endless.model.processes.resize(1);
  checker::Bounds bounds;
  bounds.max_states = 1000;
  const checker::Result result = checker::explore(endless.model, bounds);
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.why_inconclusive.find("; A takes ") != std::string::npos);
}

TEST_CASE("a loop that asks something else each time is named where a search finds no end",
          "[polling]") {
  InlineLock lock(
      {"self.n = 0 return retry(function() self.n = self.n + 1 self.token = 't' .. self.n "
       "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK end)",
       test::kCompareAndDelete});
  const auto result = checker::explore(lock.model, {.max_states = 10'000});
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK_THAT(result.why_inconclusive,
             Catch::Contains("while no time passes: a loop that asks something else each time"));
}
