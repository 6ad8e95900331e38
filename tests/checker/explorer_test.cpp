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

TEST_CASE("a pause whose harm lies between two deadlines is found") {
  // Lease 30, work 10, and the client goes on only with more than 5 left: it outlives its lease
  // only if it resumes 21 to 24 ms after its SET. No deadline lies there; 21 = 30 - 10 + 1 does.
  const sim::Model model =
      only(test::with_fault(test::model({"checks-remaining", 2, 1, 30, 10, 1}), Fault::pause),
           Property::mutual_exclusion);
  const checker::Result result = explore(model);
  REQUIRE(result.verdict == Verdict::violated);
  std::int64_t resumed_ms = -1, sent_ms = -1;
  const checker::Trace trace = checker::tell(model, result.schedule);
  bool paused = false;
  std::uint8_t who = 0;
  for (const auto& step : trace.steps) {
    if (step.action.kind == sim::Action::Kind::pause) paused = true, who = step.action.process;
    if (step.action.kind == sim::Action::Kind::resume && paused) resumed_ms = step.time_ms;
  }
  for (const auto& step : trace.steps)
    if (step.action.kind == sim::Action::Kind::begin && step.action.process == who)
      sent_ms = step.time_ms;
  if (resumed_ms >= 0) {
    CHECK(resumed_ms - sent_ms >= 21);
    CHECK(resumed_ms - sent_ms <= 24);
  }
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
