// Sleeps that come a few times in a run are counted, and each is a distance between points of time
// once (docs/time.md): no instant is missed, and few are tried.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "checker/explorer.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

/// Takes the lock, waits until nobody has the gate, goes on if that took no longer than `most_ms`,
/// and if it has waited, does `sleeps`.
test::Bodies behind_gate(int most_ms, const std::string& sleeps) {
  return {
      test::kToken +
          fmt::format("local began = monotonic()\n"
                      "local taken = redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms)"
                      " == OK\n"
                      "if self.key == 'gate' or not taken then return taken end\n"
                      "self.waited = false\n"
                      "return retry(function()\n"
                      "  if redis('EXISTS', 'gate') == 1 then self.waited = true return false end\n"
                      "  if monotonic() - began > {} then return GIVE_UP end\n"
                      "  if self.waited then {} end\n"
                      "  return true\n"
                      "end)",
                      most_ms, sleeps),
      test::kCompareAndDelete};
}

/// Beside clients that do so, one that keeps the gate for up to `gate_ms`.
void add_keeper(sim::Model& model, std::int64_t gate_ms) {
  model.processes.push_back(model.processes.front());
  model.processes.back().lock_keys = {"gate"};
  model.processes.back().lease_ms = 2 * gate_ms;
  model.processes.back().workload[1].ms = gate_ms;
}

/// One such client beside the keeper, with other durations of whole seconds.
checker::Result search_with(const std::string& sleeps, std::uint64_t max_states) {
  InlineLock lock(behind_gate(1000, sleeps));
  lock.lasting(10'000, 5'000);
  lock.model.processes.resize(1);
  add_keeper(lock.model, 8'000);
  lock.model.properties = {Property::mutual_exclusion};
  checker::Bounds bounds;
  bounds.max_states = max_states;
  return checker::explore(lock.model, bounds);
}

}  // namespace

TEST_CASE("who is to wake up within three ms begins so much earlier",
          "[time][sleeps][many-models]") {
  // The holder's two marks end after 100 and 103 ms; whoever is refused goes in if it finds the
  // second one alone when it wakes up. Nothing else of the lock lasts as long as the sleeps.
  for (const std::string sleeps :
       {"sleep(37) sleep(37)", "sleep(11) sleep(37) sleep(16)", "for i = 1, 5 do sleep(13) end"}) {
    CAPTURE(sleeps);
    InlineLock lock(
        {"if redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK then\n"
         "  redis('SET', 'first', 'x', 'PX', 100) redis('SET', 'second', 'x', 'PX', 103)\n"
         "  return true\n"
         "end\n" +
             sleeps + "\nreturn redis('EXISTS', 'first') == 0 and redis('EXISTS', 'second') == 1",
         "return redis('DEL', self.key) == 1"});
    lock.lasting(1000, 150);
    CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  }
}

TEST_CASE("a short sleep that comes once makes few instants", "[time][sleeps]") {
  const checker::Result once = search_with("sleep(70)", 10'000);
  REQUIRE(once.verdict == Verdict::holds);
  // Any number of 70 ms makes every 10th ms of a lease of 10 s a point.
  const checker::Result many =
      search_with("for i = 1, 5 do sleep(70) end", 5 * once.statistics.states);
  CHECK(many.verdict == Verdict::inconclusive);
}

TEST_CASE("a timer of what is left of a time, that a task of its own waits for",
          "[time][sleeps][many-models]") {
  // It goes off so long after the beginning, however late the answer was.
  const auto deadline = [](const std::string& looks, const std::string& then, int most_ms) {
    return InlineLock(
        {"self.token = unique() local began = monotonic() "
         "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then " +
             looks + " end local left = " + std::to_string(most_ms) +
             " - (monotonic() - began) "
             "self.task = spawn(function() if left > 0 then sleep(left) end " +
             then + " end) return true",
         "stop(self.task) " + std::string(test::kCompareAndDelete)});
  };
  InlineLock large = deadline("return false", "lost(self)", 36'001);
  large.lasting(36'000, 4'000);
  large.model = test::with_fault(large.model, sim::Fault::delay);
  large.model.properties = {Property::foreign_release};
  const auto result = checker::explore(large.model, {});
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.time_gap == "");
  CHECK(result.statistics.states < 100'000);

  // 10 ms after the beginning of a SET that was executed 4 ms late, 2 ms are left of 8.
  const auto sees = [&](int left_ms) {
    InlineLock lock = deadline("if redis('EXISTS', 'mark') == 1 and redis('PTTL', self.key) == " +
                                   std::to_string(left_ms) +
                                   " then redis('SET', self.key, 'for ever') end return false",
                               "redis('SET', 'mark', 1)", 10);
    lock.lasting(8, 6);
    lock.model = test::with_fault(lock.model, sim::Fault::delay);
    return lock.judged(Property::leak);
  };
  CHECK(sees(2) == Verdict::violated);
  CHECK(sees(9) == Verdict::holds);
}
