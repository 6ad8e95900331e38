// Reading docs/guide.md; see the header.
#include "cli/guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "scenarios/scenario.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"

namespace lockstep::cli {

namespace {

/// Takes `mark` off the front of `rest`, if it stands there.
bool take(std::string_view& rest, std::string_view mark) {
  if (!rest.starts_with(mark)) return false;
  rest.remove_prefix(mark.size());
  return true;
}

/// Takes the longest beginning of `rest` that consists of these characters.
std::string take_all_of(std::string_view& rest, std::string_view characters) {
  const auto end = std::min(rest.find_first_not_of(characters), rest.size());
  std::string taken(rest.substr(0, end));
  rest.remove_prefix(end);
  return taken;
}

struct Heading {
  std::string number, name, title;
};

/// `## 4. name: title`; nothing of any other line.
std::optional<Heading> heading_in(std::string_view line) {
  Heading heading;
  if (!take(line, "## ")) return std::nullopt;
  heading.number = take_all_of(line, "0123456789");
  if (heading.number.empty() || !take(line, ". ")) return std::nullopt;
  heading.name = take_all_of(line, "abcdefghijklmnopqrstuvwxyz0123456789-");
  if (heading.name.empty() || !take(line, ": ") || line.empty()) return std::nullopt;
  heading.title = line;
  return heading;
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, const LanguageRow& words)
      : file_(file.string()), words_(words), lines_(sim::file_text(file)) {}

  Guide read() {
    std::string line;
    while (next(line)) {
      if (const auto heading = heading_in(line)) {
        begin(*heading);
      } else if (line.starts_with("## ")) {
        expect_nothing_open();
        section_ = lessons().empty() ? &guide_.opening : &guide_.closing;
        *section_ += line.substr(3) + "\n";
      } else if (section_ != nullptr) {
        *section_ += line + "\n";
      } else if (!lessons().empty()) {
        lesson_line(line);
      }
    }
    expect_nothing_open();
    if (lessons().empty())
      throw sim::BadInput(fmt::format("{}: expected lessons, `## 1. name: title`", file_));
    return std::move(guide_);
  }

 private:
  std::vector<Lesson>& lessons() { return guide_.lessons; }

  bool next(std::string& line) {
    ++number_;
    return static_cast<bool>(std::getline(lines_, line));
  }

  std::string place() const { return fmt::format("{}, line {}", file_, number_); }

  void begin(const Heading& heading) {
    expect_nothing_open();
    section_ = nullptr;
    const auto expected = std::to_string(lessons().size() + 1);
    if (heading.number != expected)
      throw sim::BadInput(fmt::format("{}: found lesson {}, expected lesson {}", place(),
                                      heading.number, expected));
    const bool used = std::any_of(lessons().begin(), lessons().end(), [&](const Lesson& lesson) {
      return lesson.name == heading.name;
    });
    if (used) throw sim::BadInput(fmt::format("{}: a second lesson `{}`", place(), heading.name));
    lessons().push_back({heading.name, heading.title, {}});
  }

  void lesson_line(const std::string& line) {
    if (line == "```console") {
      run();
    } else if (line.empty()) {
      text(line);
    } else if (asked_ != nullptr) {
      text(answered(line));
    } else {
      if (line.starts_with(words_.answer))
        throw sim::BadInput(fmt::format("{}: an answer without a question", place()));
      if (line.starts_with("- (")) {
        offer(line);
      } else if (!offered_.empty()) {
        throw sim::BadInput(fmt::format("{}: expected the run that answers the question", place()));
      }
      text(line);
    }
  }

  /// One of the answers to choose from: `- (b) the text`.
  void offer(const std::string& line) {
    const auto mark = fmt::format("- ({}) ", letter_of(offered_.size()));
    if (!line.starts_with(mark) || line.size() == mark.size())
      throw sim::BadInput(fmt::format("{}: expected `{}...`", place(), mark));
    offered_.push_back(line.substr(mark.size()));
  }

  /// The line behind a run that answers its question, without the mark.
  std::string answered(const std::string& line) {
    std::string_view rest = line;
    for (std::size_t i = 0; i < asked_->answers.size(); ++i) {
      const auto mark = fmt::format("{}{}{}", words_.answer, letter_of(i), words_.answer_end);
      if (!take(rest, mark)) continue;
      asked_->right = i;
      asked_ = nullptr;
      return std::string(rest);
    }
    throw sim::BadInput(fmt::format("{}: expected `{}{}{}...`, or another answer of the question",
                                    place(), words_.answer, letter_of(0), words_.answer_end));
  }

  /// A question has its run by now, and that its answer.
  void expect_nothing_open() const {
    if (asked_ != nullptr || !offered_.empty())
      throw sim::BadInput(
          fmt::format("{}: the question before has no {}", place(), asked_ ? "answer" : "run"));
  }

  void text(const std::string& line) {
    auto& parts = lessons().back().parts;
    if (parts.empty() || std::holds_alternative<LessonRun>(parts.back())) {
      if (line.empty()) return;
      parts.emplace_back(LessonText{});
    }
    std::get<LessonText>(parts.back()).text += line + "\n";
  }

  /// Takes the command of a block and skips what it printed when the guide was written.
  void run() {
    if (asked_ != nullptr) expect_nothing_open();
    const std::string prompt = "$ lockstep ";
    std::string line;
    if (!next(line) || !line.starts_with(prompt))
      throw sim::BadInput(fmt::format("{}: expected `{}...`", place(), prompt));
    LessonRun run{{}, place(), {}};
    std::istringstream words(line.substr(prompt.size()));
    for (std::string word; words >> word;) run.words.push_back(word);
    while (line != "```")
      if (!next(line)) throw sim::BadInput(fmt::format("{}: the block has no end", run.place));
    if (offered_.size() == 1)
      throw sim::BadInput(fmt::format("{}: a question with a single answer", run.place));
    if (!offered_.empty()) run.question = Question{std::exchange(offered_, {}), 0};
    auto& parts = lessons().back().parts;
    parts.emplace_back(std::move(run));
    auto& question = std::get<LessonRun>(parts.back()).question;
    if (question) asked_ = &*question;
  }

  std::string file_;
  const LanguageRow& words_;
  std::istringstream lines_;
  std::size_t number_ = 0;
  std::vector<std::string> offered_;  ///< the answers of a question whose run is still to come
  Question* asked_ = nullptr;         ///< the question of the last run, if its answer is to come
  std::string* section_ = nullptr;    ///< the line is in a section that is no lesson
  Guide guide_;
};

}  // namespace

Guide read_guide(const std::filesystem::path& file, Language language) {
  return Reader(file, sim::row(language)).read();
}

}  // namespace lockstep::cli
