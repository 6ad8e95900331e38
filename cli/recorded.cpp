// Where a run to be told comes from; see the header.
#include "cli/recorded.hpp"

#include "cli/progress.hpp"
#include "scenarios/judge.hpp"
#include "scenarios/trace_file.hpp"

namespace lockstep::cli {

namespace {

Recorded from_trace(const std::filesystem::path& file, const scenarios::Catalog& catalog) {
  const auto trace = scenarios::read_trace(file, catalog);
  const auto program = std::make_shared<const sim::Program>(trace.scenario.folder);
  const auto model = scenarios::model_of(trace.scenario, program);
  scenarios::expect_unchanged(trace, model, file);
  return {trace.scenario, model, trace.schedule, trace.violated, trace.endless, file.string()};
}

}  // namespace

Recorded recorded_run(const std::string& target, const scenarios::Catalog& catalog, const Io& io) {
  const auto file = catalog.scenario_file(target);
  if (scenarios::is_trace(file)) return from_trace(file, catalog);
  const auto scenario = catalog.read(file);
  const Interruptible interruptible;
  const auto judgement = scenarios::judge(scenario, progress(io, scenario.bounds));
  end_progress(io);
  const auto& result = judgement.result;
  return {scenario, judgement.model, result.schedule, result.property, result.endless, target};
}

}  // namespace lockstep::cli
