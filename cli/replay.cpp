// `lockstep replay`: tell a run step by step.
#include <fmt/format.h>

#include "checker/trace/trace.hpp"
#include "cli/commands.hpp"
#include "cli/interactive.hpp"
#include "cli/recorded.hpp"
#include "cli/render_trace.hpp"
#include "cli/replay_live.hpp"
#include "cli/report.hpp"

namespace lockstep::cli {

int replay(const ReplayArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto run = recorded_run(arguments.target, catalog, io);
  if (arguments.interactive) {
    walk_interactively(run, io);
    return kAsExpected;
  }
  if (arguments.live) return replay_live(run, arguments, io);
  checker::Walk walk(run.model);
  for (const auto& action : run.schedule) walk.take(action, run.place);
  if (run.endless) walk.end_endless(run.violated.value());
  const auto& trace = walk.trace();
  if (arguments.json) {
    io.out << trace_report(trace);
  } else if (trace.steps.empty()) {
    io.out << run.scenario.name
           << ": nothing is violated, so there is no run to tell; try --interactive\n";
  } else {
    print_trace(io.out, trace, io.colours);
  }
  return trace.violated && !run.scenario.expect ? kViolated : kAsExpected;
}

}  // namespace lockstep::cli
