// Lines that a person types at a prompt: with an editor, a history and completion (libedit), where
// the streams are terminals.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"

namespace lockstep::cli {

/// What may stand where `word` begins, behind `before` (the line up to there).
using Completion =
    std::function<std::vector<std::string>(const std::string& before, const std::string& word)>;

class LineReader {
 public:
  /// `io` outlives it. `history`: a file in the person's home where lines are kept from one run to
  /// the next; empty: nowhere.
  LineReader(Io& io, Completion completion, const std::string& history = "");
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line, without its end; nothing where the input ends. The prompt is shown if
  /// `io.prompts`.
  std::optional<std::string> ask(const std::string& prompt);

 private:
  struct Editor;
  Io& io_;
  std::unique_ptr<Editor> editor_;  ///< null where lines are read as they come
};

/// Of the words that may stand there, those that begin as `word` does, whatever case it is in.
std::vector<std::string> completions_of(const std::string& word,
                                        const std::vector<std::string>& possible);
/// What all of them begin with that is longer than `word`; `word` if there is no such text.
std::string common_beginning(const std::string& word, const std::vector<std::string>& completions);

}  // namespace lockstep::cli
