// `lockstep replay`: tell a run step by step.
#include <fmt/format.h>

#include "checker/trace/trace.hpp"
#include "cli/commands.hpp"
#include "cli/interactive.hpp"
#include "cli/keep_trace.hpp"
#include "cli/progress.hpp"
#include "cli/recorded.hpp"
#include "cli/render_check.hpp"
#include "cli/replay_live.hpp"
#include "cli/report.hpp"
#include "cli/telling.hpp"
#include "cli/words.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

/// The run as a judgement of the order of events that it is.
scenarios::Judgement judged(const Recorded& run, const checker::Trace& trace) {
  scenarios::Judgement judgement;
  judgement.scenario = run.scenario;
  judgement.model = run.model;
  auto& result = judgement.result;
  result.verdict = trace.violated ? checker::Verdict::violated : checker::Verdict::holds;
  result.property = trace.violated;
  result.schedule = run.schedule;
  result.endless = run.endless;
  result.loop = trace.loop;
  judgement.trace = trace;
  return judgement;
}

/// What is said of a run besides its steps: nothing was searched for it here.
Telling replayed(scenarios::Judgement& judgement, const Recorded& run, const Io& io) {
  CheckNotes notes;
  find_no_return(judgement, notes, progress(io, run.scenario.bounds));
  end_progress(io);
  auto telling = telling_of(judgement, notes);
  telling.headline = headline_of(judgement.model, *judgement.trace);
  telling.account.clear();
  add_beliefs(telling.account, judgement.model, *judgement.trace);
  if (notes.avoidable) telling.account.push_back({"avoidable", *notes.avoidable});
  telling.account.push_back({"replay", "lockstep replay " + run.place});
  return telling;
}

}  // namespace

int replay(const ReplayArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const bool steps_alone = arguments.interactive || arguments.live;
  const auto format = format_of(
      arguments.interactive ? "replay --interactive"
      : arguments.live      ? "replay --live"
                            : "replay",
      arguments.output, steps_alone ? std::vector{Format::text, Format::json} : kFormatsOfRun);
  expect_out(arguments.out_file, format);
  const auto run = recorded_run(arguments.target, catalog, io);
  if (arguments.interactive) {
    walk_interactively(run, io);
    return kAsExpected;
  }
  if (!run.nothing.empty()) {
    io.err << "lockstep: " << run.scenario.name << ": there is no run to tell: " << run.nothing
           << " (--interactive walks one of your own)\n";
    return kInconclusive;
  }
  if (arguments.live) return replay_live(run, arguments, format, io);
  checker::Walk walk = checker::walked(run.model, run.schedule, run.place);
  if (run.endless) walk.end_endless(run.violated.value(), run.loop);
  const auto& trace = walk.trace();
  if (run.violated && trace.violated != run.violated)
    throw sim::BadInput(fmt::format("{}: it says that its run violates {}, and that violates {}",
                                    run.place, spoken(*run.violated),
                                    trace.violated ? spoken(*trace.violated) : "nothing"));
  if (format == Format::json) {
    io.out << trace_report(trace);
  } else {
    auto judgement = judged(run, trace);
    CheckNotes notes;
    notes.scripts = arguments.scripts;
    if (format == Format::text)
      print_replay(judgement, notes, io);
    else
      put_out(rendered(replayed(judgement, run, io), format), arguments.out_file, io);
  }
  return trace.violated && !run.scenario.expect ? kViolated : kAsExpected;
}

}  // namespace lockstep::cli
