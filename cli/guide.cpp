// Reading docs/guide.md; see the header.
#include "cli/guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

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
  explicit Reader(const std::filesystem::path& file)
      : file_(file.string()), lines_(sim::file_text(file)) {}

  std::vector<Lesson> read() {
    std::string line;
    bool in_lesson = false;  // not in what stands before, between and after the lessons
    while (next(line)) {
      if (const auto heading = heading_in(line)) {
        begin(*heading);
        in_lesson = true;
      } else if (line.starts_with("## ")) {
        in_lesson = false;
      } else if (in_lesson && line == "```console") {
        run();
      } else if (in_lesson) {
        text(line);
      }
    }
    if (lessons_.empty())
      throw sim::BadInput(fmt::format("{}: expected lessons, `## 1. name: title`", file_));
    return std::move(lessons_);
  }

 private:
  bool next(std::string& line) {
    ++number_;
    return static_cast<bool>(std::getline(lines_, line));
  }

  std::string place() const { return fmt::format("{}, line {}", file_, number_); }

  void begin(const Heading& heading) {
    const auto expected = std::to_string(lessons_.size() + 1);
    if (heading.number != expected)
      throw sim::BadInput(fmt::format("{}: found lesson {}, expected lesson {}", place(),
                                      heading.number, expected));
    const bool used = std::any_of(lessons_.begin(), lessons_.end(), [&](const Lesson& lesson) {
      return lesson.name == heading.name;
    });
    if (used) throw sim::BadInput(fmt::format("{}: a second lesson `{}`", place(), heading.name));
    lessons_.push_back({heading.name, heading.title, {}});
  }

  void text(const std::string& line) {
    auto& parts = lessons_.back().parts;
    if (parts.empty() || std::holds_alternative<LessonRun>(parts.back())) {
      if (line.empty()) return;
      parts.emplace_back(LessonText{});
    }
    std::get<LessonText>(parts.back()).text += line + "\n";
  }

  /// Takes the command of a block and skips what it printed when the guide was written.
  void run() {
    const std::string prompt = "$ lockstep ";
    std::string line;
    if (!next(line) || !line.starts_with(prompt))
      throw sim::BadInput(fmt::format("{}: expected `{}...`", place(), prompt));
    LessonRun run{{}, place()};
    std::istringstream words(line.substr(prompt.size()));
    for (std::string word; words >> word;) run.words.push_back(word);
    while (line != "```")
      if (!next(line)) throw sim::BadInput(fmt::format("{}: the block has no end", run.place));
    lessons_.back().parts.emplace_back(std::move(run));
  }

  std::string file_;
  std::istringstream lines_;
  std::size_t number_ = 0;
  std::vector<Lesson> lessons_;
};

}  // namespace

std::vector<Lesson> read_guide(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace lockstep::cli
