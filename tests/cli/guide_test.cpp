// Reading the guide: its lessons, and what is wrong with a guide that cannot be read.
#include "cli/guide.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/wrap.hpp"
#include "sim/base/error.hpp"
#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

namespace {

cli::Guide guide_of(const std::string& text, cli::Language language = cli::Language::en) {
  const auto file = scratch() / "guide.md";
  write(file, text);
  return cli::read_guide(file, language);
}

std::string error_of(const std::string& text) {
  try {
    guide_of(text);
  } catch (const sim::BadInput& error) {
    const std::string message = error.what();
    const auto folder = scratch().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }
  return "no error";
}

const std::string kRun = "```console\n$ lockstep check x\nHOLDS\n```\n";

/// How often `part` stands in `text`.
std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Walks from lesson 1 on, at a terminal.
Ran walk(const std::string& typed) { return run({"learn"}, typed, true); }

}  // namespace

TEST_CASE("a guide is lessons of text and runs", "[guide]") {
  const auto guide = guide_of(
      "# Title\n\nBefore.\n\n## The key\n\nHow to read.\n\n## 1. one: The first\n\nA question?\n\n"
      "```console\n$ lockstep check x --fault pause=1\nHOLDS\n```\n\nAn answer.\n"
      "## 2. two: The second\n\nText.\n\n## Afterwards\n\nNot a lesson.\n");
  CHECK(guide.opening == "The key\n\nHow to read.\n\n");
  CHECK(guide.closing == "Afterwards\n\nNot a lesson.\n");
  const auto& lessons = guide.lessons;
  REQUIRE(lessons.size() == 2);
  CHECK(lessons[0].name == "one");
  CHECK(lessons[0].title == "The first");
  REQUIRE(lessons[0].parts.size() == 3);
  CHECK(std::get<cli::LessonText>(lessons[0].parts[0]).text == "A question?\n\n");
  const auto& run = std::get<cli::LessonRun>(lessons[0].parts[1]);
  CHECK(run.words == std::vector<std::string>{"check", "x", "--fault", "pause=1"});
  CHECK_FALSE(run.question);
  CHECK(std::get<cli::LessonText>(lessons[0].parts[2]).text == "An answer.\n");
  REQUIRE(lessons[1].parts.size() == 1);
  CHECK(std::get<cli::LessonText>(lessons[1].parts[0]).text == "Text.\n\n");
}

