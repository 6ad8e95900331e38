// `lockstep test`: the worst of a suite is its exit code, a broken file does not keep the others
// from running, and what the CI server reads is well-formed. Also the threads underneath.
#include "cli/suite.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cli/escaped.hpp"
#include "cli/junit.hpp"
#include "cli/parallel.hpp"
#include "cli/run.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("results of several threads come out in order") {
  std::vector<std::size_t> taken;
  cli::in_order(
      100, 4, [](std::size_t i) { return i * i; },
      [&](std::size_t i, std::size_t square) {
        CHECK(square == i * i);
        taken.push_back(i);
      });
  CHECK(taken.size() == 100);
  CHECK(std::is_sorted(taken.begin(), taken.end()));
}

TEST_CASE("an exception of one thread comes out in its turn") {
  std::size_t taken = 0;
  const auto third_fails = [&] {
    cli::in_order(
        50, 4,
        [](std::size_t i) {
          if (i == 3) throw std::runtime_error("the third");
          return i;
        },
        [&](std::size_t, std::size_t) { ++taken; });
  };
  CHECK_THROWS_WITH(third_fails(), "the third");
  CHECK(taken == 3);
}

TEST_CASE("of two ends the worse one counts: 4, 3, 1, 2, 0") {
  using cli::worse;
  CHECK(worse(cli::kAsExpected, cli::kInconclusive) == cli::kInconclusive);
  CHECK(worse(cli::kViolated, cli::kInconclusive) == cli::kViolated);
  CHECK(worse(cli::kViolated, cli::kBadInput) == cli::kBadInput);
  CHECK(worse(cli::kOwnFailure, cli::kBadInput) == cli::kOwnFailure);
  CHECK(worse(cli::kAsExpected, cli::kAsExpected) == cli::kAsExpected);
}

TEST_CASE("the exit code of a suite is that of its worst scenario, and all of them run") {
  CHECK(run({"test", data("vacuous.json")}).code == 0);
  CHECK(run({"test", data("vacuous.json"), data("wrong.json")}).code == 1);
  CHECK(run({"test", "set-token-lua-no-fault", "--max-states", "20"}).code == 2);
  CHECK(run({"test", data("wrong.json"), "set-token-lua-no-fault", "--max-states", "20"}).code ==
        2);
  const auto all = run({"test", data("")});
  CHECK(all.code == 3);
  CHECK_THAT(all.out, Contains("BROKEN  misspelt") && Contains("ok      vacuous") &&
                          Contains("FAILED  wrong"));
  CHECK_THAT(all.out, EndsWith("\n4 scenarios: 1 as expected, 1 not as expected, 2 broken\n"
                               "see it with lockstep check " +
                               data("wrong.json") + "\n"));
}

TEST_CASE("what is not violated after all, or shows nothing, is not as expected") {
  const auto scenario = [](const std::string& witness, const std::string& expected) {
    const auto file = scratch() / "expects.json";
    write(file, R"({"title": "t", "source": "s", "why": "w", "protocol": "set-token-lua", )"
                R"("kind": "search", "witnesses": [")" +
                    witness + R"("], "expect": )" + expected + "}");
    return file.string();
  };
  const auto holds = scenario("acquired", R"({"verdict": "violated", "property": "deadlock"})");
  CHECK(run({"check", holds}).code == 1);
  CHECK(run({"test", holds}).code == 1);
  const auto vacuous = scenario("lost", R"({"verdict": "holds"})");
  CHECK(run({"check", vacuous}).code == 2);
  CHECK(run({"test", vacuous}).code == 2);
}

TEST_CASE("a suite prints the same whatever the number of threads") {
  const auto one = run({"test", "--filter", "set-token-lua", "--jobs", "1"});
  CHECK(one.code == 0);
  CHECK(one.out == run({"test", "--filter", "set-token-lua", "--jobs", "5"}).out);
  CHECK_THAT(one.out, !Contains("fencing"));
}

TEST_CASE("a scenario named twice runs once") {
  const auto ran = run({"test", data("vacuous.json"), data("vacuous.json")});
  CHECK_THAT(ran.out, EndsWith("\n1 scenario: 1 as expected\n"));
}

TEST_CASE("an audited suite says that both explorers agree") {
  const auto ran = run({"test", "--audit", "--filter", "fencing-node-crash"});
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("1,592 states; the audit agrees"));
  const auto cut = run({"test", "--audit", "set-token-lua-pause", "--max-states", "1000"});
  CHECK(cut.code == 2);
  CHECK_THAT(cut.out, StartsWith("ok?") && Contains("the audit is inconclusive"));
}

