// Every row of the tables of the domain has its entry in docs/semantics.md, and shipped scenarios
// that need it. (That the schema has each name, schema_test.cpp compares.)
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "scenarios/catalog.hpp"
#include "scenarios/scenario.hpp"
#include "sim/base/files.hpp"
#include "sim/model/action.hpp"

namespace lockstep::scenarios {

namespace {

/// The page calls things by their enumerators.
std::string enumerator(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string page(const std::string& name) {
  return sim::file_text(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "docs" / name);
}

/// The tables of a page: the second column, by each word in backquotes of the first.
std::map<std::string, std::string> rows_of(const std::string& name) {
  std::istringstream lines(page(name));
  std::map<std::string, std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const auto head_ends = line.find(" | ");
    const auto cell = line.substr(head_ends + 3, line.find(" | ", head_ends + 3) - head_ends - 3);
    for (auto at = line.find('`'); at < head_ends;) {
      const auto ends = line.find('`', at + 1);
      rows[line.substr(at + 1, ends - at - 1)] = cell;
      at = line.find('`', ends + 1);
    }
  }
  return rows;
}

/// The paragraph of docs/semantics.md that begins with `word`.
std::string paragraph(const std::string& word) {
  const auto text = page("semantics.md");
  const auto begins = text.find("\n" + word);
  REQUIRE(begins != std::string::npos);
  return text.substr(begins, text.find("\n\n", begins) - begins);
}

const std::vector<Scenario>& shipped() {
  static const std::vector<Scenario> all = [] {
    const Catalog catalog(LOCKSTEP_SOURCE_DIR);
    std::vector<Scenario> scenarios;
    for (const auto& name : catalog.scenarios())
      scenarios.push_back(catalog.read(catalog.scenario_file(name)));
    return scenarios;
  }();
  return all;
}

template <class Needs>
bool some_scenario(Needs needs) {
  return std::any_of(shipped().begin(), shipped().end(), needs);
}

}  // namespace

TEST_CASE("every action has its row in the page, which says what limits it") {
  const auto rows = rows_of("semantics.md");
  for (const auto& row : sim::kActionTable) {
    INFO(row.name);
    const auto found = rows.find(enumerator(row.name));
    REQUIRE(found != rows.end());
    CHECK(found->second.starts_with("budget;") == row.fault.has_value());
  }
}

TEST_CASE("every property has its row in the page, and every row its action or property") {
  const auto rows = rows_of("semantics.md");
  for (const auto& row : sim::kPropertyTable) {
    INFO(row.name);
    CHECK(rows.contains(enumerator(row.name)));
  }
  CHECK(rows.size() == sim::kActionTable.size() + sim::kPropertyTable.size());
}

TEST_CASE("docs/live.md says of every property when it is judged") {
  const auto rows = rows_of("live.md");
  for (const auto& row : sim::kPropertyTable) {
    INFO(row.name);
    const auto found = rows.find(row.name);
    REQUIRE(found != rows.end());
    CHECK((found->second == "at the end") == (row.live == sim::LiveJudge::end));
  }
}

TEST_CASE("every witness stands in the page's paragraph about them") {
  const auto witnesses = paragraph("Witnesses:");
  for (const auto& row : sim::kWitnessTable) {
    INFO(row.name);
    CHECK(witnesses.find("`" + enumerator(row.name) + "`") != std::string::npos);
  }
}

TEST_CASE("some shipped scenario has each fault") {
  for (const auto fault : sim::kFaults) {
    INFO(name(fault));
    CHECK(some_scenario([&](const Scenario& scenario) {
      return scenario.faults[static_cast<std::size_t>(fault)] > 0;
    }));
  }
}

TEST_CASE("some shipped scenario violates each property, and one holds that is judged by it") {
  for (const auto property : sim::kProperties) {
    INFO(name(property));
    CHECK(some_scenario(
        [&](const Scenario& scenario) { return scenario.expect->property == property; }));
    CHECK(some_scenario([&](const Scenario& scenario) {
      return scenario.expect->outcome == Outcome::holds && scenario.properties.contains(property);
    }));
  }
}

TEST_CASE("some shipped scenario asks for each witness") {
  for (const auto witness : sim::kWitnesses) {
    INFO(name(witness));
    CHECK(some_scenario(
        [&](const Scenario& scenario) { return scenario.witnesses.contains(witness); }));
  }
}

}  // namespace lockstep::scenarios
