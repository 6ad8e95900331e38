// Every mistake under tests/data/mistakes/PROTOCOL/MISTAKE makes its protocol weaker, and what
// `lockstep diff` compares must show it, for another reason than that a limit was reached.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
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

std::vector<Finding> judged(const fs::path& folder, const Condition& condition,
                            std::uint64_t max_states) {
  cli::BoundFlags bounds;
  bounds.max_states = max_states;
  std::istringstream in;
  std::ostringstream out;
  const cli::Io io{in, out, out};
  const auto world = cli::matrix_world(folder.filename().string(), folder, {}, bounds);
  return cli::judge_matrices({world}, {condition}, 0, io).front().findings;
}

bool weaker(const std::vector<Finding>& before, const std::vector<Finding>& after) {
  const auto all = scenarios::compare(before, after);
  return std::any_of(all.begin(), all.end(), [](const scenarios::Difference& each) {
    return each.change == scenarios::Change::weaker &&
           each.after.standing != scenarios::Standing::inconclusive;
  });
}

/// A correct protocol, judged under each condition as it is asked for.
class Right {
 public:
  explicit Right(fs::path folder) : folder_(std::move(folder)) {}

  /// Whether some condition shows that `mistake` is weaker; the first that does will do.
  bool beats(const fs::path& mistake, std::uint64_t max_states) {
    const auto& conditions = scenarios::conditions();
    auto& findings = findings_[max_states];
    findings.resize(conditions.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (findings[i].empty()) findings[i] = judged(folder_, conditions[i], max_states);
      if (weaker(findings[i], judged(mistake, conditions[i], max_states))) return true;
    }
    return false;
  }

 private:
  fs::path folder_;
  std::map<std::uint64_t, std::vector<std::vector<Finding>>> findings_;  ///< by limit, condition
};

void check_mistakes(const fs::path& right_folder, const std::vector<fs::path>& mistakes) {
  Right right(right_folder);
  for (const auto& mistake : mistakes) {
    INFO(mistake);
    CHECK((right.beats(mistake, kFew) || right.beats(mistake, kMany)));
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
