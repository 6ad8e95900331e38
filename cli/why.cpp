// `lockstep why`: takes one mechanism of a protocol away at a time, and says what breaks first.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/judge_matrix.hpp"
#include "cli/keep_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "cli/render_check.hpp"
#include "cli/render_why.hpp"
#include "scenarios/compare.hpp"
#include "scenarios/mechanisms.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/client/program.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Condition;
using scenarios::Finding;
using scenarios::Mechanism;
using scenarios::Scenario;
using scenarios::Standing;

/// What the protocol as it is comes to.
struct Whole {
  Scenario world;
  std::vector<Finding> findings;
  bool reentrant = false;

  std::vector<Finding> under(const std::string& condition) const {
    std::vector<Finding> there;
    for (const auto& finding : findings)
      if (finding.condition == condition) there.push_back(finding);
    return there;
  }
};

/// The world in which the mechanism is missing; its files are in `folder`.
Scenario world_without(const Mechanism& mechanism, Scenario world,
                       const sim::TemporaryFolder& folder) {
  if (mechanism.file.empty()) {
    world.resource = sim::Resource::plain;
    return world;
  }
  std::filesystem::copy(world.folder, folder.path(), std::filesystem::copy_options::recursive);
  folder.write(mechanism.file, mechanism.changed);
  world.folder = folder.path();
  return world;
}

/// The resource's part, which is no text of the protocol's.
Mechanism fencing() {
  return {"", 0, "the resource compares fencing tokens", "accepts every one", ""};
}

/// What held and is violated, fewest steps first, or is never put to the test any more.
std::vector<Finding> worse_under(const Condition& condition, const Scenario& world,
                                 const Whole& whole, const std::vector<Finding>& before,
                                 const checker::Progress& watch) {
  std::vector<Finding> worse;
  const auto now = scenarios::judge_each(condition, world, whole.reentrant, watch);
  for (const auto& difference : scenarios::compare(before, now)) {
    const auto was = difference.before.standing, is = difference.after.standing;
    const bool held = was == Standing::holds || was == Standing::cannot_happen;
    if (held && (is == Standing::violated || is == Standing::vacuous))
      worse.push_back(difference.after);
  }
  return worse;
}

/// A client that nobody disturbs, and that disturbs nobody: what it needs is no mechanism.
const Condition& alone() {
  static const Condition kAlone = [] {
    Condition condition;
    condition.name = "alone";
    condition.alone = true;
    return condition;
  }();
  return kAlone;
}

Taken taken_away(const Mechanism& mechanism, const Whole& whole,
                 const std::vector<Finding>& whole_alone, const checker::Progress& watch) {
  const sim::TemporaryFolder folder;
  Taken taken{mechanism, {}, false, ""};
  try {
    const auto world = world_without(mechanism, whole.world, folder);
    if (!worse_under(alone(), world, whole, whole_alone, watch).empty()) {
      taken.needed_alone = true;
      return taken;
    }
    for (const auto& condition : scenarios::conditions()) {
      taken.broken = worse_under(condition, world, whole, whole.under(condition.name), watch);
      if (!taken.broken.empty()) return taken;
    }
    taken.refused = watch({});
  } catch (const sim::BadInput& error) {
    taken.refused = error.what();
  }
  return taken;
}

Whole judged_whole(const Scenario& world, const WhyArguments& arguments, const Io& io,
                   const checker::Progress& watch) {
  Whole whole{world, {}, scenarios::reenters(world, watch)};
  whole.findings = std::move(
      judge_matrices({world}, scenarios::conditions(), arguments.jobs, io, watch).front().findings);
  return whole;
}

/// The run of row `number`, as `check` shows one.
void show(std::size_t number, const std::vector<Taken>& rows, const Scenario& world,
          const WhyArguments& arguments, Io& io, const checker::Progress& watch) {
  if (number > rows.size())
    throw sim::BadInput(fmt::format("--show: found {}, expected 1 to {}", number, rows.size()));
  const auto& row = rows[number - 1];
  io.out << '\n' << in_one_line(row) << "\n\n";
  if (row.broken.empty() || row.broken.front().standing != Standing::violated) return;
  const sim::TemporaryFolder folder;
  auto judgement =
      counterexample(row.broken.front(), world_without(row.mechanism, world, folder), watch);
  CheckNotes notes;
  notes.target = arguments.target;
  if (!judgement.trace) return;
  find_no_return(judgement, notes, watch);
  print_check(judgement, notes, io);
}

}  // namespace

int why(const WhyArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const Interruptible interruptible;
  const auto watch = until_over(arguments.bounds);
  const auto world = matrix_world(arguments.target, catalog.protocol_folder(arguments.target),
                                  arguments.model, arguments.bounds, kStatesOfWhy);
  const auto title = sim::Program(world.folder).title();
  auto mechanisms = scenarios::mechanisms(world.folder);
  if (world.resource != sim::Resource::plain) mechanisms.push_back(fencing());
  const auto whole = judged_whole(world, arguments, io, watch);
  const auto whole_alone = scenarios::judge_each(alone(), world, whole.reentrant, watch);
  if (const auto over = watch({}); !over.empty()) {
    io.err << "lockstep: why: " << over << "; nothing is said about what rests on what\n";
    return kInconclusive;
  }

  std::vector<Taken> all;
  in_order(
      mechanisms.size(), jobs_of(arguments.jobs),
      [&](std::size_t i) { return taken_away(mechanisms[i], whole, whole_alone, watch); },
      [&](std::size_t i, const Taken& taken) {
        all.push_back(taken);
        count_progress(io, i + 1, mechanisms.size());
      });
  end_progress(io);
  const auto rows = in_order_of_need(all);
  const int code = watch({}).empty() ? kAsExpected : kInconclusive;
  if (arguments.json) {
    io.out << why_report(arguments.target, rows);
    return code;
  }
  print_why(io.out, fmt::format("{}: {}", arguments.target, title), rows, io.colours);
  if (arguments.show) show(*arguments.show, rows, world, arguments, io, watch);
  return code;
}

}  // namespace lockstep::cli
