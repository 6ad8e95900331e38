// Reading the guide: its lessons, and what is wrong with a guide that cannot be read.
#include "cli/guide.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

std::vector<cli::Lesson> lessons_of(const std::string& text) {
  const auto file = scratch() / "guide.md";
  write(file, text);
  return cli::read_guide(file);
}

std::string error_of(const std::string& text) {
  try {
    lessons_of(text);
  } catch (const sim::BadInput& error) {
    const std::string message = error.what();
    const auto folder = scratch().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a guide is lessons of text and runs", "[guide]") {
  const auto lessons = lessons_of(
      "# Title\n\nBefore.\n\n## 1. one: The first\n\nA question?\n\n"
      "```console\n$ lockstep check x --fault pause=1\nHOLDS\n```\n\nAn answer.\n"
      "## 2. two: The second\n\nText.\n\n## Afterwards\n\nNot a lesson.\n");
  REQUIRE(lessons.size() == 2);
  CHECK(lessons[0].name == "one");
  CHECK(lessons[0].title == "The first");
  REQUIRE(lessons[0].parts.size() == 3);
  CHECK(std::get<cli::LessonText>(lessons[0].parts[0]).text == "A question?\n\n");
  const auto& run = std::get<cli::LessonRun>(lessons[0].parts[1]);
  CHECK(run.words == std::vector<std::string>{"check", "x", "--fault", "pause=1"});
  CHECK(std::get<cli::LessonText>(lessons[0].parts[2]).text == "An answer.\n");
  REQUIRE(lessons[1].parts.size() == 1);
  CHECK(std::get<cli::LessonText>(lessons[1].parts[0]).text == "Text.\n\n");
}

TEST_CASE("a guide that cannot be read names the line", "[guide]") {
  CHECK(error_of("# Title\n") == "guide.md: expected lessons, `## 1. name: title`");
  CHECK(error_of("## 2. two: Two\n") == "guide.md, line 1: found lesson 2, expected lesson 1");
  CHECK(error_of("## 1. one: One\n\n## 2. one: Two\n") ==
        "guide.md, line 3: a second lesson `one`");
  CHECK(error_of("## 1. one: One\n```console\nls\n```\n") ==
        "guide.md, line 3: expected `$ lockstep ...`");
  CHECK(error_of("## 1. one: One\n```console\n$ lockstep check x\nHOLDS\n") ==
        "guide.md, line 3: the block has no end");
}

TEST_CASE("the lessons as JSON: all of them, from one on, or their names alone", "[guide]") {
  const auto all = nlohmann::json::parse(run({"learn", "--json"}).out).at("lessons");
  const auto list = nlohmann::json::parse(run({"learn", "--list", "--json"}).out).at("lessons");
  const auto fencing = nlohmann::json::parse(run({"learn", "fencing", "--json"}).out).at("lessons");
  REQUIRE(all.size() > 1);
  CHECK(list.size() == all.size());
  CHECK(!list.front().contains("parts"));
  CHECK(all.front().at("number") == 1);
  CHECK(all.front().at("parts").dump().find("\"command\"") != std::string::npos);
  CHECK(fencing.front().at("name") == "fencing");
  CHECK(fencing.size() == all.size() + 1 - fencing.front().at("number").get<std::size_t>());
  CHECK(run({"learn", "fencng", "--json"}).code == 3);
}

}  // namespace lockstep::tests
