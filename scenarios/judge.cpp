// Carries out a scenario; see the header.
#include "scenarios/judge.hpp"

#include <fmt/format.h>

#include "checker/explorer.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/check.hpp"
#include "sim/error.hpp"

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
    auto trace = checker::tell(model, result.schedule);
    if (result.endless &&
        !trace.violated) {  // no step of it violates: the naive world sees no cycles
      trace.violated = result.property;
      trace.violation =
          result.property == sim::Property::leak
              ? "All clients are done or dead, yet from here on a task goes on for ever."
              : "From here on no waiting client can ever acquire, though no fault is left to come.";
    }
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
  for (const auto& step : trace.steps) result.schedule.push_back(step.action);
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
