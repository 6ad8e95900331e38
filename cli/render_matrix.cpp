// See render_matrix.hpp.
#include "cli/render_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/escaped.hpp"
#include "cli/render_grid.hpp"
#include "cli/words.hpp"
#include "scenarios/names.hpp"
#include "sim/base/check.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Finding;
using scenarios::Matrix;
using scenarios::Standing;

/// What stands in a cell for a verdict that is not `violated`.
std::string standing_text(const Finding& finding) {
  switch (finding.standing) {
    case Standing::holds:
      return "holds";
    case Standing::vacuous:
      return "vacuous";
    case Standing::inconclusive:
      return "?";
    case Standing::cannot_happen:
      return "n/a";
    case Standing::violated:
    case Standing::not_reentrant:
      break;
  }
  sim::fail("a verdict without a cell", __FILE__, __LINE__);
}

const Finding& verdict_on(const Matrix& matrix, const std::string& condition,
                          const std::set<sim::Property>& properties) {
  // Violated ones stand first, fewest steps first.
  const auto found =
      std::find_if(matrix.findings.begin(), matrix.findings.end(), [&](const Finding& finding) {
        return finding.condition == condition && properties.contains(finding.property);
      });
  LOCKSTEP_CHECK(found != matrix.findings.end());
  return *found;
}

std::string overview_cell(const Finding& finding) {
  if (finding.standing == Standing::violated)
    return fmt::format("{} {}", row(finding.property).short_name, finding.steps);
  if (finding.standing == Standing::holds) return "holds " + grouped(finding.states);
  return standing_text(finding);
}

std::vector<std::string> conditions_of(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const auto& finding : matrix.findings)
    if (names.empty() || names.back() != finding.condition) names.push_back(finding.condition);
  return names;
}

/// `words` with "; " between them, in lines of at most a hundred letters.
std::string wrapped(const std::vector<std::string>& words) {
  std::string text, line;
  for (const auto& word : words) {
    if (!line.empty() && line.size() + word.size() > 98) text += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : "; ") + word;
  }
  return text + line + "\n";
}

/// What the short words of a matrix stand for.
std::string legend(const std::vector<Finding>& findings, const scenarios::Scenario& world,
                   const std::set<sim::Property>& properties, std::vector<std::string> words) {
  if (world.latency_ms == 0) words.emplace_back("messages take no time");
  for (const auto property : properties)
    if (const std::string shorter = row(property).short_name; shorter != name(property))
      words.push_back(fmt::format("{} = {}", shorter, name(property)));
  const std::vector<std::pair<Standing, std::string>> meanings{
      {Standing::cannot_happen, "n/a = this fault can never happen here"},
      {Standing::inconclusive, "? = not known"},
      {Standing::vacuous,
       "vacuous = somebody never acquired, or nobody released, so nothing is shown"}};
  for (const auto& [standing, meaning] : meanings)
    if (std::any_of(findings.begin(), findings.end(), [standing = standing](const Finding& each) {
          return each.standing == standing;
        }))
      words.push_back(meaning);
  return wrapped(words);
}

/// Why something is not known, a line for each condition.
void print_details(std::ostream& out, const Matrix& matrix, bool markdown) {
  std::string last;
  for (const auto& finding : matrix.findings) {
    const auto line =
        fmt::format("{}, {}: {}", matrix.world.protocol, finding.condition, finding.detail);
    if (!finding.detail.empty() && line != last)
      out << (markdown ? "- " + markdown_escaped(line) : line) << '\n';
    last = line;
  }
}

void print_grid(std::ostream& out, const Grid& grid, TableLook look) {
  if (look.markdown)
    print_markdown(out, grid);
  else
    print_text(out, grid, look.columns);
}

}  // namespace

