// `lockstep learn`: the guide in the terminal, one lesson at a time, its runs made live.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "cli/commands.hpp"
#include "cli/guide.hpp"
#include "cli/language.hpp"
#include "cli/report.hpp"
#include "cli/wrap.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"

namespace lockstep::cli {

namespace {

constexpr std::size_t kWidest = 100;  ///< longer lines are hard to read

/// The lesson that `word` names by number or name.
std::optional<std::size_t> lesson_of(const std::string& word, const std::vector<Lesson>& lessons) {
  for (std::size_t i = 0; i < lessons.size(); ++i)
    if (word == lessons[i].name || word == std::to_string(i + 1)) return i;
  return std::nullopt;
}

/// The index of the lesson to begin with.
std::size_t index_of(const std::string& word, const std::vector<Lesson>& lessons) {
  if (word.empty()) return 0;
  if (const auto index = lesson_of(word, lessons)) return *index;
  if (word.find_first_not_of("0123456789") == std::string::npos)
    throw sim::BadInput(fmt::format("learn: no lesson {}, expected 1 to {}", word, lessons.size()));
  std::vector<std::string> names;
  for (const auto& lesson : lessons) names.push_back(lesson.name);
  throw sim::BadInput(
      fmt::format("learn: no lesson `{}`{}", word, scenarios::suggestion(word, names)));
}

void print_list(const std::vector<Lesson>& lessons, std::ostream& out) {
  for (std::size_t i = 0; i < lessons.size(); ++i)
    out << fmt::format("{:4}  {:<18}  {}\n", i + 1, lessons[i].name, lessons[i].title);
}

template <class... Values>
std::string put_in(const char* words, const Values&... values) {
  return fmt::format(fmt::runtime(words), values...);
}

class Walk {
 public:
  Walk(const Guide& guide, Language language, const scenarios::Catalog& catalog, Io& io)
      : guide_(guide), words_(sim::row(language)), catalog_(catalog), io_(io) {}

  /// The worst exit code of the runs that were shown; a violation that no scenario speaks of is
  /// none.
  ExitCode from(std::size_t index) {
    tell(guide_.opening);
    here_ = index;
    if (io_.prompts && !asked(words_.to_begin)) return worst_;
    while (here_ < guide_.lessons.size()) {
      const auto& lesson = guide_.lessons[here_];
      tell(put_in(words_.lesson, here_ + 1, guide_.lessons.size(), lesson.title) + "\n\n");
      if (!show(lesson)) break;
    }
    if (here_ == guide_.lessons.size()) tell(guide_.closing);
    if (!guessed_.empty()) {
      const auto right = std::count_if(guessed_.begin(), guessed_.end(),
                                       [](const auto& guess) { return guess.second; });
      tell(put_in(words_.score, right, guessed_.size()) + "\n");
    }
    return worst_;
  }

 private:
  /// Goes to the next lesson, or where the reader wants to go. false: has quit.
  bool show(const Lesson& lesson) {
    const auto here = here_;
    for (const auto& part : lesson.parts) {
      if (const auto* text = std::get_if<LessonText>(&part)) {
        tell(text->text);
        continue;
      }
      const auto& run = std::get<LessonRun>(part);
      guess_.reset();
      if (!asked(run.question ? prompt_of(*run.question).c_str() : words_.to_run,
                 run.question ? run.question->answers.size() : 0))
        return false;
      if (moved_) return true;
      make(run);
    }
    if (!asked(words_.to_go_on)) return false;
    if (!moved_) here_ = here + 1;
    return true;
  }

  std::string prompt_of(const Question& question) const {
    std::string letters;
    for (std::size_t i = 0; i < question.answers.size(); ++i)
      letters += fmt::format("{}{}", i == 0 ? "" : "/", letter_of(i));
    return put_in(words_.to_answer, letters);
  }

  void make(const LessonRun& run) {
    shown_ = run.words;
    io_.out << "$ lockstep " << fmt::format("{}\n", fmt::join(run.words, " "));
    const auto code = executed(run.words, run.place);
    io_.out << '\n';
    worst_ = worse(worst_, static_cast<ExitCode>(code));
    if (run.question) tell_answer(*run.question, run.place);
  }

