// Carries out a scenario; see the header.
#include "scenarios/judge.hpp"

#include <fmt/format.h>

#include "checker/explorer.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"

namespace lockstep::scenarios {

namespace {

std::string shown(const sim::Schedule& schedule) {
  std::string text;
  for (const auto& action : schedule) text += "\n  " + to_json(action).dump();
  return text;
}

checker::Trace retold(const sim::Model& model, const checker::Result& result) {
  std::string trouble;
  try {
    checker::Walk walk(model);
    for (const auto& action : result.schedule) walk.take(action);
    if (result.endless) walk.end_endless(result.property.value());  // the naive world has no cycles
    const auto& trace = walk.trace();
    if (trace.violated == result.property) return trace;
    trouble = trace.violated ? std::string("it violates ") + name(*trace.violated)
                             : "it violates nothing";
  } catch (const sim::BadInput& error) {
    trouble = error.what();
  }
  throw sim::InternalError(
      fmt::format("the counterexample to {} does not stand up to re-execution: {}; its schedule:{}",
                  name(result.property.value()), trouble, shown(result.schedule)));
}

void walk(const Scenario& scenario, Judgement& judgement) {
  const auto walk = walk_schedule(judgement.model, scenario.steps, scenario.file);
  const auto& trace = walk.trace();
  auto& result = judgement.result;
  result.verdict = trace.violated ? checker::Verdict::violated : checker::Verdict::holds;
  result.property = trace.violated;
  for (const auto& step : trace.steps) result.schedule.push_back(step.data.action);
  result.statistics.depth = result.schedule.size();
  result.statistics.transitions = result.schedule.size();
  result.statistics.states = result.schedule.size() + 1;
  judgement.trace = trace;
}

}  // namespace

Judgement judge(const Scenario& scenario, const checker::Progress& progress, bool merges_tokens) {
  Judgement judgement;
  judgement.scenario = scenario;
  judgement.model = model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  judgement.model.merges_tokens = merges_tokens;
  if (scenario.kind == ScenarioKind::schedule) {
    walk(scenario, judgement);
  } else {
    judgement.result = checker::explore(judgement.model, scenario.bounds, progress);
    if (judgement.result.verdict == checker::Verdict::violated)
      judgement.trace = retold(judgement.model, judgement.result);
  }
  if (scenario.expect) judgement.difference = difference(*scenario.expect, judgement.result);
  return judgement;
}

}  // namespace lockstep::scenarios
