// Nobody waits for longer than is claimed: how long that is at most, argued by hand, and found by
// both explorers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

#include "checker/explorer.hpp"
#include "checker/trace/trace.hpp"
#include "sim/base/token.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

/// Asks again every `ms`.
test::Bodies retrying(int ms) {
  return {
      "self.token = unique() return retry(function() return redis('SET', self.key, self.token, "
      "'NX', 'PX', self.ttl_ms) == OK end, " +
          std::to_string(ms) + ")",
      test::kCompareAndDelete};
}

/// Both explorers find that nobody waits for longer than `most_ms`, and that somebody does so long.
void check_longest(InlineLock& lock, std::int64_t most_ms) {
  INFO("longest wait " << most_ms);
  lock.model.waits_ms = most_ms;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
  lock.model.waits_ms = most_ms - 1;
  CHECK(lock.judged(Property::waits) == Verdict::violated);
}

}  // namespace

TEST_CASE("who asks again waits for the work, and for the next try", "[waits][many-models]") {
  // A's work of 10 ms ends between the third try, 8 ms after the first, and the fourth.
  InlineLock four(retrying(4));
  check_longest(four, 12);
  // A try at the very instant at which A releases may come before that.
  InlineLock five(retrying(5));
  check_longest(five, 15);
  InlineLock one(retrying(1));
  check_longest(one, 11);
}

TEST_CASE("a holder that crashes makes the next one wait for its lease", "[waits][many-models]") {
  // 30 ms after the SET the key is still there, for whoever asks at that instant.
  InlineLock lock(retrying(7));
  lock.model = test::with_fault(lock.model, Fault::crash);
  check_longest(lock, 35);
  InlineLock in_step(retrying(5));
  in_step.model = test::with_fault(in_step.model, Fault::crash);
  check_longest(in_step, 35);
}

TEST_CASE("a holder that pauses makes others wait, a pause of one's own does not count",
          "[waits][many-models]") {
  // As after a crash: the lease of A ends while it is paused.
  InlineLock lock(retrying(5));
  lock.model = test::with_fault(lock.model, Fault::pause);
  check_longest(lock, 35);
  // Alone, nobody waits, however long it stands still in its acquire().
  lock.model.processes.resize(1);
  lock.model.waits_ms = 1;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
}

