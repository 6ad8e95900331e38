// See sarif.hpp.
#include "cli/sarif.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <string_view>

#include "cli/suite.hpp"
#include "scenarios/json_reader.hpp"
#include "sim/base/path.hpp"

namespace lockstep::cli {

namespace {

using scenarios::Json;
using Status = Tested::Status;

/// Relative to where lockstep runs, if it is below.
std::string uri_of(const std::filesystem::path& file) {
  const auto whole = std::filesystem::absolute(file).lexically_normal();
  const auto relative = whole.lexically_relative(std::filesystem::current_path());
  const bool below = !relative.empty() && *relative.begin() != "..";
  std::string uri = below ? "" : "file://";
  for (const char c : below ? relative.generic_string() : whole.generic_string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json location(const std::filesystem::path& file, int line, const std::string& says = "") {
  Json json{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(file)}}}}}};
  if (line > 0) json["physicalLocation"]["region"] = {{"startLine", line}};
  if (!says.empty()) json["message"] = {{"text", says}};
  return json;
}

std::string rule_of(const Tested& tested) {
  if (tested.status == Status::broken) return "broken-scenario";
  if (tested.status == Status::failure) return "bug-of-lockstep";
  if (tested.trace && tested.trace->violated) return name(*tested.trace->violated);
  return "not-as-expected";
}

/// The steps that run a line of the protocol, each at the last of them.
Json flow_of(const Tested& tested) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < tested.trace->steps.size(); ++i) {
    const auto& [data, prose] = tested.trace->steps[i];
    if (data.ran.empty()) continue;
    const auto file = tested.folder / data.ran.back().file;
    if (!sim::is_file(file)) continue;  // a script that the client has as a text
    const auto says = fmt::format("{}: {}", i + 1, in_one_line(prose));
    steps.push_back({{"location", location(file, data.ran.back().number, says)}});
  }
  return steps;
}

Json result_of(const Tested& tested) {
  std::string text = tested.name + ": " + tested.text;
  if (tested.trace && tested.trace->violated) text += ". " + tested.trace->violation;
  Json json{{"ruleId", rule_of(tested)},
            {"level", "error"},
            {"message", {{"text", text + "\n" + how_to_see(tested)}}},
            {"partialFingerprints", {{"scenario/v1", tested.name}}}};
  const Json flow = tested.trace ? flow_of(tested) : Json::array();
  // Of braces round a single element compilers differ: an array, or the element itself.
  json["locations"] =
      Json::array({flow.empty() ? location(tested.file, 1) : flow.back()["location"]});
  if (flow.empty()) return json;
  json["relatedLocations"] = Json::array({location(tested.file, 1, "the scenario")});
  const Json thread{{"locations", flow}};
  const Json flows{{"threadFlows", Json::array({thread})}};
  json["codeFlows"] = Json::array({flows});
  return json;
}

}  // namespace

std::string sarif(const std::vector<Tested>& all) {
  Json results = Json::array(), rules = Json::array();
  std::set<std::string> known;
  for (const Tested& tested : all) {
    const bool fails = tested.status == Status::different || tested.status == Status::broken ||
                       tested.status == Status::failure;
    if (!fails) continue;
    results.push_back(result_of(tested));
    const std::string rule = rule_of(tested);
    if (known.insert(rule).second)
      rules.push_back({{"id", rule}, {"shortDescription", {{"text", "lockstep: " + rule}}}});
  }
  const Json driver{{"name", "lockstep"}, {"version", LOCKSTEP_VERSION}, {"rules", rules}};
  const Json run{{"tool", {{"driver", driver}}}, {"results", results}};
  const Json document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}};
  return text_of(document);
}

}  // namespace lockstep::cli