TEST_CASE("a run may answer a question", "[guide]") {
  const auto check = [](const cli::Guide& guide, const std::vector<std::string>& answers,
                        const std::string& behind) {
    const auto& parts = guide.lessons.at(0).parts;
    REQUIRE(parts.size() == 3);
    const auto& question = std::get<cli::LessonRun>(parts[1]).question;
    REQUIRE(question);
    CHECK(question->answers == answers);
    CHECK(question->right == 1);
    CHECK(std::get<cli::LessonText>(parts[2]).text == behind);
  };
  check(guide_of("## 1. one: One\n\nWhich?\n\n- (a) yes\n- (b) no\n\n" + kRun +
                 "\nAnswer: b. So it is.\n"),
        {"yes", "no"}, "So it is.\n");
  check(guide_of("## 1. one: 一\n\n- (a) 是\n- (b) 否\n\n" + kRun + "\n答案：b。就是这样。\n",
                 cli::Language::zh),
        {"是", "否"}, "就是这样。\n");
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

TEST_CASE("a question that cannot be read names the line", "[guide]") {
  const std::string lesson = "## 1. one: One\n", asked = lesson + "- (a) yes\n- (b) no\n";
  CHECK(error_of(lesson + "- (b) no\n") == "guide.md, line 2: expected `- (a) ...`");
  CHECK(error_of(lesson + "- (a) yes\n- (a) no\n") == "guide.md, line 3: expected `- (b) ...`");
  CHECK(error_of(lesson + "- (a) \n") == "guide.md, line 2: expected `- (a) ...`");
  CHECK(error_of(lesson + "- (a) yes\n" + kRun) ==
        "guide.md, line 4: a question with a single answer");
  CHECK(error_of(asked + "\nText.\n") ==
        "guide.md, line 5: expected the run that answers the question");
  CHECK(error_of(asked) == "guide.md, line 4: the question before has no run");
  CHECK(error_of(asked + "## 2. two: Two\n") == "guide.md, line 4: the question before has no run");
  CHECK(error_of(asked + kRun) == "guide.md, line 8: the question before has no answer");
  CHECK(error_of(asked + kRun + kRun) == "guide.md, line 8: the question before has no answer");
  CHECK(error_of(asked + kRun + "\nAnswer: c. None.\n") ==
        "guide.md, line 9: expected `Answer: a. ...`, or another answer of the question");
  CHECK(error_of(lesson + kRun + "\nAnswer: a. Yes.\n") ==
        "guide.md, line 7: an answer without a question");
}

TEST_CASE("a guess is compared with the answer, and right ones are counted", "[guide]") {
  const auto wrong = walk("\na\nq\n");
  CHECK(wrong.code == 0);
  CHECK(occurrences(wrong.out, "You said a; it is b: yes, ") == 1);
  CHECK(occurrences(wrong.out, "0 of 1 right.") == 1);
  const auto right = walk("\nb\n2\n\n\nq\n");  // then lesson 2, whose question stays unanswered
  CHECK(occurrences(right.out, "You said b, and so it is: yes, ") == 1);
  CHECK(occurrences(right.out, "It is a: nobody ever gets the lock again") == 1);
  CHECK(occurrences(right.out, "1 of 1 right.") == 1);
  const auto changed = walk("\na\nback\nb\nq\n");  // the last guess counts
  CHECK(occurrences(changed.out, "1 of 1 right.") == 1);
  CHECK(occurrences(walk("\n\nq\n").out, " right.") == 0);
}

TEST_CASE("at a prompt the reader may go elsewhere", "[guide]") {
  CHECK(occurrences(walk("q\n").out, "Lesson ") == 0);
  CHECK(occurrences(walk("\nq\n").out, "Lesson 1 of") == 1);
  CHECK(occurrences(walk("\nb\n\nb\nq\n").out, "Lesson 1 of") ==
        2);  // `b` is an answer, then a wish
  CHECK(occurrences(walk("\nb\nb\nq\n").out, "Lesson 1 of") == 2);
  CHECK(occurrences(walk("8\nq\n").out, "Lesson 8 of") == 1);
  CHECK(occurrences(walk("fencing\nq\n").out, "Lesson 8 of") == 1);
  CHECK(occurrences(walk("fencing\ncontents\nc\nq\n").out, "  The resource says no") == 2);
  CHECK(occurrences(walk("lesson 8\nq\n").out, "`lesson 8` is none of these.") == 1);
  CHECK(occurrences(walk("p\nq\n").out, "No run has been shown yet.") == 1);
}

TEST_CASE("the walk ends with what to do next", "[guide]") {
  const auto ran = run({"learn", "which-lock"}, "\n\n", true);
  CHECK(occurrences(ran.out, "What to do next\n") == 1);
  CHECK(occurrences(run({"learn", "24"}).out, "What to do next\n") == 1);
  CHECK(occurrences(run({"learn", "24"}).out, "How a run is read\n") == 1);
}

TEST_CASE("a violation that a lesson shows is no failure", "[guide]") {
  const auto ran = run({"learn", "two-kinds"}, "\n\nc\nq\n", true);
  CHECK(occurrences(ran.out, "VIOLATED  no lost update") == 1);
  CHECK(ran.code == 0);
}

TEST_CASE("the run just shown becomes a page", "[guide]") {
  const auto folder = scratch() / "pages", page = folder / "lockstep-exists-set-race.html";
  const InFolder inside(folder);
  const auto ran = walk("\nb\np\nq\n");
  CHECK(occurrences(ran.out, "lockstep-exists-set-race.html: written") == 1);
  CHECK(read(page).starts_with("<!DOCTYPE html>"));
  write(page, "mine");
  const auto refused = walk("\nb\np\nq\n");  // the walk goes on
  CHECK(occurrences(refused.out, "is there already, and not by lockstep") == 1);
  CHECK(refused.code == 0);
}

TEST_CASE("the guide in Chinese", "[guide]") {
  const auto ran = run({"learn", "--language", "zh"}, "\na\nq\n", true);
  CHECK(occurrences(ran.out, "第 1 课（共 ") == 1);
  CHECK(occurrences(ran.out, "你选了 a；答案是 b：") == 1);
  const auto unknown = run({"learn", "--language", "de"});
  CHECK(unknown.code == 3);
  CHECK(unknown.err == "lockstep: --language: unknown `de`; possible here: en, zh\n");
}

TEST_CASE("paragraphs are filled, what is laid out is not", "[guide]") {
  CHECK(cli::wrapped("one two\nthree four\n\nfive\n", 10) == "one two\nthree four\n\nfive\n");
  CHECK(cli::wrapped("one two three\nfour\n", 9) == "one two\nthree\nfour\n");
  CHECK(cli::wrapped("- (a) one two\n- (b) three four\n", 12) ==
        "- (a) one\n      two\n- (b) three\n      four\n");
  CHECK(cli::wrapped("    one  two three\n| a | b c |\n", 5) ==
        "    one  two three\n| a | b c |\n");
  CHECK(cli::wrapped("```sh\nls -l -a\n```\nSo.\n", 5) == "```sh\nls -l -a\n```\nSo.\n");
  CHECK(cli::wrapped("unbreakable\n", 5) == "unbreakable\n");
}

TEST_CASE("a Chinese character takes two columns", "[guide]") {
  CHECK(cli::wrapped("一二三四五六\n", 8) == "一二三四\n五六\n");
  CHECK(cli::wrapped("一二三四。五六\n", 8) == "一二三\n四。五六\n");  // no line begins with 。
  CHECK(cli::wrapped("一二三（四）\n", 8) == "一二三\n（四）\n");      // and none ends with （
  CHECK(cli::wrapped("一二\n三 SET\n四\n", 20) == "一二三 SET 四\n");
  CHECK(cli::wrapped("一，\nSET\n", 20) == "一，SET\n");
  CHECK(cli::wrapped("SET\n（一）\n", 20) == "SET（一）\n");
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
  CHECK(all.front().at("parts").at(1).at("answers").size() == 3);
  CHECK(all.front().at("parts").at(1).at("right") == "b");
  CHECK(fencing.front().at("name") == "fencing");
  CHECK(fencing.size() == all.size() + 1 - fencing.front().at("number").get<std::size_t>());
  CHECK(run({"learn", "fencng", "--json"}).code == 3);
}

}  // namespace lockstep::tests
