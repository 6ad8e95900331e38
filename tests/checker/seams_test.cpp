// What once fell through the seams of the engine: two events of one kind in a step, two locks with
// one lease key, numbers that outgrew their width, several nodes. Both explorers judge each.
#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/trace/trace.hpp"
#include "tests/support/model.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;

const sim::WorkStep lock(std::uint8_t index) { return {sim::WorkStep::Kind::lock, index, 0}; }
const sim::WorkStep unlock(std::uint8_t i) { return {sim::WorkStep::Kind::unlock, i, 0}; }
const sim::WorkStep work(std::int64_t ms) { return {sim::WorkStep::Kind::work, 0, ms}; }

/// What the engine finds, after the naive explorer has found the same.
checker::Result found(const sim::Model& model) {
  checker::Result engine = checker::explore(model, {});
  const checker::Result naive = checker::explore_naively(model, {});
  INFO("engine " << checker::name(engine.verdict) << ' ' << engine.schedule.size() << ' '
                 << engine.why_inconclusive << ", naive " << checker::name(naive.verdict) << ' '
                 << naive.schedule.size() << ' ' << naive.why_inconclusive);
  REQUIRE(engine.verdict == naive.verdict);
  REQUIRE(engine.schedule.size() == naive.schedule.size());
  if (engine.verdict == Verdict::violated)
    CHECK(checker::tell(model, engine.schedule).violated == engine.property);
  return engine;
}

}  // namespace

TEST_CASE("a step that acquires two locks is judged for both", "[seams]") {
  sim::Model model = test::model({"seams/believes", 2, 1, 3000, 1000, 1000});
  model.properties = {sim::Property::mutual_exclusion};
  model.processes[0].workload = {lock(0), work(1000), unlock(0)};
  model.processes[1].lock_keys = {"lock", "another"};
  model.processes[1].workload = {lock(0), lock(1), work(1000), unlock(1), unlock(0)};
  const checker::Result result = found(model);  // A begins and has it, B begins and has both
  CHECK(result.verdict == Verdict::violated);
  CHECK(result.schedule.size() == 2);
}

TEST_CASE("a step that violates two properties is told as violating the first of them", "[seams]") {
  sim::Model model = test::model({"seams/two-at-once", 2, 1, 3000, 1000, 1000});
  model.processes[0].lock_keys = {"plain", "mark"};
  model.processes[0].workload = {lock(0), lock(1)};
  model.processes[1].lock_keys = {"look", "plain"};
  model.processes[1].workload = {lock(0), unlock(0), lock(1)};
  model.properties = {sim::Property::mutual_exclusion, sim::Property::honest_result};
  const checker::Result result =
      found(model);  // A begins, SET; B begins, GET, hears, leaves, SET, hears
  CHECK(result.schedule.size() == 8);
  CHECK(result.property == sim::Property::mutual_exclusion);
  CHECK(checker::explore_naively(model, {}).property == sim::Property::mutual_exclusion);
  model.properties = {sim::Property::honest_result};
  CHECK(found(model).property == sim::Property::honest_result);
}

TEST_CASE("two locks with one lease key are both leases", "[seams]") {
  sim::Model model = test::model({"seams/one-lease", 2, 1, 3000, 1000, 1000});
  model.properties = {sim::Property::foreign_release};
  // Whichever number the lock has that A holds, B takes its key away.
  const std::uint8_t held = GENERATE(std::uint8_t{0}, std::uint8_t{1});
  model.processes[0].lock_keys = {"one", "two"};
  model.processes[0].workload = {lock(held), work(1000), unlock(held)};
  model.processes[1].lock_keys = {"two", "one"};
  model.processes[1].workload = {lock(held), work(1000), unlock(held)};
  const checker::Result result = found(model);
  CHECK(result.verdict == Verdict::violated);
  CHECK(result.schedule.size() == 5);  // A begins, SET, hears; B begins, SET
}

TEST_CASE("tokens beyond the 255th are new ones", "[seams]") {
  sim::Model model = test::model({"seams/many-tokens", 1, 1, 3000, 1000, 1000});
  model.merges_tokens = false;
  const checker::Result result = found(model);
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.unmet.empty());  // it has acquired
}

TEST_CASE("a step that branches differently at another time keeps its choices",
          "[seams][many-models]") {
  sim::Model model = test::model({"seams/late-choice", 2, 1, 3000, 1000, 1000});
  model.properties = {sim::Property::mutual_exclusion};
  const checker::Result result = found(model);
  CHECK(result.verdict == Verdict::violated);
  // Time passes until coins are tossed twice; one begins and believes, the other asks and gets it.
  CHECK(result.schedule.back().kind != sim::Action::Kind::pass);
}

TEST_CASE("clients call two nodes", "[seams][many-models]") {
  sim::Model model = test::model({"seams/two-nodes", 2, 1, 3000, 1000, 1000});
  for (auto& process : model.processes) process.nodes = 2;
  SECTION("mutual exclusion holds without faults, and both can acquire") {
    model.properties = {sim::Property::mutual_exclusion};
    const checker::Result result = found(model);
    CHECK(result.verdict == Verdict::holds);
    CHECK(result.unmet.empty());
  }
  SECTION("it fails where a pause outlasts the lease on both") {
    model = test::with_fault(model, sim::Fault::pause);
    model.properties = {sim::Property::mutual_exclusion};
    CHECK(found(model).verdict == Verdict::violated);
  }
}

TEST_CASE("no duration is too many", "[seams]") {
  sim::Model model = test::model({"set-token-lua", 1, 1, 3000, 1, 1});
  model.processes[0].workload = {lock(0)};
  for (int ms = 1; ms <= 30; ++ms) model.processes[0].workload.push_back(work(ms));
  model.processes[0].workload.push_back(unlock(0));
  const checker::Result result = checker::explore(model, {});
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.grid_durations.size() == 31);
}
