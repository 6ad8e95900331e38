// Clocks that are fast or slow: what a lease, a timer and a clock reading are worth then, argued by
// hand, and that both explorers see the same. (On random locks: random_test.cpp.)
#include <catch2/catch.hpp>
#include <string>

#include "sim/base/rate.hpp"
#include "sim/keyspace/expiry.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;
using test::kCompareAndDelete;
using Ppm = std::vector<std::int64_t>;

/// Both clients lock, stay so long by their own clock, unlock; one message may be late.
void set_drift_times(InlineLock& lock, std::int64_t lease_ms, std::int64_t stays_ms) {
  for (auto& process : lock.model.processes) {
    process.lease_ms = lease_ms;
    process.workload[1] = {sim::WorkStep::Kind::sleep, 0, stays_ms};
  }
  lock.model.budget[static_cast<std::size_t>(Fault::delay)] = 1;
}

const std::string kSetIt =
    "self.token = unique() local start = monotonic() "
    "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then return false end ";

checker::Result engine_alone(const InlineLock& lock) {
  sim::Model model = lock.model;
  model.properties = {Property::mutual_exclusion};
  return checker::explore(model, {});
}

}  // namespace

TEST_CASE("whole milliseconds of a clock and of true time", "[drift]") {
  // 9000 ms of a clock that is fast by 1 ppm are 8999.991 true ones, of a slow one 9000.009.
  CHECK(sim::Rate(1).true_ms(9000) == 9000);
  CHECK(sim::Rate(-1).true_ms(9000) == 9001);
  CHECK(sim::Rate(-2000).true_ms(9990) == 10011);  // 10010.02...
  CHECK(sim::Rate(200'000).true_ms(12) == 10);
  CHECK(sim::Rate(200'000).true_ms(13) == 11);  // 10.83...
  CHECK(sim::Rate(-500'000).true_ms(7) == 14);
  CHECK(sim::Rate(0).true_ms(7) == 7);
  // A fast clock's second ms is over after 1.66... ms: at 2 it shows 2.4.
  constexpr sim::Rate fast(200'000);
  sim::Expiry left(sim::kEpoch + sim::Duration{10});
  for (int i = 0; i < 2; ++i) left = left.moved(-fast.shown_after(1), fast.parts());
  CHECK(left == sim::kEpoch + sim::Duration{8});  // 7.6, rounded up
  CHECK(left.moved(fast.shown_after(2), fast.parts()) ==
        sim::Expiry(sim::kEpoch + sim::Duration{10}));
  // In one step or in many, it is the same.
  sim::Expiry once(sim::kEpoch);
  CHECK(once.moved(-fast.shown_after(7), fast.parts()) ==
        once.moved(-fast.shown_after(3), fast.parts()).moved(-fast.shown_after(4), fast.parts()));
}

TEST_CASE("a lease counted by the client's own clock", "[drift][many-models]") {
  // Believed while less than 8 of 10 ms have passed; 1 ms more by the client's clock, and gone.
  InlineLock lock({kSetIt + "return monotonic() - start < 8", kCompareAndDelete});
  set_drift_times(lock, 10, 1);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  // 10% slow: its 8th ms ends after 8.88... ms: it goes in until 8, stays until 10. Gone at 11.
  lock.model.drifts_ppm = {-100'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  // 20% slow: the 8th ends after 10 ms, it goes in until 9, stays until 11.
  lock.model.drifts_ppm = {-200'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  lock.model.drifts_ppm = {0, -200'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  // Fast: it goes in until 7 and stays until 8 at most.
  lock.model.drifts_ppm = {200'000, 500'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("a lease on a node whose clock is fast", "[drift][many-models]") {
  InlineLock lock({kSetIt + "return monotonic() - start < 8", kCompareAndDelete});
  set_drift_times(lock, 10, 1);
  // The key is gone once 11 ms are shown: after 10 ms with 10%, after 9 (8.8) with 25%, after 8
  // with 37.5%. A client stays until 8 at most.
  lock.model.node_drifts_ppm = {250'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.node_drifts_ppm = {375'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  // Both by as much: nobody can tell, but for what is lost where milliseconds end.
  lock.model.drifts_ppm = {375'000, 375'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("a right node's lease is exact where another node's clock is fast", "[drift]") {
  // Both nodes have to say OK. Node 2's lease of 10 ms is over with the 11th.
  InlineLock lock({"self.token = unique() local taken = 0 for node = 1, 2 do "
                   "if call({ node = node, 'SET', self.key, self.token, 'NX', 'PX', self.ttl_ms })"
                   " == OK then taken = taken + 1 end end return taken == 2",
                   "for node = 1, 2 do call({ node = node, 'DEL', self.key }) end return true"},
                  ", nodes = 2, quorum = 2");
  for (auto& process : lock.model.processes) process.nodes = 2;
  lock.model.node_drifts_ppm = {100'000, 0};
  for (const auto part : {sim::PartOfMs::none, sim::PartOfMs::off_leases, sim::PartOfMs::onto_ages,
                          sim::PartOfMs::off_timers}) {
    lock.model.part_of_ms = part;
    lock.lasting(10, 10);
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
    lock.lasting(10, 11);
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  }
  // Where a client's clock drifts, what it measures may begin in the middle of the node's ms.
  lock.lasting(10, 10).model.drifts_ppm = {100'000};
  lock.model.part_of_ms = sim::PartOfMs::off_leases;
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a part of a millisecond more or less", "[drift][many-models]") {
  InlineLock lock({kSetIt + "return monotonic() - start < 8", kCompareAndDelete});
  set_drift_times(lock, 10, 1);
  // It stays until 8 at most, when 10.4 ms are shown: gone at 11, or with less luck before.
  lock.model.node_drifts_ppm = {300'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.part_of_ms = sim::PartOfMs::off_leases;
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  // 9.2 ms are shown.
  lock.model.node_drifts_ppm = {150'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);

  // Who takes over what it has seen for 12 ms of a clock that is fast by 10% sees it for 11 true
  // ones (10.9), or for 10 where it looked at the end of one. A holder stays for 10.
  InlineLock taken(
      {"local began = monotonic() "
       "while redis('SET', self.key, 1, 'NX') ~= OK do "
       "if monotonic() - began >= 12 then break end sleep(1) end return true",
       "redis('DEL', self.key) return true"});
  taken.model.processes.resize(2);
  set_drift_times(taken, 10, 10);
  taken.model.budget = {};
  taken.model.drifts_ppm = {100'000, 100'000};
  CHECK(taken.judged(Property::mutual_exclusion) == Verdict::inconclusive);  // for many sleeps
  taken.model.part_of_ms = sim::PartOfMs::onto_ages;
  CHECK(taken.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a watchdog that renews by its own clock", "[drift]") {
  // Every third of a lease of 12 ms; B only looks.
  InlineLock lock({kSetIt + "self.dog = every(self.ttl_ms // 3, function() "
                            "redis('PEXPIRE', self.key, self.ttl_ms) end) return true",
                   "stop(self.dog) " + kCompareAndDelete});
  set_drift_times(lock, 12, 20);
  lock.model.budget = {};
  // At half the speed every 8 ms; the node's 13 ms are over after 9 if it is fast by half.
  lock.model.drifts_ppm = {-500'000, -500'000};
  lock.model.node_drifts_ppm = {500'000};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  // Every half: 12 ms of true time for a lease of 12 that is over after 9.
  InlineLock late({kSetIt + "self.dog = every(self.ttl_ms // 2, function() "
                            "redis('PEXPIRE', self.key, self.ttl_ms) end) return true",
                   "stop(self.dog) " + kCompareAndDelete});
  set_drift_times(late, 12, 20);
  late.model.budget = {};
  late.model.drifts_ppm = {-500'000};
  CHECK(late.judged(Property::mutual_exclusion) == Verdict::holds);  // gone at 13
  late.model.node_drifts_ppm = {500'000};
  CHECK(late.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a clock that drifts and jumps", "[drift][many-models][long-models]") {
  InlineLock lock({kSetIt + "local left = redis('PTTL', self.key) return left > 3 and left < 9",
                   kCompareAndDelete});
  set_drift_times(lock, 10, 2);
  lock.model.budget[static_cast<std::size_t>(Fault::jump)] = 1;
  lock.model.jumps_ms = {3, -4};
  const Ppm drift = GENERATE(Ppm{0, 0}, Ppm{-300'000, 0}, Ppm{0, 500'000}, Ppm{250'000, -250'000});
  lock.model.drifts_ppm = {drift[0]};
  lock.model.node_drifts_ppm = {drift[1]};
  lock.judged(Property::mutual_exclusion);
  lock.judged(Property::foreign_release);
}

TEST_CASE("what is not shown of clocks that drift is not claimed", "[drift]") {
  const std::string body = GENERATE(
      // a sum of two measured times
      std::string(
          "local took = monotonic() - start redis('GET', self.key) local then_ = monotonic() "
          "redis('GET', self.key) return took + (monotonic() - then_) < 2"),
      // what is left of a wait
      std::string("sleep(math.max(1, 5 - (monotonic() - start))) return true"),
      // a lifetime from a clock
      std::string("redis('PEXPIRE', self.key, 10 - (monotonic() - start)) return true"),
      // absolute time
      std::string("return millis(now()) > 0"));
  INFO(body);
  InlineLock lock({kSetIt + body, "redis('DEL', self.key) return true"});
  set_drift_times(lock, 30, 1);
  lock.model.budget = {};
  CHECK(engine_alone(lock).verdict == Verdict::holds);
  lock.model.drifts_ppm = {1000};
  const auto result = engine_alone(lock);
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.why_inconclusive.find("clocks drift") != std::string::npos);
  CHECK(!result.time_gap.empty());
}

TEST_CASE("waits that are no whole ms add up on every way to where a client is", "[drift]") {
  // By a clock that shows 5 ms in 4 ms, both pauses last 4 ms: what is over of them differs.
  const auto judged = [](const std::string& one, const std::string& other) {
    InlineLock lock({"return retry(function() if choose(2) == 1 then sleep(" + one +
                         ") else sleep(" + other +
                         ") end return redis('SET', self.key, 1, 'NX') == OK end)",
                     "return redis('DEL', self.key) == 1"});
    lock.model.drifts_ppm = {250'000, 250'000};
    return engine_alone(lock);
  };
  CHECK(judged("5", "5").verdict == Verdict::holds);
  const auto often = judged("5", "4");
  CHECK(often.verdict == Verdict::inconclusive);
  CHECK(often.why_inconclusive.find("add up over several waits") != std::string::npos);
}

TEST_CASE("the time of day on clocks that drift", "[drift]") {
  // Whoever sees the node's clock 3 ms ahead of its own goes in without asking.
  InlineLock lock(
      {"sleep(30) local node = redis('EVAL', \"local t = redis.call('TIME') "
       "return t[1] * 1000 + math.floor(t[2] / 1000)\", 0) return node >= millis(now()) + 3",
       "return true"});
  set_drift_times(lock, 30, 5);
  lock.model.budget = {};
  CHECK(engine_alone(lock).verdict == Verdict::holds);
  lock.model.node_drifts_ppm = {100'000};
  const auto result = engine_alone(lock);
  CHECK(result.verdict == Verdict::violated);
  CHECK(checker::tell(lock.model, result.schedule).steps.size() == result.schedule.size());
  lock.model.node_drifts_ppm = {-100'000};  // behind, as far as it was tried
  CHECK(engine_alone(lock).verdict == Verdict::inconclusive);
}

TEST_CASE("an absolute time that is rounded, on clocks that drift",
          "[drift][many-models][long-models]") {
  // EXAT 3 s after a whole second leaves 2.001 s or more; read by a client, or by a script that is
  // sent the time.
  const std::string acquire = GENERATE(
      std::string(
          "return redis('SET', self.key, 1, 'NX', 'EXAT', millis(now()) // 1000 + 3) == OK"),
      std::string("return redis('EVAL', \"local ends = redis.call('get', KEYS[1]) if ends and "
                  "tonumber(ends) > tonumber(ARGV[1]) then return 0 end redis.call('set', KEYS[1], "
                  "ARGV[1] + 3) return 1\", 1, self.key, millis(now()) // 1000) == 1"));
  INFO(acquire);
  InlineLock lock({acquire, "return true"});
  for (auto& process : lock.model.processes) {
    process.lease_ms = 3000;
    process.workload[1] = {sim::WorkStep::Kind::work, 0, 2500};
  }
  for (const Ppm& drift : {Ppm{0, 0}, Ppm{100, -100}, Ppm{-20'000, 50}}) {
    lock.model.drifts_ppm = {drift[0]};
    lock.model.node_drifts_ppm = {drift[1]};
    lock.model.processes[0].workload[1].ms = lock.model.processes[1].workload[1].ms = 2500;
    const auto found = engine_alone(lock);
    REQUIRE(found.verdict == Verdict::violated);
    lock.model.properties = {Property::mutual_exclusion};
    CHECK(checker::tell(lock.model, found.schedule).violated == Property::mutual_exclusion);
    lock.model.processes[0].workload[1].ms = lock.model.processes[1].workload[1].ms = 1500;
    const bool right = drift[0] == 0 && drift[1] == 0;
    CHECK(engine_alone(lock).verdict == (right ? Verdict::holds : Verdict::inconclusive));
  }
}

TEST_CASE("how long a client waits whose own clock is slow", "[drift]") {
  // It asks every 4 ms of its clock, and has to wait for 10 ms of another one's work: refused for
  // the last time as that ends, it is let in at the next attempt.
  InlineLock lock(
      {"return retry(function() if redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) "
       "== OK then return true end sleep(4) return false end)",
       "redis('DEL', self.key) return true"});
  lock.model.budget = {};
  const auto longest = [&](std::int64_t ms, Verdict with_no_less = Verdict::holds) {
    lock.model.waits_ms = ms;
    CHECK(lock.judged(Property::waits) == with_no_less);
    lock.model.waits_ms = ms - 1;
    CHECK(lock.judged(Property::waits) == Verdict::violated);
  };
  longest(12);
  lock.model.drifts_ppm = {-500'000, -500'000};
  longest(16);
  lock.model.drifts_ppm = {500'000, 500'000};  // every 3 ms; really every 2 2/3
  longest(12, Verdict::inconclusive);
}

TEST_CASE("messages that take time, and clocks that drift", "[drift]") {
  InlineLock lock({kSetIt + "return monotonic() - start < 8", kCompareAndDelete});
  set_drift_times(lock, 10, 1);
  lock.model.budget = {};
  lock.model.latency_ms = 2;
  const Ppm drift = GENERATE(Ppm{0, 0}, Ppm{-300'000, 0}, Ppm{0, 500'000}, Ppm{-100'000, 250'000});
  lock.model.drifts_ppm = {drift[0], drift[0]};
  lock.model.node_drifts_ppm = {drift[1]};
  lock.judged(Property::mutual_exclusion);
}

TEST_CASE("what two keys have left, on a clock that drifts", "[drift]") {
  InlineLock lock({kSetIt + "redis('SET', 'other', 1, 'PX', 20) return redis('EVAL', \"if "
                            "redis.call('pttl', KEYS[1]) > 3 and redis.call('pttl', KEYS[2]) > 3 "
                            "then return 1 end return 0\", 2, self.key, 'other') == 1",
                   kCompareAndDelete});
  set_drift_times(lock, 10, 1);
  lock.model.budget = {};
  lock.model.server = sim::ServerVersion::redis_7_2;  // where the clock stands still in a script
  CHECK(engine_alone(lock).verdict == Verdict::holds);
  lock.model.node_drifts_ppm = {1000};
  CHECK(engine_alone(lock).verdict == Verdict::inconclusive);
}
