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
