// The published schema and the reader are two statements of the same thing: they are compared key
// by key and name by name, and both judge every shipped scenario and every way to spoil one.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "scenarios/catalog.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "scenarios/scenario.hpp"
#include "sim/base/files.hpp"
#include "tests/scenarios/bad_input.hpp"

namespace lockstep::scenarios {

namespace {

namespace fs = std::filesystem;

const fs::path kScenarios = fs::path(LOCKSTEP_SOURCE_DIR) / "scenarios";

Json schema() { return parse_json(sim::file_text(kScenarios / "scenario.schema.json"), "schema"); }

std::set<std::string> sorted(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& item : object.items()) names.insert(item.key());
  return names;
}

/// The schema of the objects at a path of scenario_keys().
Json schema_of(const std::string& path) {
  const auto all = schema();
  if (path == "$") return all;
  if (path == "$.roles.*") return all["properties"]["roles"]["additionalProperties"];
  return all["properties"][path.substr(2)];
}

/// What python3-jsonschema says of each file against the schema: 0 all valid, 1 one is not, 2 it is
/// not installed.
int validate(const std::vector<fs::path>& files, bool expect_valid) {
  std::string command =
      "python3 -c 'import sys, json\n"
      "try: import jsonschema\n"
      "except ImportError: sys.exit(2)\n"
      "schema, want = json.load(open(sys.argv[1])), sys.argv[2] == \"valid\"\n"
      "judge = jsonschema.Draft7Validator(schema)\n"
      "wrong = [f for f in sys.argv[3:] if judge.is_valid(json.load(open(f))) != want]\n"
      "print(*wrong, sep=chr(10), end=chr(10) if wrong else str())\n"
      "sys.exit(1 if wrong else 0)' ";
  command +=
      (kScenarios / "scenario.schema.json").string() + (expect_valid ? " valid" : " invalid");
  for (const auto& file : files) command += " " + file.string();
  return WEXITSTATUS(std::system(command.c_str()));
}

bool reads(const fs::path& file) {
  const auto any = [](const std::string&, const fs::path&) { return fs::path("/"); };
  return tests::bad_input([&] { read_scenario(file, any); }).empty();
}

std::vector<fs::path> shipped_files() {
  std::vector<fs::path> files;
  for (const auto& name : Catalog(LOCKSTEP_SOURCE_DIR).scenarios())
    files.push_back(kScenarios / (name + ".json"));
  return files;
}

/// Every object and array of a document gets a member too many, and every value another type.
void spoil(const Json& whole, const Json::json_pointer& at, std::vector<Json>& spoilt) {
  const auto& value = whole[at];
  const auto with = [&](const Json::json_pointer& where, const Json& other) {
    spoilt.push_back(whole);
    spoilt.back()[where] = other;
  };
  if (value.is_object() && at.to_string() != "/roles") with(at / "no-such-key", 1);
  with(at, value.is_null() ? Json(1) : Json());
  if (value.is_structured()) with(at, "text");
  if (value.is_string() || value.is_number()) with(at, Json::array({Json::array()}));
  if (value.is_object())
    for (const auto& item : value.items()) spoil(whole, at / item.key(), spoilt);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) spoil(whole, at / i, spoilt);
}

}  // namespace

TEST_CASE("the schema has exactly the reader's keys, and allows no others") {
  for (const auto& [path, names] : scenario_keys()) {
    INFO(path);
    CHECK(keys(schema_of(path)["properties"]) == sorted(names));
    CHECK(schema_of(path)["additionalProperties"] == false);
  }
}

TEST_CASE("the schema has exactly the reader's names") {
  const auto properties = schema()["properties"];
  CHECK(properties["properties"]["items"]["enum"] == names_of(sim::kProperties));
  CHECK(properties["expect"]["properties"]["property"]["enum"] == names_of(sim::kProperties));
  CHECK(properties["expect"]["properties"]["verdict"]["enum"] == names_of(kOutcomes));
  CHECK(properties["witnesses"]["items"]["enum"] == names_of(sim::kWitnesses));
  CHECK(properties["server"]["enum"] == names_of(sim::kServerVersions));
  CHECK(properties["persistence"]["enum"] == names_of(sim::kPersistences));
  CHECK(properties["waits"]["properties"]["after"]["enum"] == names_of(sim::kWaitsAfter));
  CHECK(properties["resource"]["enum"] == names_of(sim::kResources));
}

TEST_CASE("reader and schema accept every shipped scenario") {
  const auto files = shipped_files();
  REQUIRE(files.size() >= 20);
  for (const auto& file : files) {
    INFO(file);
    CHECK(reads(file));
  }
  const int status = validate(files, true);
  if (status == 2)
    std::cerr << "SKIPPED: python3-jsonschema is not installed; the schema itself did not judge "
                 "the scenarios\n";
  else
    CHECK(status == 0);
}

TEST_CASE("reader and schema refuse every spoilt scenario") {
  const tests::TemporaryFolder folder;
  std::vector<fs::path> files;
  std::vector<Json> spoilt;
  for (const auto* name :
       {"set-token-lua-pause.json", "set-token-lua-pause-told.json", "fencing-node-crash-aof.json"})
    spoil(parse_json(sim::file_text(kScenarios / name), name), Json::json_pointer(""), spoilt);
  for (const auto& json : spoilt) {
    files.push_back(folder.write(std::to_string(files.size()) + ".json", json.dump()));
    INFO(json.dump());
    CHECK_FALSE(reads(files.back()));
  }
  REQUIRE(files.size() > 100);
  const int status = validate(files, false);
  if (status == 2)
    std::cerr << "SKIPPED: python3-jsonschema is not installed; the schema itself did not judge "
                 "the spoilt scenarios\n";
  else
    CHECK(status == 0);
}

}  // namespace lockstep::scenarios
