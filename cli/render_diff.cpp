// See render_diff.hpp.
#include "cli/render_diff.hpp"

#include <fmt/format.h>

#include <algorithm>

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

void print_headline(std::ostream& out, const std::vector<Difference>& differences, bool colours) {
  std::vector<std::string> counts;
  for (const auto change : {Change::weaker, Change::stronger, Change::changed})
    if (const auto count = count_of(differences, change); count > 0)
      counts.push_back(fmt::format("{} {}", count, name(change)));
  const bool weaker = count_of(differences, Change::weaker) > 0;
  const auto verdict = weaker ? "WEAKER" : counts.empty() ? "SAME" : "NOT WEAKER";
  out << coloured(fmt::format("{:<10}", verdict), weaker ? Colour::red : Colour::green, colours)
      << (verdict == std::string("NOT WEAKER") ? "  " : "") << plural(differences.size(), "verdict")
      << " compared" << (counts.empty() ? "" : fmt::format(": {}", fmt::join(counts, ", ")))
      << '\n';
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

}  // namespace

std::size_t count_of(const std::vector<Difference>& differences, Change change) {
  return static_cast<std::size_t>(
      std::count_if(differences.begin(), differences.end(),
                    [&](const Difference& each) { return each.change == change; }));
}

void print_differences(std::ostream& out, const std::vector<Difference>& differences,
                       const std::string& old_one, const std::string& new_one, bool colours) {
  print_headline(out, differences, colours);
  out << "old       " << old_one << "\nnew       " << new_one << '\n';
  const auto unknown = std::count_if(differences.begin(), differences.end(), not_known);
  if (unknown > 0)
    out << fmt::format("not known {}, on either: `lockstep matrix` says why\n",
                       plural(static_cast<std::uint64_t>(unknown), "verdict"));
  for (const auto change : {Change::weaker, Change::stronger, Change::changed})
    print_list(out, differences, change, colours);
}

}  // namespace lockstep::cli
