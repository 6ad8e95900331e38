// `lockstep learn`: the guide in the terminal, one lesson at a time, its runs made live.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/guide.hpp"
#include "cli/report.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

/// The index of the lesson that `word` names by number or name.
std::size_t index_of(const std::string& word, const std::vector<Lesson>& lessons) {
  if (word.empty()) return 0;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (word == lessons[i].name || word == std::to_string(i + 1)) return i;
    names.push_back(lessons[i].name);
  }
  if (word.find_first_not_of("0123456789") == std::string::npos)
    throw sim::BadInput(fmt::format("learn: no lesson {}, expected 1 to {}", word, lessons.size()));
  throw sim::BadInput(
      fmt::format("learn: no lesson `{}`{}", word, scenarios::suggestion(word, names)));
}

class Walk {
 public:
  Walk(const std::vector<Lesson>& lessons, const scenarios::Catalog& catalog, Io& io)
      : lessons_(lessons), catalog_(catalog), io_(io) {}

  /// The worst exit code of the runs that were shown.
  ExitCode from(std::size_t index) {
    for (auto i = index; i < lessons_.size(); ++i) {
      io_.out << fmt::format("Lesson {} of {}: {}\n\n", i + 1, lessons_.size(), lessons_[i].title);
      if (!show(lessons_[i])) break;
      if (i + 1 < lessons_.size() && !goes_on("Enter: the next lesson; q: quit > ")) break;
    }
    return worst_;
  }

 private:
  bool show(const Lesson& lesson) {
    for (const auto& part : lesson.parts) {
      if (const auto* text = std::get_if<LessonText>(&part)) {
        io_.out << text->text;
      } else {
        if (!goes_on("Your guess, or Enter: run it; q: quit > ")) return false;
        run(std::get<LessonRun>(part));
      }
    }
    return true;
  }

  void run(const LessonRun& run) {
    io_.out << "$ lockstep " << fmt::format("{}\n", fmt::join(run.words, " "));
    const auto arguments = parse(run.words);
    int code = kAsExpected;
    if (const auto* checked = std::get_if<CheckArguments>(&arguments))
      code = check(*checked, catalog_, io_);
    else if (const auto* replayed = std::get_if<ReplayArguments>(&arguments))
      code = replay(*replayed, catalog_, io_);
    else
      throw sim::BadInput(
          fmt::format("{}: expected `lockstep check` or `lockstep replay`", run.place));
    io_.out << '\n';
    worst_ = worse(worst_, static_cast<ExitCode>(code));
  }

  /// Waits for the reader, whose guess is not judged; false: has quit. In a pipe nobody waits.
  bool goes_on(const char* prompt) {
    if (!io_.prompts) return true;
    io_.out << prompt << std::flush;
    std::string answer;
    return std::getline(io_.in, answer) && answer != "q" && answer != "quit";
  }

  const std::vector<Lesson>& lessons_;
  const scenarios::Catalog& catalog_;
  Io& io_;
  ExitCode worst_ = kAsExpected;
};

/// The lessons from `first` on, as data; with their texts and commands unless only a list is asked
/// for.
std::string as_json(const std::vector<Lesson>& lessons, std::size_t first, bool list) {
  std::vector<LessonTold> told;
  for (auto i = first; i < lessons.size(); ++i) {
    LessonTold lesson{i + 1, lessons[i].name, lessons[i].title, {}};
    for (const auto& part : lessons[i].parts) {
      if (list) break;
      if (const auto* text = std::get_if<LessonText>(&part))
        lesson.parts.emplace_back(text->text, std::vector<std::string>{});
      else
        lesson.parts.emplace_back("", std::get<LessonRun>(part).words);
    }
    told.push_back(std::move(lesson));
  }
  return lessons_report(told);
}

}  // namespace

int learn(const LearnArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto lessons = read_guide(catalog.guide_file());
  const auto first = index_of(arguments.lesson, lessons);
  if (arguments.json) {
    io.out << as_json(lessons, first, arguments.list);
    return kAsExpected;
  }
  if (!arguments.list) return Walk(lessons, catalog, io).from(first);
  for (std::size_t i = 0; i < lessons.size(); ++i)
    io.out << fmt::format("{:4}  {:<18}  {}\n", i + 1, lessons[i].name, lessons[i].title);
  return kAsExpected;
}

}  // namespace lockstep::cli
