// See keep_trace.hpp.
#include "cli/keep_trace.hpp"

#include <fmt/format.h>

#include "checker/no_return.hpp"
#include "checker/trace/trace.hpp"
#include "cli/output_file.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/model/invariants.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Judgement;

std::vector<std::string> told(const checker::Trace& trace) {
  std::vector<std::string> sentences;
  for (const auto& step : trace.steps) sentences.push_back(in_one_line(step.prose));
  return sentences;
}

/// The point of no return in words: what could still have been done instead.
std::string avoidable(const Judgement& judgement) {
  const auto& point = *judgement.no_return;
  if (point.step == 0) return "never: unavoidable, whatever is done, and even without a fault";
  checker::Walk walk(judgement.model);
  for (std::size_t i = 0; i + 1 < point.step; ++i) walk.take(judgement.result.schedule.at(i));
  if (!point.way_out)
    return fmt::format("until step {}: before it, nothing more had to happen", point.step);
  return fmt::format("until step {}: instead of it, this was possible: {}", point.step,
                     in_one_line(walk.take(*point.way_out).prose));
}

}  // namespace

std::string keep_trace(const std::string& file, const Judgement& judgement,
                       const scenarios::Catalog& catalog) {
  if (!judgement.trace) remove_stale(file);
  if (file.empty() || !judgement.trace) return "";
  scenarios::write_trace(file,
                         {judgement.scenario, sim::fingerprint(judgement.model),
                          judgement.result.schedule, judgement.result.property,
                          judgement.result.endless, judgement.result.loop, told(*judgement.trace)},
                         catalog);
  return file;
}

void find_no_return(Judgement& judgement, CheckNotes& notes, const checker::Progress& progress) {
  const bool searched = judgement.scenario.kind == scenarios::ScenarioKind::search;
  const bool found = judgement.result.verdict == checker::Verdict::violated;
  if (!searched || !found || judgement.result.endless) return;
  judgement.no_return =
      checker::point_of_no_return(judgement.model, judgement.result.schedule, progress);
  if (judgement.no_return) notes.avoidable = avoidable(judgement);
}

}  // namespace lockstep::cli
