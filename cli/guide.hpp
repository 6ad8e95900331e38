// The lessons of docs/guide.md, as `lockstep learn` walks through them: text, and commands to run.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::cli {

/// Lines of the guide, as they stand there.
struct LessonText {
  std::string text;
};
/// The command of a ```console block, without `lockstep`; what the block shows is run afresh.
struct LessonRun {
  std::vector<std::string> words;
  std::string place;  ///< "guide.md, line 12"
};
using LessonPart = std::variant<LessonText, LessonRun>;

/// What stands below a heading `## 4. name: title`.
struct Lesson {
  std::string name;
  std::string title;
  std::vector<LessonPart> parts;
};

/// Reads the lessons in order; lesson i has number i + 1. Throws BadInput with file and line for
/// a wrong number, a name that is used twice, or a ```console block without a lockstep command.
std::vector<Lesson> read_guide(const std::filesystem::path& file);

}  // namespace lockstep::cli
