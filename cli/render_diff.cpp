// See render_diff.hpp.
#include "cli/render_diff.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/escaped.hpp"
#include "cli/render_markdown.hpp"
#include "cli/render_matrix.hpp"
#include "cli/render_trace.hpp"
#include "cli/words.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Change;
using scenarios::Difference;
using scenarios::Standing;

constexpr std::size_t kMostShown = 20;

bool not_known(const Difference& difference) {
  const auto standing = difference.after.standing;
  return difference.change == Change::same &&
         (standing == Standing::inconclusive || standing == Standing::vacuous);
}

/// "280 verdicts compared: 12 weaker, 3 changed".
std::string counted_changes(const std::vector<Difference>& differences) {
  std::vector<std::string> counts;
  for (const auto change : {Change::weaker, Change::stronger, Change::changed})
    if (const auto count = count_of(differences, change); count > 0)
      counts.push_back(fmt::format("{} {}", count, name(change)));
  return plural(differences.size(), "verdict") + " compared" +
         (counts.empty() ? "" : fmt::format(": {}", fmt::join(counts, ", ")));
}

/// "3 verdicts are not known, on either"; empty if all are.
std::string unknown_ones(const std::vector<Difference>& differences) {
  const auto unknown = std::count_if(differences.begin(), differences.end(), not_known);
  return unknown == 0 ? ""
                      : fmt::format("{}, on either: `lockstep matrix` says why",
                                    plural(static_cast<std::uint64_t>(unknown), "verdict"));
}

/// "pause   holds -> violated, 16 steps: honest-result, foreign-release": a line for the verdicts
/// of one condition that changed in the same way.
std::vector<std::string> lines_of(const std::vector<Difference>& differences, Change change) {
  std::vector<std::string> lines;
  std::string last;
  std::size_t width = 0;
  for (const auto& each : differences) width = std::max(width, each.after.condition.size() + 2);
  for (const auto& [before, after, kind] : differences) {
    if (kind != change) continue;
    const auto way =
        fmt::format("{:<{}}{} -> {}", after.condition, width, in_words(before), in_words(after));
    if (way == last)
      lines.back() += std::string(", ") + name(after.property);
    else
      lines.push_back(fmt::format("{}: {}", way, name(after.property)));
    last = way;
  }
  return lines;
}

void print_list(std::ostream& out, const std::vector<Difference>& differences, Change change,
                bool colours) {
  const auto count = count_of(differences, change);
  if (count == 0) return;
  out << '\n'
      << coloured(name(change),
                  change == Change::weaker     ? Colour::red
                  : change == Change::stronger ? Colour::green
                                               : Colour::yellow,
                  colours)
      << '\n';
  const auto lines = lines_of(differences, change);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostShown); ++i)
    out << "  " << lines[i] << '\n';
  if (lines.size() > kMostShown)
    out << fmt::format("  and {} more lines; --json has them all\n", lines.size() - kMostShown);
}

/// Weaker ones first, and bold.
std::string table_of_changes(const std::vector<Difference>& differences) {
  std::string text;
  for (const auto change : {Change::weaker, Change::changed, Change::stronger})
    for (const auto& each : differences) {
      if (each.change != change) continue;
      const auto in_bold = [&](const std::string& words) {
        const auto escaped = markdown_escaped(words);
        return change == Change::weaker ? "**" + escaped + "**" : escaped;
      };
      text += fmt::format("| {} | {} | {} | {} | {} |\n", in_bold(name(change)),
                          in_bold(each.after.condition), in_bold(name(each.after.property)),
                          markdown_escaped(in_words(each.before)), in_bold(in_words(each.after)));
    }
  return text.empty() ? ""
                      : "\n| | condition | property | old | new |\n|---|---|---|---|---|\n" + text;
}

}  // namespace

std::size_t count_of(const std::vector<Difference>& differences, Change change) {
  return static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(),
                    [&](const Difference& each) { return each.change == change; }));
}

Headline headline_of(const std::vector<Difference>& differences) {
  const bool weaker = count_of(differences, Change::weaker) > 0;
  const bool same = std::ranges::all_of(
      differences, [](const Difference& each) { return each.change == Change::same; });
  return {weaker ? "WEAKER"
          : same ? "SAME"
                 : "NOT WEAKER",
          weaker ? Colour::red : Colour::green, counted_changes(differences)};
}

void print_differences(std::ostream& out, const std::vector<Difference>& differences,
                       const Compared& compared, bool colours) {
  out << as_text(headline_of(differences), colours) << '\n';
  out << "old       " << compared.old_one << "\nnew       " << compared.new_one << '\n';
  if (const auto unknown = unknown_ones(differences); !unknown.empty())
    out << "not known " << unknown << '\n';
  for (const auto change : {Change::weaker, Change::stronger, Change::changed})
    print_list(out, differences, change, colours);
  for (const auto& note : compared.notes) out << '\n' << note << '\n';
}

std::string as_markdown(const std::vector<Difference>& differences, const Compared& compared) {
  const auto headline = headline_of(differences);
  std::string text = kMarkdownHead + as_markdown(headline) +
                     as_markdown({{"old", compared.old_one}, {"new", compared.new_one}});
  if (const auto unknown = unknown_ones(differences); !unknown.empty())
    text += as_markdown({{"not known", unknown}});
  text += table_of_changes(differences);
  for (const auto& note : compared.notes) text += "\n" + markdown_escaped(note) + "\n";
  return text;
}

}  // namespace lockstep::cli
