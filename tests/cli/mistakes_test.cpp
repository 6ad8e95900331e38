// Every mistake under tests/data/mistakes makes its protocol weaker: what `lockstep diff` compares
// must show it, for another reason than that a limit was reached, and so must the one check that
// the mistake says it is seen by.
#include "tests/support/mistakes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "cli/judge_matrix.hpp"
#include "scenarios/compare.hpp"
#include "sim/base/temporary_folder.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;
using scenarios::Condition;
using scenarios::Finding;

constexpr std::uint64_t kFew = 10'000, kMany = 100'000;

std::vector<Finding> judged(const fs::path& folder, const Condition& condition,
                            std::uint64_t max_states) {
  std::istringstream in;
  std::ostringstream out;
  const cli::Io io{in, out, out};
  const auto world = cli::matrix_world(folder.filename().string(), folder, {}, {}, max_states);
  return cli::judge_matrices({world}, {condition}, {}, io).front().findings;
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

/// "" if the check that a mistake names judges it worse than the shipped protocol; otherwise the
/// two verdicts.
std::string not_seen(const test::Mistake& mistake, const fs::path& folder) {
  // The worse, the later; a watchdog beside a pause is inconclusive at best.
  static const std::vector<std::string> verdicts{"HOLDS", "INCONCLUSIVE", "VACUOUS", "VIOLATED"};
  constexpr std::ptrdiff_t kSeen = 2;
  std::istringstream words(mistake.seen_by);
  const std::vector<std::string> flags{std::istream_iterator<std::string>(words), {}};
  std::string said;
  std::vector<std::ptrdiff_t> ranks;
  for (const auto& protocol : {mistake.protocol, folder.string()}) {
    std::vector<std::string> command{"check", protocol};
    command.insert(command.end(), flags.begin(), flags.end());
    const auto ran = run(command);
    const auto verdict = ran.out.substr(0, ran.out.find_first_of(" \n"));
    said += verdict + ran.err + " ";
    ranks.push_back(std::find(verdicts.begin(), verdicts.end(), verdict) - verdicts.begin());
  }
  const bool seen = kSeen <= ranks[1] && ranks[1] < std::ssize(verdicts);
  return ranks[0] < ranks[1] && seen ? "" : said;
}

constexpr const char* kDiff = R"(== shorter: the second line is missing.
seen by: --property leak
--- a.lua
+++ a.lua
@@ -1,3 +1,2 @@
 one
-two
 three
\ No newline at end of file

== last: the file ends otherwise.
seen by: --property leak
--- a.lua
+++ a.lua
@@ -2,2 +2,2 @@
 two
-three
\ No newline at end of file
+four

== gone: the file is not there.
seen by: --property leak
--- a.lua
+++ a.lua
@@ -1,3 +0,0 @@
-one
-two
-three
\ No newline at end of file
)";

}  // namespace

TEST_CASE("A mistake is a diff, which goes where its lines are or says that it does not apply") {
  const sim::TemporaryFolder here;
  const auto file = here.write("protocols/p/a.lua", "one\ntwo\nthree");
  const auto mistakes = test::read_mistakes("p", kDiff);
  REQUIRE(mistakes.size() == 3);
  CHECK(mistakes[1].what == "the file ends otherwise.");
  const auto made = [&](const test::Mistake& mistake) {
    const sim::TemporaryFolder folder;
    return read(test::apply(mistake, folder.path(), here.path() / "protocols") / "a.lua");
  };
  CHECK(made(mistakes[0]) == "one\nthree");
  CHECK(made(mistakes[1]) == "one\ntwo\nfour\n");
  CHECK(made(mistakes[2]).empty());
  write(file, "zero\none\ntwo\nthree");  // a line further down
  CHECK(made(mistakes[0]) == "zero\none\nthree");
  write(file, "one\nthree");
  CHECK_THROWS_WITH(made(mistakes[0]),
                    "p.mistakes:5: shorter: does not apply: a.lua has no such lines");
  fs::remove(file);
  CHECK_THROWS_WITH(made(mistakes[0]), "p.mistakes:3: shorter: the protocol has no such file");
  CHECK_THROWS_WITH(test::read_mistakes("p", "== a: what\n"),
                    "p.mistakes:2: expected `seen by: FLAGS`");
}

TEST_CASE("Every protocol has known mistakes, which apply to it") {
  std::map<std::string, std::size_t> counts;
  const sim::TemporaryFolder folder;
  std::size_t all = 0;
  for (const auto& mistake : test::all_mistakes()) {
    CHECK_NOTHROW(test::apply(mistake, folder.path()));
    ++counts[mistake.protocol];
    ++all;
  }
  for (const auto& entry : fs::directory_iterator(fs::path(LOCKSTEP_SOURCE_DIR) / "protocols")) {
    INFO(entry.path());
    if (fs::exists(entry.path() / "protocol.lua"))
      CHECK(counts[entry.path().filename().string()] >= 5);
  }
  CHECK(all >= 536);  // none goes by accident
}

TEST_CASE("every known mistake makes a verdict weaker, or is seen by the check that it names",
          "[.mistakes]") {
  const sim::TemporaryFolder folder;
  std::map<std::string, Right> shipped;
  for (const auto& mistake : test::all_mistakes()) {
    INFO(mistake.protocol << ": " << mistake.name);
    const auto right = fs::path(LOCKSTEP_SOURCE_DIR) / "protocols" / mistake.protocol;
    auto& judged = shipped.try_emplace(mistake.protocol, right).first->second;
    const auto wrong = test::apply(mistake, folder.path());
    // A matrix may leave open what a watchdog comes to beside a pause.
    const auto named = [&] {
      return mistake.seen_by != "the matrix" && not_seen(mistake, wrong).empty();
    };
    CHECK((judged.beats(wrong, kFew) || judged.beats(wrong, kMany) || named()));
  }
}

TEST_CASE("every known mistake is seen by the check that it names", "[.mistakes_named]") {
  const sim::TemporaryFolder folder;
  for (const auto& mistake : test::all_mistakes()) {
    if (mistake.seen_by == "the matrix") continue;
    INFO(mistake.protocol << ": " << mistake.name);
    CHECK(not_seen(mistake, test::apply(mistake, folder.path())) == "");
  }
}

}  // namespace lockstep::tests