void print_overview(std::ostream& out, const std::vector<Matrix>& matrices,
                    const std::set<sim::Property>& properties, TableLook look) {
  Grid grid;
  grid.corner = properties.size() == 1                                ? name(*properties.begin())
                : properties.size() >= sim::usual_properties().size() ? "every property"
                                                                      : "some properties";
  grid.columns = conditions_of(matrices.front());
  std::vector<Finding> all;
  for (const auto& matrix : matrices) {
    grid.rows.push_back(matrix.world.protocol);
    grid.cells.emplace_back();
    for (const auto& condition : grid.columns) {
      all.push_back(verdict_on(matrix, condition, properties));
      grid.cells.back().push_back(overview_cell(all.back()));
    }
  }
  print_grid(out, grid, look);
  out << '\n'
      << legend(all, matrices.front().world, properties,
                {"holds N = every run, N states", "NAME N = violated after N steps, the fewest"});
  for (const auto& matrix : matrices) print_details(out, matrix, look.markdown);
}

void print_breaks(std::ostream& out, const std::vector<Matrix>& matrices, TableLook look) {
  const auto& properties = matrices.front().world.properties;
  const auto conditions = conditions_of(matrices.front());
  Grid grid;
  grid.corner = "what breaks it";
  for (const auto property : properties) grid.columns.emplace_back(row(property).short_name);
  for (const auto& matrix : matrices) {
    grid.rows.push_back(matrix.world.protocol);
    auto& cells = grid.cells.emplace_back();
    for (const auto property : properties) {
      std::size_t violated = 0, open = 0;
      for (const auto& condition : conditions) {
        const auto standing = verdict_on(matrix, condition, {property}).standing;
        if (standing == Standing::violated) ++violated;
        if (standing == Standing::inconclusive || standing == Standing::vacuous) ++open;
      }
      const std::string count = violated == 0 ? "" : std::to_string(violated);
      cells.push_back(count + (open > 0 ? "?" : violated == 0 ? "-" : ""));
    }
  }
  print_grid(out, grid, look);
  out << '\n'
      << wrapped({fmt::format("N = violated under N of these {} conditions", conditions.size()),
                  "- = under none", "? = not known of some"});
}

void print_matrix(std::ostream& out, const Matrix& matrix, TableLook look) {
  Grid grid;
  grid.corner = matrix.world.protocol;
  for (const auto property : matrix.world.properties)
    grid.columns.emplace_back(row(property).short_name);
  grid.columns.emplace_back("states");
  bool reentrant = true;
  for (const auto& condition : conditions_of(matrix)) {
    const auto& properties = matrix.world.properties;
    if (verdict_on(matrix, condition, properties).standing == Standing::not_reentrant) {
      reentrant = false;
      continue;
    }
    grid.rows.push_back(condition);
    auto& row = grid.cells.emplace_back();
    std::uint64_t states = 0;
    for (const auto property : properties) {
      const auto& finding = verdict_on(matrix, condition, {property});
      states = std::max(states, finding.states);
      row.push_back(finding.standing == Standing::violated ? std::to_string(finding.steps)
                                                           : standing_text(finding));
    }
    row.push_back(grouped(states));
  }
  print_grid(out, grid, look);
  out << '\n'
      << legend(matrix.findings, matrix.world, matrix.world.properties,
                {"N = violated after N steps, the fewest", "holds = in every run",
                 "states = of the largest search"});
  if (!reentrant)
    out << "The lock is not re-entrant: the conditions with re-entry are not applicable.\n";
  print_details(out, matrix, look.markdown);
}

std::string in_words(const Finding& finding) {
  switch (finding.standing) {
    case Standing::holds:
      return "holds";
    case Standing::cannot_happen:
      return "holds (cannot happen)";
    case Standing::violated:
      return fmt::format("violated, {}", plural(finding.steps, "step"));
    case Standing::inconclusive:
      return "not known: " + finding.detail;
    case Standing::vacuous:
      return "vacuous" + (finding.detail.empty() ? "" : ": " + finding.detail);
    case Standing::not_reentrant:
      return "not re-entrant";
  }
  sim::fail("a verdict without words", __FILE__, __LINE__);
}

}  // namespace lockstep::cli
