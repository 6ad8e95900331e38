// Reader and writer of stored matrices; see the header.
#include "scenarios/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "sim/base/files.hpp"

namespace lockstep::scenarios {

namespace {

constexpr const char* kMatrixKey = "lockstep_matrix";
constexpr std::int64_t kMostSteps = 1'000'000;

Json to_json(const Finding& finding) {
  Json json{{"condition", finding.condition},
            {"property", name(finding.property)},
            {"verdict", name(finding.standing)}};
  if (finding.standing == Standing::violated) json["steps"] = finding.steps;
  if (finding.standing != Standing::not_reentrant) json["states"] = finding.states;
  if (!finding.detail.empty()) json["detail"] = finding.detail;
  return json;
}

std::string read_condition(const JsonPlace& place) {
  std::vector<std::string> names;
  for (const auto& condition : conditions()) names.push_back(condition.name);
  return names.at(place.one_of(names, "condition"));
}

Finding read_finding(const JsonPlace& place) {
  place.expect_object({"condition", "property", "verdict", "steps", "states", "detail"});
  Finding finding;
  finding.condition = read_condition(place.required("condition"));
  finding.property = sim::kProperties.at(
      place.required("property").one_of(names_of(sim::kProperties), "property"));
  finding.standing =
      kStandings.at(place.required("verdict").one_of(names_of(kStandings), "verdict"));
  const auto steps = place.optional("steps");
  if (finding.standing == Standing::violated)
    finding.steps = static_cast<std::uint64_t>(place.required("steps").integer(1, kMostSteps));
  else if (steps)
    steps->fail("only a violated verdict has a number of steps");
  if (const auto states = place.optional("states"))
    finding.states = static_cast<std::uint64_t>(states->integer(0, INT64_MAX));
  if (const auto detail = place.optional("detail")) finding.detail = detail->text();
  return finding;
}

Matrix read_matrix(const JsonPlace& place) {
  place.expect_object({"world", "fingerprint", "verdicts"});
  const auto world = place.required("world");
  Matrix matrix;
  matrix.world = embedded_scenario(
      world, world.required("protocol").text(), {},
      [](const std::string&, const std::filesystem::path&) { return std::filesystem::path(); });
  matrix.fingerprint = place.required("fingerprint").text();
  const auto verdicts = place.required("verdicts");
  for (const auto& verdict : verdicts.elements()) {
    matrix.findings.push_back(read_finding(verdict));
    const auto& last = matrix.findings.back();
    const auto same =
        std::count_if(matrix.findings.begin(), matrix.findings.end(), [&](const Finding& other) {
          return other.condition == last.condition && other.property == last.property;
        });
    if (same > 1) verdict.fail("a verdict on this condition and property stands twice");
  }
  if (matrix.findings.empty()) verdicts.fail("there is no verdict to compare with");
  return matrix;
}

}  // namespace

std::string matrix_report(const std::vector<Matrix>& matrices) {
  Json json{{kMatrixKey, kMatrixVersion}, {"protocols", Json::array()}};
  for (const auto& matrix : matrices) {
    Json verdicts = Json::array();
    for (const auto& finding : matrix.findings) verdicts.push_back(to_json(finding));
    json["protocols"].push_back({{"world", to_json(matrix.world, matrix.world.protocol)},
                                 {"fingerprint", matrix.fingerprint},
                                 {"verdicts", verdicts}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Matrix> read_matrices(const std::filesystem::path& file) {
  const auto json = parse_json(sim::file_text(file), file.string());
  const JsonPlace place(json, file.string());
  place.required(kMatrixKey)
      .expect_version(kMatrixVersion, "a matrix",
                      "make it again with `lockstep matrix PROTOCOL --json`");
  place.expect_object({kMatrixKey, "protocols"});
  std::vector<Matrix> matrices;
  const auto protocols = place.required("protocols");
  for (const auto& protocol : protocols.elements()) matrices.push_back(read_matrix(protocol));
  if (matrices.empty()) protocols.fail("there is no protocol in it");
  return matrices;
}

}  // namespace lockstep::scenarios
