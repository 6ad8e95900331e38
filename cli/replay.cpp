// `lockstep replay`: tell a run step by step.
#include <fmt/format.h>

#include "checker/trace/trace.hpp"
#include "cli/commands.hpp"
#include "cli/interactive.hpp"
#include "cli/recorded.hpp"
#include "cli/render_trace.hpp"
#include "cli/replay_live.hpp"
#include "cli/report.hpp"
#include "cli/words.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

int replay(const ReplayArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
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
  if (arguments.live) return replay_live(run, arguments, io);
  checker::Walk walk(run.model);
  for (const auto& action : run.schedule) walk.take(action, run.place);
  if (run.endless) walk.end_endless(run.violated.value(), run.loop);
  const auto& trace = walk.trace();
  if (run.violated && trace.violated != run.violated)
    throw sim::BadInput(fmt::format("{}: it says that its run violates {}, and that violates {}",
                                    run.place, spoken(*run.violated),
                                    trace.violated ? spoken(*trace.violated) : "nothing"));
  if (arguments.json) {
    io.out << trace_report(trace);
  } else {
    print_trace(io.out, trace, io.colours);
  }
  return trace.violated && !run.scenario.expect ? kViolated : kAsExpected;
}

}  // namespace lockstep::cli
