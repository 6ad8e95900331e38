// Where a run to be told comes from; see the header.
#include "cli/recorded.hpp"

#include "cli/progress.hpp"
#include "scenarios/judge.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

Recorded from_trace(const std::filesystem::path& file, const scenarios::Catalog& catalog) {
  const auto trace = scenarios::read_trace(file, catalog);
  if (trace.endless && (!trace.violated || row(*trace.violated).endless == nullptr))
    throw sim::BadInput(
        file.string() +
        ": $.endless: only a deadlock, a leak or progress can be what a run never leaves");
  const auto program = std::make_shared<const sim::Program>(trace.scenario.folder);
  const auto model = scenarios::model_of(trace.scenario, program);
  scenarios::expect_unchanged(trace, model, file);
  return {trace.scenario, model,      trace.schedule, trace.violated,
          trace.endless,  trace.loop, file.string()};
}

/// Why a search has no run to tell.
std::string nothing_told(const checker::Result& result) {
  if (result.verdict == checker::Verdict::violated) return "";
  if (result.verdict == checker::Verdict::inconclusive)
    return "inconclusive: " + result.why_inconclusive;
  if (!result.vacuous()) return "nothing is violated in any run";
  return "nothing is violated, but it is vacuous" +
         (result.unmet_detail.empty() ? "" : ": " + result.unmet_detail);
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
  const std::string nothing = result.schedule.empty() ? nothing_told(result) : "";
  return {scenario,       judgement.model, result.schedule, result.property,
          result.endless, result.loop,     target,          nothing};
}

}  // namespace lockstep::cli
