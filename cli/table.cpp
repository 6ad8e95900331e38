// `lockstep table`: protocols against faults, a check a cell.
#include <fmt/format.h>

#include <utility>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/words.hpp"
#include "scenarios/judge.hpp"
#include "scenarios/names.hpp"
#include "scenarios/report.hpp"
#include "sim/error.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Cell;
using scenarios::Scenario;

/// A row of the table: what is added to the world.
struct Condition {
  std::string name;
  std::optional<sim::Fault> fault;
  bool long_work = false;
};

std::vector<Condition> conditions() {
  std::vector<Condition> rows{{"no fault", std::nullopt, false},
                              {"work > lease", std::nullopt, true}};
  for (const auto fault : sim::kFaults) rows.push_back({name(fault), fault, false});
  return rows;
}

/// A table for each of these: what is checked. Without a choice the second shows what a resource
/// that checks fencing tokens is spared, which the first hides behind other violations.
std::vector<std::set<sim::Property>> claims(const TableArguments& arguments) {
  Scenario scenario;
  ModelFlags chosen;
  chosen.properties = arguments.model.properties;
  apply(chosen, scenario);
  if (chosen.any()) return {scenario.properties};
  return {{sim::kProperties.begin(), sim::kProperties.end()}, {sim::Property::no_lost_update}};
}

Scenario world_of(const std::string& protocol, const Condition& condition,
                  const TableArguments& arguments, const scenarios::Catalog& catalog) {
  auto scenario = scenarios::default_scenario(protocol, catalog.protocol_folder(protocol));
  scenario.resource = sim::Resource::fenced;
  apply(arguments.model, scenario);
  apply(arguments.bounds, scenario);
  if (condition.fault) scenario.faults.at(static_cast<std::size_t>(*condition.fault)) = 1;
  if (!condition.long_work) return scenario;
  ModelFlags longer;
  longer.work_ms = scenario.lease_ms + scenario.lease_ms / 2;
  apply(longer, scenario);
  return scenario;
}

/// A property in few letters, for a cell.
std::string short_name(sim::Property property) {
  switch (property) {
    case sim::Property::mutual_exclusion:
      return "mutex";
    case sim::Property::no_lost_update:
      return "lost";
    case sim::Property::foreign_release:
      return "release";
    case sim::Property::foreign_extend:
      return "extend";
    case sim::Property::honest_result:
      return "honest";
    case sim::Property::reentrancy:
      return "reentry";
    case sim::Property::deadlock:
      return "deadlock";
    case sim::Property::leak:
      return "leak";
  }
  return "";
}

std::string cell_text(const checker::Result& result) {
  switch (scenarios::outcome_of(result)) {
    case scenarios::Outcome::holds:
      return "holds " + grouped(result.statistics.states);
    case scenarios::Outcome::violated:
      return fmt::format("{} {}", short_name(*result.property), result.schedule.size());
    case scenarios::Outcome::vacuous:
      return "vacuous";
    case scenarios::Outcome::inconclusive:
      return "?";
  }
  return "";
}

/// What the short names of a table stand for.
std::string legend(const std::set<sim::Property>& properties) {
  std::vector<std::string> words{"holds N = every run, N states",
                                 "NAME N = violated after N steps, the fewest"};
  for (const auto property : properties)
    if (short_name(property) != name(property))
      words.push_back(fmt::format("{} = {}", short_name(property), name(property)));
  words.emplace_back("? = a limit was reached first");
  std::string text, line;
  for (const auto& word : words) {
    if (line.size() + word.size() > 98) text += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : "; ") + word;
  }
  return text + line + "\n";
}

void print_table(std::ostream& out, const std::vector<std::string>& protocols,
                 const std::vector<Cell>& cells) {
  const auto& properties = cells.front().properties;
  const bool all = properties.size() == sim::kProperties.size();
  out << (all ? "every property"
              : fmt::format("{}", fmt::join(scenarios::names_of(properties), ", ")))
      << "\n\n";
  out << fmt::format("{:<13}", "");
  for (std::size_t i = 0; i < protocols.size(); ++i) out << fmt::format("{:>13}", i + 1);
  std::string condition;
  for (const auto& cell : cells) {
    if (cell.condition != condition) out << fmt::format("\n{:<13}", cell.condition);
    condition = cell.condition;
    out << fmt::format("{:>13}", cell_text(cell.result));
  }
  out << "\n\n" << legend(properties);
}

std::vector<Cell> check_cells(const std::vector<std::string>& protocols,
                              const std::set<sim::Property>& properties,
                              const TableArguments& arguments, const scenarios::Catalog& catalog,
                              const Io& io) {
  std::vector<Cell> cells;
  for (const auto& condition : conditions())
    for (const auto& protocol : protocols) {
      auto scenario = world_of(protocol, condition, arguments, catalog);
      scenario.properties = properties;
      const auto judgement = scenarios::judge(scenario, progress(io, scenario.bounds));
      cells.push_back({protocol, condition.name, properties, judgement.result});
    }
  end_progress(io);
  return cells;
}

/// Inconclusive cells make the table so; violated ones are what a table is for.
int exit_code(const std::vector<Cell>& cells) {
  for (const auto& cell : cells)
    if (cell.result.verdict == checker::Verdict::inconclusive || cell.result.vacuous())
      return kInconclusive;
  return kAsExpected;
}

}  // namespace

int table(const TableArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto protocols = arguments.protocols.empty() ? catalog.ladder() : arguments.protocols;
  if (protocols.empty())
    throw sim::BadInput("table: name the protocols; there is no shipped ladder here");
  for (const auto& protocol : protocols) catalog.protocol_folder(protocol);
  if (!arguments.json)
    for (std::size_t i = 0; i < protocols.size(); ++i)
      io.out << fmt::format("{:3}  {}\n", i + 1, protocols[i]);
  const Interruptible interruptible;
  std::vector<Cell> all;
  for (const auto& properties : claims(arguments)) {
    const auto cells = check_cells(protocols, properties, arguments, catalog, io);
    if (!arguments.json) io.out << '\n';
    if (!arguments.json) print_table(io.out, protocols, cells);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  if (arguments.json) io.out << scenarios::table_report(all);
  return exit_code(all);
}

}  // namespace lockstep::cli
