// `lockstep check`: explore every run, and show the shortest one that breaks the lock.
#include <fmt/format.h>

#include "checker/audit.hpp"
#include "checker/no_return.hpp"
#include "checker/trace.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/render_check.hpp"
#include "scenarios/report.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/error.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Judgement;
using scenarios::Outcome;

int exit_code_of_verdict(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return kAsExpected;
    case Outcome::violated:
      return kViolated;
    default:
      return kInconclusive;
  }
}

/// A scenario is judged by what it expects, anything else by the verdict.
int exit_code(const Judgement& judgement) {
  const bool disagree =
      judgement.audit && judgement.audit->outcome == checker::Audit::Outcome::disagree;
  if (disagree) return kOwnFailure;
  const auto of_verdict = exit_code_of_verdict(judgement.outcome());
  if (!judgement.scenario.expect) return of_verdict;
  if (!judgement.difference) return kAsExpected;
  return of_verdict == kAsExpected ? kViolated : of_verdict;
}

std::vector<std::string> told(const checker::Trace& trace) {
  std::vector<std::string> sentences;
  for (const auto& step : trace.steps)
    sentences.push_back(step.actor.empty() ? step.sentence : step.actor + " " + step.sentence);
  return sentences;
}

/// Writes the counterexample where --trace says. Returns the file, or "" if there is nothing to
/// write.
std::string keep_trace(const std::string& file, const Judgement& judgement,
                       const scenarios::Catalog& catalog) {
  if (file.empty() || !judgement.trace) return "";
  scenarios::write_trace(
      file,
      {judgement.scenario, judgement.model.program->fingerprint(), judgement.result.schedule,
       judgement.result.property, judgement.result.endless, told(*judgement.trace)},
      catalog);
  return file;
}

/// The point of no return in words: what could still have been done instead.
std::string avoidable(const Judgement& judgement) {
  const auto& point = *judgement.no_return;
  checker::Walk walk(judgement.model);
  for (std::size_t i = 0; i + 1 < point.step; ++i) walk.take(judgement.result.schedule.at(i));
  if (!point.way_out)
    return fmt::format("until step {}: before it, nothing more had to happen", point.step);
  const auto& other = walk.take(*point.way_out);
  return fmt::format("until step {}: instead of it, this was possible: {}{}{}", point.step,
                     other.actor, other.actor.empty() ? "" : " ", other.sentence);
}

}  // namespace

int check(const CheckArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  auto scenario = catalog.scenario(arguments.target);
  const bool from_file = scenario.expect.has_value();
  apply(arguments.model, scenario);
  apply(arguments.bounds, scenario);
  const bool schedule = scenario.kind == scenarios::ScenarioKind::schedule;
  if (arguments.audit && schedule)
    throw sim::BadInput(
        "--audit: a schedule is already walked by the naive explorer; there is nothing to audit");

  const Interruptible interruptible;
  const auto callback = progress(io, scenario.bounds);
  auto judgement = scenarios::judge(scenario, callback, !arguments.no_merging);
  if (arguments.audit)
    judgement.audit = checker::audit(judgement.model, judgement.result, scenario.bounds, callback);
  end_progress(io);

  CheckNotes notes;
  notes.target = arguments.target;
  notes.overridden = from_file && arguments.model.any();
  notes.trace_file = keep_trace(arguments.trace_file, judgement, catalog);
  if (judgement.outcome() == Outcome::violated && !schedule && !judgement.result.endless)
    judgement.no_return = checker::point_of_no_return(judgement.model, judgement.result.schedule);
  if (judgement.no_return) notes.avoidable = avoidable(judgement);
  const auto code = exit_code(judgement);
  if (arguments.json)
    io.out << scenarios::check_report(judgement, code, notes.trace_file);
  else
    print_check(io.out, judgement, notes, io.colours);
  return code;
}

}  // namespace lockstep::cli
