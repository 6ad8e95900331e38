// `lockstep table`: protocols against faults, a check a cell.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/words.hpp"
#include "scenarios/judge.hpp"
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

void print_table(std::ostream& out, const std::vector<std::string>& protocols,
                 const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < protocols.size(); ++i)
    out << fmt::format("{:3}  {}\n", i + 1, protocols[i]);
  out << fmt::format("\n{:<13}", "");
  for (std::size_t i = 0; i < protocols.size(); ++i) out << fmt::format("{:>13}", i + 1);
  std::string condition;
  for (const auto& cell : cells) {
    if (cell.condition != condition) out << fmt::format("\n{:<13}", cell.condition);
    condition = cell.condition;
    out << fmt::format("{:>13}", cell_text(cell.result));
  }
  out << "\n\nholds N: every run, N states. Otherwise what a shortest run violates, and its "
         "steps:\n";
  std::vector<std::string> legend;
  for (const auto property : sim::kProperties)
    legend.push_back(fmt::format("{} = {}", short_name(property), name(property)));
  out << fmt::format("{}; ? = a limit was reached first\n", fmt::join(legend, ", "));
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
  const Interruptible interruptible;
  std::vector<Cell> cells;
  for (const auto& condition : conditions())
    for (const auto& protocol : protocols) {
      const auto scenario = world_of(protocol, condition, arguments, catalog);
      const auto judgement = scenarios::judge(scenario, progress(io, scenario.bounds));
      cells.push_back({protocol, condition.name, judgement.result});
    }
  end_progress(io);
  if (arguments.json)
    io.out << scenarios::table_report(cells);
  else
    print_table(io.out, protocols, cells);
  return exit_code(cells);
}

}  // namespace lockstep::cli
