// What the engine must find and must not find, each with the reason; counts of small models are
// pinned, so that any drift of meaning shows at once.
#include "checker/explorer.hpp"

#include <catch2/catch.hpp>

#include "checker/no_return.hpp"
#include "checker/trace.hpp"
#include "tests/support/model.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;

checker::Result explore(const sim::Model& model) { return checker::explore(model, {}); }

sim::Model only(sim::Model model, Property property) {
  model.properties = {property};
  return model;
}

}  // namespace

TEST_CASE("harm between two deadlines is found") {
  // DESIGN.md's example, with a held reply in the place of the pause, so that nothing else can go
  // wrong: of a lease of 30, a client goes on only with more than 5 left, and takes 10 more to get
  // ready. A leaves at once, so only its entry can meet B: if A hears OK 21 to 24 ms after its SET.
  // No deadline lies there (the key's are 30 and 31); 21 = 31 - 10 does. B stays for 100 of a lease
  // of 1000: it meets A's entry, which takes 10 too, if it hears OK after 901 to 994 ms. B's stay
  // has no messages that could be held instead.
  sim::Model model =
      only(test::with_fault(test::model({"checks-remaining", 2, 1, 30, 100, 1}), Fault::delay),
           Property::mutual_exclusion);
  model.processes[0].workload = {{sim::WorkStep::Kind::lock, 0, 0},
                                 {sim::WorkStep::Kind::unlock, 0, 0}};
  model.processes[1].workload[1].kind = sim::WorkStep::Kind::sleep;
  model.processes[1].lease_ms = 1000;
  const checker::Result result = explore(model);
  REQUIRE(result.verdict == Verdict::violated);
  std::int64_t executed_ms = -1, heard_after_ms = -1;
  std::uint8_t who = 0;
  for (const auto& step : checker::tell(model, result.schedule).steps) {
    if (step.action.kind == sim::Action::Kind::delay) who = step.action.process;
    if (step.action.kind == sim::Action::Kind::release) heard_after_ms = step.time_ms;
  }
  for (const auto& step : checker::tell(model, result.schedule).steps)
    if (step.action.kind == sim::Action::Kind::execute && step.action.process == who &&
        executed_ms < 0)
      executed_ms = step.time_ms;
  heard_after_ms -= executed_ms;
  const bool as_a = who == 0 && heard_after_ms >= 21 && heard_after_ms <= 24;
  const bool as_b = who == 1 && heard_after_ms >= 901 && heard_after_ms <= 994;
  CHECK((as_a || as_b));
}

TEST_CASE("a client that polls in a tight loop meets the end of a lease") {
  // A holds longer than its lease; B only polls and never sleeps. Time must pass between its polls,
  // or B would never get in.
  sim::Model model = only(test::model({"polling", 2, 1, 30, 40, 1}), Property::mutual_exclusion);
  CHECK(explore(model).verdict == Verdict::violated);
  // With work shorter than the lease nothing is violated, and both get the lock.
  model = test::model({"polling", 2, 1, 30, 10, 1});
  const checker::Result result = explore(model);
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.unmet.empty());
}

TEST_CASE("a watchdog keeps the lock through work longer than the lease") {
  sim::Model model = test::model({"watchdog", 2, 1, 30, 70, 1});
  model.properties.erase(Property::honest_result);
  const checker::Result holds = explore(model);
  CHECK(holds.verdict == Verdict::holds);
  CHECK(holds.unmet.empty());
  // A pause stops the watchdog with the rest of its process.
  CHECK(explore(test::with_fault(model, Fault::pause)).verdict == Verdict::violated);
}
