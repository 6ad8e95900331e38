// `lockstep diff`: two versions of a protocol, every verdict of the matrix that got weaker or
// stronger.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/escaped.hpp"
#include "cli/judge_matrix.hpp"
#include "cli/keep_trace.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/render_check.hpp"
#include "cli/render_diff.hpp"
#include "cli/render_markdown.hpp"
#include "cli/report.hpp"
#include "cli/versions.hpp"
#include "cli/words.hpp"
#include "scenarios/compare.hpp"
#include "scenarios/judge.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Change;
using scenarios::Difference;
using scenarios::Standing;

/// What is compared, and what came of it.
struct Comparison {
  std::string old_one;  ///< in words
  std::vector<Difference> differences;
  scenarios::Scenario world;   ///< of the new version
  std::size_t uncompared = 0;  ///< verdicts that this program could judge and a baseline lacks
};

void expect_arguments(const DiffArguments& arguments) {
  const auto& versions = arguments.versions;
  if (arguments.baseline.empty() && versions.size() != 2)
    throw sim::BadInput(
        fmt::format("diff: found {}, expected OLD and NEW; or --baseline FILE and NEW",
                    plural(versions.size(), "protocol")));
  if (!arguments.baseline.empty() && versions.size() != 1)
    throw sim::BadInput("diff: with --baseline FILE name one protocol, the new version");
  if (!arguments.baseline.empty() && arguments.model.any())
    throw sim::BadInput(
        "diff: the baseline says in which world it was judged; flags that change it do not fit");
}

Comparison with_version(const Version& old_one, const Version& new_one,
                        const DiffArguments& arguments, const Io& io,
                        const checker::Progress& watch) {
  std::vector<scenarios::Scenario> worlds;
  for (const auto& version : {old_one, new_one})
    worlds.push_back(matrix_world(version.name, version.folder, arguments.model, arguments.bounds,
                                  kStatesOfDiff));
  const auto matrices = judge_matrices(worlds, scenarios::conditions(), arguments.jobs, io, watch);
  return {fmt::format("{}: {}", old_one.name, old_one.title),
          scenarios::compare(matrices[0].findings, matrices[1].findings), worlds[1], 0};
}

Comparison with_baseline(const Version& new_one, const DiffArguments& arguments, const Io& io,
                         const checker::Progress& watch) {
  const auto stored = stored_matrix(arguments.baseline, new_one.name);
  auto world = stored.world;
  const auto old_name = world.protocol;
  world.name = world.protocol = new_one.name;
  world.folder = new_one.folder;
  apply(arguments.bounds, world);
  std::vector<scenarios::Condition> conditions;
  for (const auto& condition : scenarios::conditions())
    if (std::any_of(stored.findings.begin(), stored.findings.end(),
                    [&](const auto& finding) { return finding.condition == condition.name; }))
      conditions.push_back(condition);
  const auto matrices = judge_matrices({world}, conditions, arguments.jobs, io, watch);
  Comparison comparison{fmt::format("verdicts on {} in {}", old_name, arguments.baseline),
                        scenarios::compare(stored.findings, matrices.front().findings), world, 0};
  comparison.uncompared =
      scenarios::conditions().size() * sim::kProperties.size() - comparison.differences.size();
  return comparison;
}

/// How many verdicts are not known, of one version or both, because the command was `over`; none if
/// it was not.
std::uint64_t cut_off(const std::vector<Difference>& differences, const std::string& over) {
  const auto cut = [&](const scenarios::Finding& finding) {
    return finding.standing == Standing::inconclusive && finding.detail == over;
  };
  if (over.empty()) return 0;
  return static_cast<std::uint64_t>(std::ranges::count_if(
      differences, [&](const auto& each) { return cut(each.before) || cut(each.after); }));
}

/// What was compared, and what could not be.
Compared compared_in_words(const Comparison& comparison, const Version& new_one,
                           const std::string& over, std::uint64_t unreached) {
  Compared compared{comparison.old_one, fmt::format("{}: {}", new_one.name, new_one.title), {}};
  if (comparison.uncompared > 0)
    compared.notes.push_back(fmt::format(
        "{} that this lockstep can judge are not in the baseline: make it again to compare them",
        plural(comparison.uncompared, "verdict")));
  if (unreached > 0)
    compared.notes.push_back(
        fmt::format("{}: {} not compared", over, plural(unreached, "verdict")));
  return compared;
}

