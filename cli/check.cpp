// `lockstep check`: explore every run, and show the shortest one that breaks the lock.
#include "checker/audit.hpp"
#include "checker/slack.hpp"
#include "cli/commands.hpp"
#include "cli/keep_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/render_check.hpp"
#include "cli/report.hpp"
#include "cli/telling.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

int check(const CheckArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  auto scenario = catalog.scenario(arguments.target);
  const bool from_file = scenario.expect.has_value();
  apply(arguments.model, scenario);
  apply(arguments.bounds, scenario);
  const bool schedule = scenario.kind == scenarios::ScenarioKind::schedule;
  if (arguments.audit && schedule)
    throw sim::BadInput(
        "--audit: a schedule is already walked by the naive explorer; there is nothing to audit");

  const auto format = format_of("check", arguments.output, kFormatsOfRun);
  expect_out(arguments.out_file, format);
  expect_output("--trace", arguments.trace_file);
  const Interruptible interruptible;
  const BoundedMemory bounded(scenario.bounds.max_bytes);
  const auto callback = progress(io, scenario.bounds);
  auto judgement = scenarios::judge(scenario, callback, !arguments.no_merging);
  checker::settle_slack(judgement.model, judgement.result, scenario.bounds, callback);
  if (arguments.audit)
    judgement.audit = checker::audit(judgement.model, judgement.result, scenario.bounds, callback);
  else if (!schedule && judgement.result.verdict != checker::Verdict::inconclusive)
    judgement.audit =
        checker::audit_if_small(judgement.model, judgement.result, scenario.bounds, callback);
  CheckNotes notes;
  find_no_return(judgement, notes, callback);
  end_progress(io);

  notes.target = arguments.target;
  notes.scripts = arguments.scripts;
  notes.overridden = from_file && arguments.model.any();
  notes.trace_file = keep_trace(arguments.trace_file, judgement, catalog);
  const auto code = exit_code(judgement);
  if (format == Format::json)
    io.out << check_report(judgement, code, notes.trace_file);
  else if (format == Format::text)
    print_check(judgement, notes, io);
  else
    put_out(rendered(telling_of(judgement, notes), format), arguments.out_file, io);
  return code;
}

}  // namespace lockstep::cli