TEST_CASE("who has paused in its acquire() has waited since then only", "[waits]") {
  // Only who sees on its clock that it has paused sleeps once more: 3 and 4 ms after a pause that
  // begins with the look.
  InlineLock lock(
      {"sleep(2) local began = monotonic() sleep(3) if monotonic() - began > 8 then sleep(4) end "
       "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK",
       "return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  lock.model = test::with_fault(lock.model, Fault::pause);
  check_longest(lock, 7);
}

TEST_CASE("who comes back at once lets the others starve", "[waits][many-models]") {
  // A releases just after a try of B, and begins its next round just before the next one: 15 ms
  // each.
  InlineLock lock(retrying(5));
  lock.model.processes[0].rounds = 3;
  check_longest(lock, 45);
}

TEST_CASE("the steps in which somebody starves are shown, and may come again and again",
          "[waits]") {
  InlineLock lock(retrying(5));
  lock.model.processes[0].rounds = 0;
  lock.model.properties = {Property::progress};
  const checker::Result found = checker::explore(lock.model, {});
  REQUIRE(found.verdict == Verdict::violated);
  REQUIRE(found.loop);
  CHECK(sim::process_name(found.loop->process) == "B");
  CHECK(test::comes_again(lock.model, found));
  // B tries in vain, and A works, in each round of it.
  const checker::Trace told = checker::tell(lock.model, found.schedule);
  const auto within = told.steps.begin() + static_cast<std::ptrdiff_t>(found.loop->from);
  for (const int process : {0, 1})
    CHECK(std::any_of(within, told.steps.end(), [&](const checker::TraceStep& step) {
      return step.data.action.process == process &&
             step.data.action.kind == sim::Action::Kind::execute;
    }));
}

TEST_CASE("who gives up at once never waits, and a message that is held back makes wait for ever",
          "[waits][many-models]") {
  InlineLock lock(
      {"self.token = unique() return redis('SET', self.key, self.token, 'NX', 'PX', "
       "self.ttl_ms) == OK",
       test::kCompareAndDelete});
  lock.model.waits_ms = 1;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::delay);
  lock.model.waits_ms = 1000;
  CHECK(lock.judged(Property::waits) == Verdict::violated);
  lock.model.request_timeout_ms = 20;  // a request that nobody answers is given up, with an error
  lock.model.waits_ms = 20;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
  lock.model.waits_ms = 19;
  CHECK(lock.judged(Property::waits) == Verdict::violated);
}

TEST_CASE("each message of a try takes its time", "[waits]") {
  // 2 ms there and 2 ms back, and nobody else. The second acquire() begins a wait of its own.
  InlineLock lock(retrying(5));
  lock.model.processes.resize(1);
  lock.model.processes[0].rounds = 2;
  lock.model.latency_ms = 2;
  check_longest(lock, 4);
}

TEST_CASE("threads wait for each other as clients do", "[waits][many-models]") {
  InlineLock threads(
      {"local mine = task_local() mine.token = unique() return retry(function() "
       "return redis('SET', self.key, mine.token, 'NX', 'PX', self.ttl_ms) == OK "
       "end, 5)",
       "self.token = task_local().token " + test::kCompareAndDelete});
  threads.model.processes.resize(1);
  threads.model.processes[0].threads = 2;
  check_longest(threads, 15);
}

TEST_CASE("absolute times change nothing in how long somebody waits", "[waits][many-models]") {
  // The value is a timestamp: the whole run is absolute.
  const std::string acquire =
      "self.token = tostring(millis(now())) return retry(function() return redis('SET', self.key, "
      "self.token, 'NX', 'PX', self.ttl_ms) == OK end, 5)";
  InlineLock lock({acquire, "return redis('DEL', self.key) == 1"});
  check_longest(lock, 15);
}

TEST_CASE("a lock that is free is taken by the next try, whoever had it before",
          "[waits][many-models]") {
  // A try at the instant of the release may come too early; the next one does not.
  InlineLock lock(retrying(5));
  lock.model.waits_after = sim::WaitsAfter::free;
  check_longest(lock, 5);
  InlineLock seven(retrying(7));
  seven.model.waits_after = sim::WaitsAfter::free;
  check_longest(seven, 7);
  // Who comes back at once takes it again: it was not free for long.
  lock.model.processes[0].rounds = 3;
  check_longest(lock, 5);
}

TEST_CASE("the lease of a client that is not inside is part of the wait for a free lock",
          "[waits][many-models]") {
  // Of one that has crashed, at once after it got the lock: the lease, and one more try.
  InlineLock crash(retrying(5));
  crash.model.waits_after = sim::WaitsAfter::free;
  crash.model = test::with_fault(crash.model, Fault::crash);
  check_longest(crash, 35);
  // Of one that pauses before it hears that it has got the lock.
  InlineLock pause(retrying(5));
  pause.model.waits_after = sim::WaitsAfter::free;
  pause.model = test::with_fault(pause.model, Fault::pause);
  check_longest(pause, 35);
}

TEST_CASE("a lock is free from when its holder crashes, not from when its key ends", "[waits]") {
  // Only who is inside gives its key 30 ms; who crashes before leaves it 5. Then one more try.
  InlineLock crash(
      {"self.token = unique() "
       "retry(function() return redis('SET', self.key, self.token, 'NX', 'PX', 5) "
       "== OK end, 5) "
       "spawn(function() sleep(1) redis('PEXPIRE', self.key, 30) end) return true",
       test::kCompareAndDelete});
  crash.lasting(30, 3);
  crash.model.waits_after = sim::WaitsAfter::free;
  crash.model = test::with_fault(crash.model, Fault::crash);
  check_longest(crash, 35);
}

TEST_CASE("what was not asked for changes nothing", "[waits]") {
  InlineLock lock(retrying(5));
  lock.model.properties = {Property::mutual_exclusion};
  const checker::Result without = checker::explore(lock.model, {});
  lock.model.waits_ms = 3;
  const checker::Result with = checker::explore(lock.model, {});
  CHECK(with.statistics.states == without.statistics.states);
  CHECK(with.statistics.transitions == without.statistics.transitions);
}

TEST_CASE("who has waited too long is named, with the time and the holder", "[waits]") {
  InlineLock lock(retrying(5));
  lock.model.properties = {Property::waits};
  lock.model.waits_ms = 14;
  const checker::Result found = checker::explore(lock.model, {});
  REQUIRE(found.verdict == Verdict::violated);
  CHECK(found.schedule.back().kind == sim::Action::Kind::pass);
  const checker::Trace told = checker::tell(lock.model, found.schedule);
  CHECK(told.violated == Property::waits);
  CHECK_THAT(told.violation, Catch::Contains("has waited for 15 ms"));
}

TEST_CASE("who waits for what nobody sends makes no progress, as nothing happens any more",
          "[waits]") {
  // A frozen clock never shows that the 5 ms are over.
  const auto waits_for = [](const std::string& seconds, Fault fault, Property property) {
    InlineLock lock({"redis('BLPOP', 'never', " + seconds + ") return true", "return true"});
    return lock.alone_with(fault).judged(property);
  };
  for (const auto property : {Property::progress, Property::deadlock}) {
    CHECK(waits_for("0", Fault::flush, property) == Verdict::violated);
    CHECK(waits_for("0.005", Fault::freeze, property) == Verdict::violated);
    CHECK(waits_for("0.005", Fault::flush, property) == Verdict::holds);
  }
}

TEST_CASE("a server whose clock is set back waits for longer, one that jumps ahead does not",
          "[waits][many-models]") {
  const auto lasts_175_ms = [](const std::string& wait, std::int64_t jump_ms) {
    InlineLock lock(
        {"local before = monotonic() redis(" + wait + ") return monotonic() - before >= 175",
         "return true"});
    lock.alone_with(Fault::jump);
    lock.model.processes[0].replicas = 1;
    lock.model.jumps_ms = {jump_ms};
    return lock.may_acquire();
  };
  for (const std::string wait : {"'BLPOP', 'never', 0.125", "'WAIT', 2, 125"}) {
    CAPTURE(wait);
    CHECK(lasts_175_ms(wait, -50));
    CHECK_FALSE(lasts_175_ms(wait, -49));
    CHECK_FALSE(lasts_175_ms(wait, 50));
  }
}

TEST_CASE("who dies as it begins has sent nothing that others wait for", "[waits]") {
  // A barrier of two: each counts itself, and waits for the other one.
  const std::string barrier =
      "redis('INCR', self.key) return retry(function()"
      " return tonumber(redis('GET', self.key)) >= 2 end, 5)";
  const auto judged = [&](unsigned rounds, Fault fault, Property property) {
    InlineLock lock({barrier, "return true"}, ", permits = 2, permanent = { '{key}' }");
    for (auto& process : lock.model.processes) process.rounds = static_cast<int>(rounds);
    lock.model = test::with_fault(lock.model, fault);
    return lock.judged(property);
  };
  for (const auto property : {Property::progress, Property::deadlock}) {
    CHECK(judged(1, Fault::pause, property) == Verdict::holds);
    CHECK(judged(1, Fault::crash, property) == Verdict::violated);
    CHECK(judged(2, Fault::crash, property) == Verdict::holds);  // it begins another round
  }
}

TEST_CASE("a request is given up in time, whatever another thread asks the resource", "[waits]") {
  InlineLock lock({"redis('PING') return true", "return true"});
  lock.model = test::with_fault(lock.model, Fault::delay);
  lock.model.processes.resize(1);
  lock.model.processes[0].threads = 2;
  lock.model.request_timeout_ms = 20;
  lock.model.waits_ms = 20;
  CHECK(lock.judged(Property::waits) == Verdict::holds);
  lock.model.waits_ms = 19;
  CHECK(lock.judged(Property::waits) == Verdict::violated);
}