TEST_CASE("JUnit XML counts failures and errors apart") {
  const auto file = scratch() / "junit.xml";
  CHECK(run({"test", data(""), "--junit", file.string()}).code == 3);
  const auto text = read(file);
  CHECK_THAT(text, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "));
  CHECK_THAT(text, Contains("tests=\"4\" failures=\"1\" errors=\"2\" skipped=\"0\""));
  const auto elements = [&](const std::string& head) {
    int count = 0;
    for (auto at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) ++count;
    return count;
  };
  CHECK(elements("<failure ") == 1);
  CHECK(elements("<error ") == 2);
  CHECK(elements("<skipped ") == 0);
  CHECK_THAT(text, Contains("<failure message=\"expected holds; came violated"));
  CHECK_THAT(text, Contains(" -&gt; ") && Contains("in the critical section"));  // the run
  CHECK_THAT(text, Contains("\nlockstep check " + data("wrong.json")));
  CHECK_THAT(run({"test", data("vacuous.json"), "--junit", "/nowhere/x.xml"}).err,
             Contains("/nowhere/x.xml"));
}

TEST_CASE("SARIF has each failure at the line of the protocol that did the last harm") {
  const auto file = scratch() / "lockstep.sarif";
  const auto written = run({"test", data(""), "--sarif", file.string()});
  CHECK(run({"test", data(""), "--sarif", file.string()}).out == written.out);  // and again
  const auto sarif = nlohmann::json::parse(read(file));
  CHECK(sarif["version"] == "2.1.0");
  const auto& results = sarif["runs"][0]["results"];
  REQUIRE(results.size() == 3);  // two are broken
  const auto& wrong = results[2];
  CHECK(wrong["ruleId"] == "mutual-exclusion");
  const auto& place = wrong["locations"][0]["physicalLocation"];
  CHECK_THAT(place["artifactLocation"]["uri"].get<std::string>(),
             EndsWith("protocols/set-token-lua/protocol.lua"));
  CHECK(place["region"]["startLine"] == 14);  // return redis("SET", ...)
  const auto& flow = wrong["codeFlows"][0]["threadFlows"][0]["locations"];
  CHECK(flow.size() == 2);  // A's SET and B's
  CHECK(flow[1]["location"]["message"]["text"] == "7: B starts; sends SET lock B.1 EX 10 NX");
  CHECK_THAT(
      results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>(),
      EndsWith("impossible.json"));
  std::vector<std::string> rules;  // each once, though two results are of the same
  for (const auto& rule : sarif["runs"][0]["tool"]["driver"]["rules"])
    rules.push_back(rule["id"].get<std::string>());
  CHECK(rules == std::vector<std::string>{"broken-scenario", "mutual-exclusion"});
}

TEST_CASE("in a GitHub workflow a failure is shown at its file") {
  std::istringstream in;
  std::ostringstream out, err;
  cli::Io io{in, out, err};
  io.annotates = true;
  CHECK(cli::run({"test", data("wrong.json"), data("vacuous.json")}, io) == 1);
  CHECK_THAT(out.str(), Contains("\n::error file=" + data("wrong.json") +
                                 ",title=lockstep%3A wrong::expected holds; came violated"));
  CHECK_THAT(out.str(), !Contains("title=lockstep%3A vacuous"));
}

TEST_CASE("JUnit XML skips what was not audited to the end") {
  const auto file = scratch() / "junit.xml";
  CHECK(run({"test", "--audit", "set-token-lua-pause", "--max-states", "1000", "--junit",
             file.string()})
            .code == 2);
  CHECK_THAT(read(file), Contains("failures=\"0\" errors=\"0\" skipped=\"1\""));
}

TEST_CASE("XML holds no byte that would break it") {
  CHECK(cli::xml_escaped("a < b & \"c\" > d\n") == "a &lt; b &amp; &quot;c&quot; &gt; d&#10;");
  CHECK(cli::xml_escaped("na\xC3\xAFve \xF0\x9F\x94\x92") == "na\xC3\xAFve \xF0\x9F\x94\x92");
  const std::string replaced = "\xEF\xBF\xBD";
  for (const auto* bad :
       {"\x01", "\xC3", "\xFF", "\x80", "\xC0\x80", "\xED\xA0\x80", "\xEF\xBF\xBF"})
    CHECK_THAT(cli::xml_escaped(bad), StartsWith(replaced));
  CHECK(cli::xml_escaped("\xC3(") == replaced + "(");
}

}  // namespace lockstep::tests
