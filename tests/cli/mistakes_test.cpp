// Every mistake under tests/data/mistakes/PROTOCOL/MISTAKE makes its protocol weaker, and what
// `lockstep diff` compares must show it, for another reason than that a limit was reached.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "cli/judge_matrix.hpp"
#include "scenarios/compare.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;
using scenarios::Condition;
using scenarios::Finding;

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

constexpr std::uint64_t kFew = 10'000, kMany = 100'000;

/// The conditions in which most mistakes show: without more rounds or threads the searches are
/// short.
std::vector<Condition> quick_conditions() {
  std::vector<Condition> quick;
  for (const auto& each : scenarios::conditions())
    if (each.more_rounds == 0 && each.more_threads == 0 &&
        (each.overview || each.faults == sim::Budget{}))
      quick.push_back(each);
  return quick;
}

std::vector<Finding> judged(const fs::path& folder, const std::vector<Condition>& conditions,
                            std::uint64_t max_states) {
  cli::BoundFlags bounds;
  bounds.max_states = max_states;
  std::istringstream in;
  std::ostringstream out;
  const cli::Io io{in, out, out};
  const auto world = cli::matrix_world(folder.filename().string(), folder, {}, bounds);
  return cli::judge_matrices({world}, conditions, 0, io).front().findings;
}

bool weaker(const std::vector<Finding>& before, const std::vector<Finding>& after) {
  const auto all = scenarios::compare(before, after);
  return std::any_of(all.begin(), all.end(), [](const scenarios::Difference& each) {
    return each.change == scenarios::Change::weaker &&
           each.after.standing != scenarios::Standing::inconclusive;
  });
}

void check_mistakes(const fs::path& right, const std::vector<fs::path>& mistakes) {
  const auto quick = judged(right, quick_conditions(), kFew);
  std::vector<Finding> thorough;
  for (const auto& mistake : mistakes) {
    INFO(mistake);
    if (weaker(quick, judged(mistake, quick_conditions(), kFew))) continue;
    if (thorough.empty()) thorough = judged(right, scenarios::conditions(), kMany);
    CHECK(weaker(thorough, judged(mistake, scenarios::conditions(), kMany)));
  }
}

}  // namespace

TEST_CASE("every known mistake makes a verdict weaker", "[.mistakes]") {
  const fs::path home = LOCKSTEP_SOURCE_DIR;
  std::size_t mistakes = 0;
  for (const auto& of_protocol : folders_in(home / "tests/data/mistakes")) {
    INFO(of_protocol);
    const auto right = home / "protocols" / of_protocol.filename();
    const auto all = folders_in(of_protocol);
    mistakes += all.size();
    CHECK_NOTHROW(check_mistakes(right, all));
  }
  CHECK(mistakes >= 5);
}

}  // namespace lockstep::tests
