// `lockstep new`: what it writes is what the rest of lockstep takes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// The first words in parentheses of what matches in the text.
std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> words;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    words.insert((*at)[1].str());
  return words;
}

}  // namespace

TEST_CASE("a new lock is checked, tested and compared as it is") {
  const std::string folder = (scratch() / "orders.lock").string();
  fs::remove_all(folder);
  const auto made = run({"new", folder});
  CHECK(made.code == 0);
  CHECK(made.err.empty());
  CHECK_THAT(made.out, Contains(folder + "/protocol.lua\n") &&
                           Contains("  lockstep check " + folder + " --fault pause=1"));
  CHECK(run({"check", folder, "--fault", "crash=1"}).code == 0);
  CHECK(run({"check", folder, "--fault", "pause=1"}).code == 1);
  CHECK_THAT(run({"test", folder + "/scenarios"}).out, Contains("2 scenarios: 2 as expected"));
  CHECK(run({"diff", folder, folder, "--rounds", "1"}).code == 0);
  CHECK_THAT(read(folder + "/lockstep.yml"), Contains("{ protocol: " + folder + " }"));
}

TEST_CASE("a new lock takes nobody's place") {
  const auto place = scratch() / "taken";
  fs::create_directories(place);
  const auto taken = run({"new", place.string()});
  CHECK(taken.code == 3);
  CHECK_THAT(taken.err, Contains("is there already; nothing was written"));
  const auto odd = run({"new", (place / "my \"lock\"").string()});
  CHECK(odd.code == 3);
  CHECK_THAT(odd.err, Contains("a folder whose name is letters, digits, `-`, `_` and `.`"));
  CHECK(fs::is_empty(place));
}

TEST_CASE("the annotations for editors name all that a protocol can call, and no more") {
  const fs::path home = LOCKSTEP_SOURCE_DIR;
  const auto annotated = found(read(home / "templates/lock/lockstep.lua"), "\nfunction (\\w+)\\(");
  std::set<std::string> told =
      found(read(home / "docs/protocols.md"), "\n\\| `(?!handle)([a-z_]+)[ ({][^|]*\\|");
  const auto beside = found(read(home / "docs/protocols.md"), "\\(.*?\\)`, `([a-z]+)\\(");
  told.insert(beside.begin(), beside.end());
  CHECK(annotated == told);
  for (const auto& name : annotated) {
    INFO(name);
    const auto lock = scratch() / ("calls-" + name);
    write(lock / "protocol.lua", "local f = " + name +
                                     "\nlocal Lock = protocol { title = 't', source = 's' }\n"
                                     "function Lock:acquire() return true end\n"
                                     "function Lock:release() return true end\nreturn Lock");
    CHECK(run({"check", lock.string(), "--clients", "1"}).code != 3);
  }
}

TEST_CASE("help is there as a word, too") {
  CHECK(run({"help"}).out == run({"--help"}).out);
  CHECK(run({"help", "check"}).out == run({"check", "--help"}).out);
}

}  // namespace lockstep::tests
