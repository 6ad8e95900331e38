// The lessons of docs/guide.md, as `lockstep learn` walks through them: text, and commands to run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/language.hpp"

namespace lockstep::cli {

/// Lines of the guide, as they stand there.
struct LessonText {
  std::string text;
};
/// What a run is asked before: a list `- (a) one answer`. The first paragraph behind the run begins
/// with `Answer: b. `, which is not in its text.
struct Question {
  std::vector<std::string> answers;
  std::size_t right = 0;
};
/// `a` for the first answer.
inline char letter_of(std::size_t answer) { return static_cast<char>('a' + answer); }

/// The command of a ```console block, without `lockstep`; what the block shows is run afresh.
struct LessonRun {
  std::vector<std::string> words;
  std::string place;  ///< "guide.md, line 12"
  std::optional<Question> question;
};
using LessonPart = std::variant<LessonText, LessonRun>;

/// What stands below a heading `## 4. name: title`.
struct Lesson {
  std::string name;
  std::string title;
  std::vector<LessonPart> parts;
};

struct Guide {
  std::string opening;          ///< the sections before the lessons, with their headings
  std::vector<Lesson> lessons;  ///< lesson i has number i + 1
  std::string closing;          ///< and those behind them
};

/// Reads the guide. Throws BadInput with file and line for a wrong number, a name that is used
/// twice, a ```console block without a lockstep command, a question without its run or answer.
Guide read_guide(const std::filesystem::path& file, Language language);

}  // namespace lockstep::cli
