// `lockstep list`: what is there.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/report.hpp"
#include "cli/words.hpp"
#include "cli/wrap.hpp"
#include "scenarios/conditions.hpp"
#include "scenarios/names.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

template <class Row, std::size_t count>
std::vector<Listed> listed(const std::string& group, const std::array<Row, count>& table,
                           const char* Row::*text) {
  std::vector<Listed> rows;
  for (const auto& row : table) rows.push_back({group, row.name, row.*text});
  return rows;
}

std::string claim(const scenarios::Expectation& expect) {
  std::string words = name(expect.outcome);
  if (expect.property) words += std::string(" ") + name(*expect.property);
  if (expect.steps) words += fmt::format(" {}", *expect.steps);
  return words;
}

std::vector<Listed> rows_of(const std::string& group, const scenarios::Catalog& catalog) {
  std::vector<Listed> rows;
  if (group == "protocols")
    for (const auto& protocol : catalog.protocols())
      rows.push_back({group, protocol, sim::Program(catalog.protocol_folder(protocol)).title()});
  if (group == "scenarios")
    for (const auto& shipped : catalog.scenarios()) {
      const auto scenario = catalog.read(catalog.scenario_file(shipped));
      rows.push_back(
          {group, shipped, fmt::format("{} [{}]", scenario.title, claim(scenario.expect.value()))});
    }
  if (group == "faults") return listed(group, sim::kFaultTable, &sim::FaultRow::meaning);
  if (group == "properties")
    return listed(group, sim::kPropertyTable, &sim::PropertyRow::violated_when);
  if (group == "witnesses") return listed(group, sim::kWitnessTable, &sim::WitnessRow::met_when);
  if (group == "conditions")
    for (const auto& condition : scenarios::conditions())
      rows.push_back({group, condition.name, condition.meaning});
  if (group == "steps")
    for (const auto& sentence : scenarios::sentences())
      rows.push_back({group, sentence.form, sentence.meaning});
  return rows;
}

/// What stands above a group: how to use its names.
std::string heading(const std::string& group) {
  if (group == "protocols") return "protocols: lockstep check NAME";
  if (group == "scenarios")
    return "scenarios, with what they expect: lockstep check NAME, lockstep replay NAME";
  if (group == "faults") return "faults: lockstep check PROTOCOL --fault NAME=1";
  if (group == "properties")
    return "properties, violated when: lockstep check PROTOCOL --property NAME";
  if (group == "conditions")
    return "conditions, under which `lockstep matrix` and `lockstep diff` judge a protocol";
  if (group == "witnesses")
    return "witnesses, without which a verdict is vacuous: `witnesses` of a scenario";
  return "steps of a schedule: `steps` of a scenario of kind `schedule`";
}

/// The rows with a text beside each name; below it where names take more than half the width.
void print_rows(const std::vector<Listed>& rows, Io& io) {
  std::size_t width = 0;
  for (const Listed& row : rows) width = std::max(width, row.name.size());
  const bool below = io.columns > 0 && 2 * width > io.columns;
  std::string text;
  for (const Listed& row : rows)
    text += below ? fmt::format("  {}\n      {}\n", row.name, row.text)
                  : fmt::format("  {:<{}}  {}\n", row.name, width, row.text);
  io.out << hung(text, io.columns);
}

/// All names if three lines have room for them, else as many as fit into two.
void print_overview(const std::string& group, const std::vector<Listed>& rows, Io& io) {
  constexpr std::size_t kWidth = 78, kMore = 15;  // "... and 999 more"
  std::size_t all = 0;
  for (const Listed& row : rows) all += row.name.size() + 2;
  const std::size_t most = all < 3 * kWidth - kMore ? 3 : 2;
  io.out << heading(group) << '\n';
  std::string text, line = " ";
  std::size_t lines = 1, shown = 0;
  for (const Listed& row : rows) {
    const bool last = ++shown == rows.size();
    const std::string name = ' ' + row.name + (last ? "" : ",");
    const std::size_t room = kWidth - (lines == most && !last ? kMore : 0);
    if (line.size() + name.size() > room) {
      if (lines++ == most) {
        line += fmt::format(" and {} more", rows.size() - --shown);
        break;
      }
      text += std::exchange(line, " ") + '\n';
    }
    line += name;
  }
  io.out << text << line << '\n';
}

}  // namespace

int list(const ListArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto& groups = list_groups();
  const auto chosen = arguments.what.empty() ? groups : std::vector<std::string>{arguments.what};
  const bool overview = arguments.what.empty() && !arguments.all && arguments.filter.empty();
  std::vector<Listed> all;
  for (const auto& group : chosen) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end())
      throw sim::BadInput(
          fmt::format("list: no `{}`{}", group, scenarios::suggestion(group, groups)));
    auto rows = rows_of(group, catalog);
    std::erase_if(rows, [&](const Listed& row) {
      return (row.name + ' ' + row.text).find(arguments.filter) == std::string::npos;
    });
    const bool first = all.empty();
    all.insert(all.end(), rows.begin(), rows.end());
    if (arguments.json || rows.empty()) continue;
    if (overview) {
      print_overview(group, rows, io);
    } else {
      io.out << (first ? "" : "\n") << heading(group) << '\n';
      print_rows(rows, io);
    }
  }
  if (all.empty())
    throw sim::BadInput(
        fmt::format("list: --filter: nothing has `{}` in its name or its text", arguments.filter));
  if (arguments.json) io.out << list_report(all);
  if (overview && !arguments.json)
    io.out << "\nlockstep list protocols (or another of these words) explains them; --all all.\n";
  return kAsExpected;
}

}  // namespace lockstep::cli