  int executed(const std::vector<std::string>& words, const std::string& place) {
    const auto arguments = parse(words);
    if (const auto* checked = std::get_if<CheckArguments>(&arguments)) {
      // A lesson may well show a violation, but not where a scenario expects something else.
      const bool expects =
          catalog_.scenario(checked->target).expect.has_value() && !checked->model.any();
      const int code = check(*checked, catalog_, io_);
      return code == kViolated && !expects ? kAsExpected : code;
    }
    if (const auto* replayed = std::get_if<ReplayArguments>(&arguments))
      return replay(*replayed, catalog_, io_);
    throw sim::BadInput(fmt::format("{}: expected `lockstep check` or `lockstep replay`", place));
  }

  void tell_answer(const Question& question, const std::string& place) {
    const auto letter = letter_of(question.right);
    const auto& answer = question.answers[question.right];
    if (guess_) guessed_[place] = *guess_ == question.right;
    if (!guess_)
      tell(put_in(words_.answered, letter, answer) + "\n\n");
    else if (*guess_ == question.right)
      tell(put_in(words_.right, letter, answer) + "\n\n");
    else
      tell(put_in(words_.wrong, letter_of(*guess_), letter, answer) + "\n\n");
  }

  /// Writes the last run as a page.
  void picture() {
    if (shown_.size() < 2) return tell(std::string(words_.no_picture) + "\n");
    auto words = shown_;
    const auto file = "lockstep-" + words[1] + ".html";
    words.insert(words.end(), {"--format", "html", "--out", file});
    try {
      executed(words, "");
    } catch (const sim::BadInput& error) {  // the walk goes on
      io_.out << error.what() << '\n';
    }
  }

  /// Waits for the reader, who answers a question with so many answers, goes on, or goes to another
  /// lesson (`moved_`); false: has quit. In a pipe nobody waits.
  bool asked(const char* prompt, std::size_t answers = 0) {
    moved_ = false;
    if (!io_.prompts) return true;
    std::string word;
    while (true) {
      io_.out << prompt << std::flush;
      if (!std::getline(io_.in, word)) {
        io_.out << '\n';
        return false;
      }
      if (word.empty()) return true;
      if (word.size() == 1 && word[0] >= 'a' && word[0] < letter_of(answers)) {
        guess_ = static_cast<std::size_t>(word[0] - 'a');
        return true;
      }
      if (word == "q" || word == "quit") return false;
      if (word == "c" || word == "contents") {
        print_list(guide_.lessons, io_.out);
      } else if (word == "p" || word == "picture") {
        picture();
      } else if (word == "b" || word == "back") {
        return move_to(here_ == 0 ? 0 : here_ - 1);
      } else if (const auto lesson = lesson_of(word, guide_.lessons)) {
        return move_to(*lesson);
      } else {
        tell(put_in(words_.not_understood, word) + "\n");
      }
    }
  }

  bool move_to(std::size_t lesson) {
    here_ = lesson;
    moved_ = true;
    io_.out << '\n';
    return true;
  }

  void tell(const std::string& text) {
    io_.out << (io_.columns == 0 ? text : wrapped(text, std::min(io_.columns, kWidest)));
  }

  const Guide& guide_;
  const LanguageRow& words_;
  const scenarios::Catalog& catalog_;
  Io& io_;
  std::size_t here_ = 0;  ///< the lesson that is shown
  bool moved_ = false;    ///< to another lesson, by what was typed last
  std::optional<std::size_t> guess_;
  std::map<std::string, bool> guessed_;  ///< by place: whether the last guess was right
  std::vector<std::string> shown_;       ///< the words of the run that was shown last
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
      LessonTold::Part each;
      if (const auto* text = std::get_if<LessonText>(&part)) {
        each.text = text->text;
      } else {
        const auto& run = std::get<LessonRun>(part);
        each.command = run.words;
        if (run.question) {
          each.answers = run.question->answers;
          each.right = letter_of(run.question->right);
        }
      }
      lesson.parts.push_back(std::move(each));
    }
    told.push_back(std::move(lesson));
  }
  return lessons_report(told);
}

}  // namespace

int learn(const LearnArguments& arguments, const scenarios::Catalog& catalog, Io& io) {
  const auto language = language_of(arguments.language);
  const auto guide = read_guide(catalog.guide_file(arguments.language), language);
  const auto first = index_of(arguments.lesson, guide.lessons);
  if (arguments.json)
    io.out << as_json(guide.lessons, first, arguments.list);
  else if (arguments.list)
    print_list(guide.lessons, io.out);
  else
    return Walk(guide, language, catalog, io).from(first);
  return kAsExpected;
}

}  // namespace lockstep::cli
