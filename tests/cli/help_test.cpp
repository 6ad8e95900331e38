// What the help says of properties is what the table says of them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "cli/help_text.hpp"
#include "sim/model/properties.hpp"

namespace lockstep::cli {

namespace {

/// The words of a text, with single spaces between them.
std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::vector<std::string> judged_by(sim::LiveJudge judge) {
  std::vector<std::string> names;
  for (const auto& row : sim::kPropertyTable)
    if (row.live == judge) names.emplace_back(row.name);
  return names;
}

}  // namespace

TEST_CASE("`lockstep live --help` names the properties that are judged at the end, or not always") {
  const auto text = in_one_line(help::kLiveFooter);
  const auto about_the_end = text.substr(0, text.find(" at the end"));
  for (const auto& name : judged_by(sim::LiveJudge::end)) {
    INFO(name);
    CHECK(about_the_end.find(name) != std::string::npos);
  }
  auto owned = judged_by(sim::LiveJudge::ownership);
  const auto last = owned.back();
  owned.pop_back();
  CHECK(text.find(fmt::format("{} and {} are not judged", fmt::join(owned, ", "), last)) !=
        std::string::npos);
}

}  // namespace lockstep::cli