/// A protocol that is new in this version, or not there any more, is no weaker lock.
int lone(Presence presence, const DiffArguments& arguments, Format format,
         const scenarios::Catalog& catalog, Io& io) {
  const bool is_new = presence == Presence::only_new;
  const auto there = version_of(arguments.versions[is_new ? 1 : 0], catalog);
  const auto& missing = arguments.versions[is_new ? 0 : 1];
  if (format == Format::json) {
    io.out << lone_report(is_new ? "new" : "deleted", kAsExpected);
    return kAsExpected;
  }
  const Headline headline{is_new ? "NEW" : "DELETED", Colour::plain,
                          fmt::format("{}: {}", there.name, there.title)};
  std::vector<Row> rows{
      {is_new ? "old" : "new", missing + " is not there: nothing to compare with"}};
  if (is_new) rows.push_back({"judge", "lockstep matrix " + there.name});
  if (format == Format::markdown) {
    io.out << kMarkdownHead << as_markdown(headline) << as_markdown(rows);
    return kAsExpected;
  }
  io.out << as_text(headline, io.colours) << '\n';
  print_rows(io.out, rows, io.columns);
  return kAsExpected;
}

/// The differences, and the run that is `shown` of one of them, if one is.
void tell(const Comparison& comparison, const Compared& compared, const Difference* worst,
          std::optional<scenarios::Judgement>& shown, CheckNotes& notes, Format format, Io& io) {
  const bool markdown = format == Format::markdown;
  if (markdown)
    io.out << as_markdown(comparison.differences, compared);
  else
    print_differences(io.out, comparison.differences, compared, io.colours);
  if (!shown) return;
  if (!markdown) {
    io.out << fmt::format("\nthe first of them: {}\n\n", worst->after.condition);
    return print_check(*shown, notes, io);
  }
  io.out << fmt::format(
      "\n<details>\n<summary>The counterexample to the first of them: {}</summary>\n\n{}\n"
      "</details>\n",
      xml_escaped(worst->after.condition), as_markdown(telling_of(*shown, notes)));
}

}  // namespace

int diff(const DiffArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto format = format_of("diff", arguments.output, kFormatsOfTable);
  expect_arguments(arguments);
  expect_output("--trace", arguments.trace_file);
  const Interruptible interruptible;
  const auto watch = until_over(arguments.bounds);
  if (arguments.baseline.empty()) {
    const auto there = presence(arguments.versions.front(), arguments.versions.back());
    if (there != Presence::both) return lone(there, arguments, format, catalog, io);
  }
  const auto new_one = version_of(arguments.versions.back(), catalog);
  if (new_one.taken_out && !arguments.trace_file.empty())
    throw sim::BadInput(
        "--trace: a trace needs its protocol's folder; check the new version out first");
  auto comparison = arguments.baseline.empty()
                        ? with_version(version_of(arguments.versions.front(), catalog), new_one,
                                       arguments, io, watch)
                        : with_baseline(new_one, arguments, io, watch);
  if (interrupted()) {
    io.err << "lockstep: diff: interrupted; nothing is said about what got weaker\n";
    return kInconclusive;
  }
  for (auto& difference : comparison.differences)
    difference.after.detail = new_one.told(difference.after.detail);

  const auto over = watch({});
  const auto unreached = cut_off(comparison.differences, over);
  const auto code = count_of(comparison.differences, Change::weaker) > 0 ? kViolated
                    : unreached > 0                                      ? kInconclusive
                                                                         : kAsExpected;
  std::optional<scenarios::Judgement> shown;
  CheckNotes notes;
  notes.target = new_one.name;
  const auto* const worst = scenarios::first_violated(comparison.differences);
  if (worst != nullptr) shown = counterexample(worst->after, comparison.world, watch);
  if (shown) notes.trace_file = keep_trace(arguments.trace_file, *shown, catalog);
  if (shown && !shown->trace) shown.reset();  // there was no time for it
  if (format == Format::json) {
    io.out << diff_report(comparison.differences, shown, code);
    return code;
  }
  auto compared = compared_in_words(comparison, new_one, over, unreached);
  if (worst != nullptr && !shown) compared.notes.push_back("no counterexample is shown: " + over);
  if (shown) find_no_return(*shown, notes, watch);
  tell(comparison, compared, worst, shown, notes, format, io);
  return code;
}

}  // namespace lockstep::cli
