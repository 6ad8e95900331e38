// The Chinese editions of pages have the lessons, questions and blocks of code of the English ones,
// in the same order; only the words between them are translated. Every rule is also shown a text
// that breaks it.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/project/findings.hpp"
#include "tests/project/source_file.hpp"

namespace lockstep::tests {
namespace {

/// What both editions have, line by line: code (in fences, or indented by four), lessons by number
/// and name, questions' letters.
std::vector<std::string> common_lines(const SourceFile& page) {
  static const std::regex lesson(R"(## (\d+\. [a-z0-9-]+): .+)"), offered(R"(- (\([a-z]\)) .+)"),
      answer("(?:Answer: |答案：)([a-z])(?:\\. |。).*");
  std::vector<std::string> lines;
  bool code = false;
  for (const auto& line : page.lines) {
    std::smatch found;
    const bool fence = line.starts_with("```");
    if (code || fence || line.starts_with("    ")) {
      lines.push_back(line);
      code = code != fence;
    } else if (std::regex_match(line, found, lesson) || std::regex_match(line, found, offered) ||
               std::regex_match(line, found, answer)) {
      lines.push_back(found[1]);
    }
  }
  return lines;
}

/// Where two editions part; nothing if they do not.
Findings differences(const SourceFile& english, const SourceFile& other) {
  const auto expected = common_lines(english), found = common_lines(other);
  const auto shorter = std::min(expected.size(), found.size());
  for (std::size_t i = 0; i < shorter; i++)
    if (expected[i] != found[i])
      return {other.path + ": found `" + found[i] + "`, " + english.path + " has `" + expected[i] +
              "`"};
  if (expected.size() == found.size()) return {};
  const bool lacks = found.size() < expected.size();
  return {other.path +
          (lacks ? " lacks `" + expected[shorter] : " has besides `" + found[shorter]) + "`"};
}

constexpr std::array<std::pair<const char*, const char*>, 2> kEditions{
    {{"README.md", "docs/zh/README.md"}, {"docs/guide.md", "docs/zh/guide.md"}}};

TEST_CASE("Chinese editions have the code, lessons and questions of the English pages") {
  for (const auto& [english, other] : kEditions) {
    const auto findings = differences(read_file(english), read_file(other));
    INFO(listed(findings));
    CHECK(findings.empty());
  }

  const auto english = make_file("a.md",
                                 "## 1. one: A lesson\n\n- (a) yes\n- (b) no\n\n```sh\nls\n```\n\n"
                                 "Answer: b. So it is.\n\n    SETNX lock 1\n\nThe end.\n");
  const auto count = [&](const std::string& text) {
    return differences(english, make_file("b.md", text)).size();
  };
  const std::string lesson = "## 1. one: 一课\n\n- (a) 是\n- (b) 否\n\n";
  CHECK(count(lesson + "```sh\nls\n```\n\n答案：b。是的。\n\n    SETNX lock 1\n") == 0);
  CHECK(count(lesson + "```sh\nls\n```\n\n答案：a。是的。\n\n    SETNX lock 1\n") == 1);
  CHECK(count(lesson + "```sh\nls -l\n```\n\n答案：b。是的。\n\n    SETNX lock 1\n") == 1);
  CHECK(count(lesson + "```sh\nls\n```\n\n答案：b。是的。\n") == 1);
  CHECK(count("## 1. two: 一课\n\n- (a) 是\n- (b) 否\n\n```sh\nls\n```\n\n答案：b。是的。\n\n"
              "    SETNX lock 1\n") == 1);
}

}  // namespace
}  // namespace lockstep::tests
