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

/// Two clients that do so, and one that keeps the gate for up to `gate_ms`.
void add_keeper(sim::Model& model, std::int64_t gate_ms) {
  model.processes.push_back(model.processes.front());
  model.processes.back().lock_keys = {"gate"};
  model.processes.back().lease_ms = 2 * gate_ms;
  model.processes.back().workload[1].ms = gate_ms;
}

Verdict behind_gate_for(int most_ms, const std::string& sleeps) {
  InlineLock lock(behind_gate(most_ms, sleeps));
  lock.lasting(12, 3);
  add_keeper(lock.model, 10);
  return lock.judged(Property::mutual_exclusion);
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

TEST_CASE("a gate opens as late as leaves time for each sleep and the work", "[time][sleeps]") {
  // The key of 12 ms is gone in the 13th, while its holder, 3 ms at work, is still inside.
  const auto check_until = [](int most_ms, const std::string& sleeps) {
    CAPTURE(sleeps);
    CHECK(behind_gate_for(most_ms, sleeps) == Verdict::holds);
    CHECK(behind_gate_for(most_ms + 1, sleeps) == Verdict::violated);
  };
  check_until(7, "sleep(2)");
  check_until(3, "sleep(1) sleep(2) sleep(3)");
  for (const int sleeps : {5})  // more than four are not counted
    check_until(9 - sleeps, fmt::format("for i = 1, {} do sleep(1) end", sleeps));
}

TEST_CASE("a short sleep that comes once makes few instants", "[time][sleeps]") {
  const checker::Result once = search_with("sleep(70)", 10'000);
  REQUIRE(once.verdict == Verdict::holds);
  // Any number of 70 ms makes every 10th ms of a lease of 10 s a point.
  const checker::Result many =
      search_with("for i = 1, 5 do sleep(70) end", 5 * once.statistics.states);
  CHECK(many.verdict == Verdict::inconclusive);
}
