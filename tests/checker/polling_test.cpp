// Requests that poll: what a client asks again and again in a loop lets time pass, what it asks
// twice does not, and nothing but a fault makes either late. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>

#include "sim/client/loops.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

constexpr sim::WorkStep lock_of(std::uint8_t index) {
  return {sim::WorkStep::Kind::lock, index, 0};
}
constexpr sim::WorkStep unlock_of(std::uint8_t i) { return {sim::WorkStep::Kind::unlock, i, 0}; }
constexpr sim::WorkStep work_for(std::int64_t ms) { return {sim::WorkStep::Kind::work, 0, ms}; }

/// Takes the lock, and asks for it once more while it has it, with 5 ms to spare.
Verdict asking(const std::string& asks) {
  InlineLock lock(
      {"self.token = unique() "
       "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then "
       "return false end\n" +
           asks + "\nreturn true",
       test::kCompareAndDelete});
  for (auto& process : lock.model.processes) {
    process.lease_ms = 12;
    process.workload[1].ms = 7;
  }
  return lock.judged(Property::mutual_exclusion);
}

const std::string kGet = "redis('GET', self.key)";

}  // namespace

TEST_CASE("what straight code, or a for, asks twice it asks at one instant", "[polling]") {
  const auto asks = GENERATE(
      kGet + " " + kGet, "local v = " + kGet + " == " + kGet,
      "local function has() return " + kGet + " end has() has()",
      "local t = redis('TIME') local u = redis('TIME')", "for i = 1, 3 do " + kGet + " end",
      "for _, k in ipairs({1, 2, 3}) do " + kGet + " end",
      "while true do " + kGet + " break end " + kGet,
      "while not " + kGet + " do sleep(1) end repeat local got = " + kGet + " until got",
      "for i = 1, 2 do while " + kGet + " == 'x' do sleep(1) end end",
      kGet + " if self.again then goto done end " + kGet + " ::done::",
      "retry(function() " + kGet + " " + kGet + " return true end)");
  CAPTURE(asks);
  CHECK(asking(asks) == Verdict::holds);
}

TEST_CASE("what a loop brings back is heard at any time", "[polling]") {
  const auto asks =
      GENERATE("local n = 0 while n < 2 do n = n + 1 " + kGet + " end",
               "local n = 0 repeat n = n + 1 redis('TIME') until n == 2",
               "local n = 0 ::again:: n = n + 1 " + kGet + " if n < 2 then goto again end",
               "local function ask(n) " + kGet + " if n > 1 then ask(n - 1) end end ask(2)",
               "local function ask(n) " + kGet + " if n > 1 then return ask(n - 1) end end ask(2)",
               "local n = 0 retry(function() n = n + 1 " + kGet + " return n == 2 end)",
               "local n = 0 while n < 2 do n = n + 1 for i = 1, 2 do " + kGet + " end end");
  CAPTURE(asks);
  CHECK(asking(asks) == Verdict::violated);
}

TEST_CASE("the rounds of loops are marked where they begin", "[polling]") {
  const auto marked = [](const char* text) { return sim::program::with_marked_loops(text); };
  CHECK(marked("while a or b do c() end") ==
        "lockstep_begins(1) while lockstep_round(1) and  a or b do c() end");
  CHECK(marked("x = y repeat (f)() until x") ==
        "x = y lockstep_begins(1) repeat lockstep_round(1);  (f)() until x");
  CHECK(marked("::a:: b() goto a") == "::a:: b() lockstep_round(0) goto a");
  CHECK(marked("do goto a end b() ::a::") == "do goto a end b() ::a::");
  CHECK(marked("function L:go(n) if n then return self:go() end end") ==
        "function L:go(n) if n then lockstep_round(0) return self:go() end end");
  const std::string other =
      "local function go() while_() end function L:on() return go() end -- while\n"
      "local s = 'repeat' for i = 1, 2 do s = t.x end return { go = 1 }";
  CHECK(marked(other.c_str()) == other);
}

TEST_CASE("who asks again hears it at every point of time, not at the first one alone",
          "[polling]") {
  // The second PTTL may say 8 for the last time 3 ms after the SET; then it works for 6.
  InlineLock lock(
      {"local mine, n, left = redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK, 0 "
       "while n < 2 do n, left = n + 1, redis('PTTL', self.key) end "
       "return mine and left >= 8",
       "redis('DEL', self.key) return true"});
  lock.model.processes.pop_back();
  lock.model.processes[0].lease_ms = 11;
  lock.model.processes[0].workload[1].ms = 6;
  lock.model.properties = {Property::mutual_exclusion};
  checker::Result result = checker::explore(lock.model, {});
  checker::settle_slack(lock.model, result, {}, {});
  CHECK(result.slack.least_ms == 2);
  CHECK(checker::explore_naively(lock.model, {}, {}, checker::naive::Memory::boundary)
            .slack.least_ms == 2);
}

TEST_CASE("a request that polls is no later than the network makes it", "[polling]") {
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

TEST_CASE("a tight loop that asks something else each time is named", "[polling]") {
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
