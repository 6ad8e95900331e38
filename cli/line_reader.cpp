// See the header.
#include "cli/line_reader.hpp"

#include <histedit.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace lockstep::cli {

namespace {

/// In whatever case.
bool begins_alike(const std::string& text, const std::string& word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

/// Of UTF-8 text.
int characters_of(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // no byte that goes on
  }));
}

std::filesystem::path in_home(const std::string& name) {
  const char* const home = std::getenv("HOME");
  if (name.empty() || home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / name;
}

}  // namespace

std::vector<std::string> completions_of(const std::string& word,
                                        const std::vector<std::string>& possible) {
  std::vector<std::string> found;
  for (const std::string& each : possible)
    if (begins_alike(each, word)) found.push_back(each);
  return found;
}

std::string common_beginning(const std::string& word, const std::vector<std::string>& completions) {
  if (completions.empty()) return word;
  std::string common = completions.front();
  for (const std::string& each : completions)
    while (!begins_alike(each, common)) common.pop_back();
  return common.size() > word.size() || completions.size() == 1 ? common : word;
}

/// libedit's own state, and what it calls.
struct LineReader::Editor {
  Editor(Completion of, const std::string& name) : completion(std::move(of)), file(in_home(name)) {
    history(lines, &event, H_SETSIZE, kMostLines);
    history(lines, &event, H_SETUNIQUE, 1);
    if (!file.empty()) history(lines, &event, H_LOAD, file.c_str());
    el_set(line, EL_CLIENTDATA, this);
    el_set(line, EL_PROMPT, &Editor::shown_prompt);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_SIGNAL, 1);
    el_set(line, EL_HIST, history, lines);
    el_set(line, EL_ADDFN, "complete", "completes the word", &Editor::complete);
    el_set(line, EL_BIND, "^I", "complete", nullptr);
    el_set(line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  }
  ~Editor() {
    if (!file.empty()) history(lines, &event, H_SAVE, file.c_str());
    el_end(line);
    history_end(lines);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  static Editor& of(EditLine* line) {
    void* self = nullptr;
    el_get(line, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  static char* shown_prompt(EditLine* line) { return of(line).prompt.data(); }

  /// Inserts what is certain; if there are several, shows them below.
  static unsigned char complete(EditLine* line, int /*key*/) {
    const LineInfo* const info = el_line(line);
    const std::string before(info->buffer, info->cursor);
    const std::size_t begin = before.find_last_of(' ') + 1;  // 0 without one
    const std::string word = before.substr(begin);
    const std::vector<std::string> all =
        completions_of(word, of(line).completion(before.substr(0, begin), word));
    const std::string text = common_beginning(word, all) + (all.size() == 1 ? " " : "");
    if (text != word) {
      el_deletestr(line, characters_of(word));
      el_insertstr(line, text.c_str());
      return CC_REFRESH;
    }
    if (all.empty()) return CC_REFRESH_BEEP;
    std::string shown = "\n";
    for (const std::string& each : all) shown += each + "  ";
    std::fputs((shown + "\n").c_str(), stdout);
    return CC_REDISPLAY;
  }

  static constexpr int kMostLines = 1000;
  Completion completion;
  std::string prompt;
  std::filesystem::path file;
  HistEvent event{};
  History* lines = history_init();
  EditLine* line = el_init("lockstep", stdin, stdout, stderr);
};

LineReader::LineReader(Io& io, Completion completion, const std::string& history) : io_(io) {
  if (!io.edits) return;
  editor_ = std::make_unique<Editor>(std::move(completion), history);
  if (editor_->line == nullptr) editor_.reset();  // not on such a terminal
}

LineReader::~LineReader() = default;

std::optional<std::string> LineReader::ask(const std::string& prompt) {
  std::string line;
  if (editor_ == nullptr) {
    if (io_.prompts) io_.out << prompt << std::flush;
    return std::getline(io_.in, line) ? std::optional(line) : std::nullopt;
  }
  io_.out << std::flush;
  editor_->prompt = prompt;
  int length = 0;
  const char* const typed = el_gets(editor_->line, &length);
  if (typed == nullptr || length <= 0) return std::nullopt;
  line.assign(typed, static_cast<std::size_t>(length));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  if (line.find_first_not_of(' ') != std::string::npos)
    history(editor_->lines, &editor_->event, H_ENTER, typed);
  return line;
}

}  // namespace lockstep::cli
