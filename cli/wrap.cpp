// See the header.
#include "cli/wrap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::cli {

namespace {

struct Character {
  std::string_view bytes;
  std::uint32_t code = 0;
};

/// The UTF-8 character at the front of `rest`, which it is taken off; a byte that begins none is
/// one by itself.
Character take_character(std::string_view& rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  Character character{rest.substr(0, length), length == 1 ? first : first & (0x7FU >> length)};
  for (const char byte : character.bytes.substr(1))
    character.code = character.code << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  rest.remove_prefix(character.bytes.size());
  return character;
}

/// Whether a terminal gives it two columns (East Asian Width W and F, where text has them).
bool is_wide(std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 7> kWide{{{0x1100, 0x115F},
                                                                          {0x2E80, 0xA4CF},
                                                                          {0xAC00, 0xD7A3},
                                                                          {0xF900, 0xFAFF},
                                                                          {0xFE30, 0xFE4F},
                                                                          {0xFF00, 0xFF60},
                                                                          {0x20000, 0x3FFFD}}};
  return std::any_of(kWide.begin(), kWide.end(), [&](const auto& range) {
    return range.first <= code && code <= range.second;
  });
}

bool is_wide_mark(std::uint32_t code) {
  return (0x3000 <= code && code <= 0x303F) || (0xFF00 <= code && code <= 0xFF60);
}

/// No line begins with such a mark, and none ends with one of the others.
bool closes(const Character& character) {
  return std::string_view("，。、；：？！）」》”").find(character.bytes) != std::string_view::npos;
}
bool opens(const Character& character) {
  return std::string_view("（「《“").find(character.bytes) != std::string_view::npos;
}

/// What stays together on a line.
struct Piece {
  std::string text;
  std::size_t columns = 0;
  bool spaced = false;  ///< a space stands before it, unless a line begins with it
};

class Filled {
 public:
  explicit Filled(std::size_t columns) : columns_(columns) {}

  /// A line of the paragraph; a space joins it to the last one where its language has spaces.
  void add(std::string_view line) {
    bool begins = true;
    while (!line.empty()) {
      const auto character = take_character(line);
      if (character.code == ' ') {
        spaced_ = true;
        continue;
      }
      if (begins && !pieces_.empty())
        spaced_ = !is_wide_mark(last_.code) && !is_wide_mark(character.code) &&
                  !(is_wide(last_.code) && is_wide(character.code));
      begins = false;
      const bool together =
          is_wide(character.code) || is_wide(last_.code) ? closes(character) || opens(last_) : true;
      if (pieces_.empty() || spaced_ || !together)
        pieces_.push_back({"", 0, std::exchange(spaced_, false)});
      pieces_.back().text += character.bytes;
      pieces_.back().columns += is_wide(character.code) ? 2 : 1;
      last_ = character;
    }
  }

  /// The paragraph; its second line and those that follow begin with `indent`.
  std::string text(const std::string& indent) const {
    std::string text;
    std::size_t used = 0;
    for (const auto& piece : pieces_) {
      const std::size_t space = piece.spaced ? 1 : 0;
      if (used > 0 && used + space + piece.columns > columns_) {
        text += "\n" + indent + piece.text;
        used = indent.size() + piece.columns;
      } else {
        text += std::string(space, ' ') + piece.text;
        used += space + piece.columns;
      }
    }
    return text + "\n";
  }

 private:
  std::size_t columns_;
  std::vector<Piece> pieces_;
  Character last_;
  bool spaced_ = false;
};

/// Takes a colour's sequence (ESC [ ... m) off the front, if there is one.
std::string_view take_colour(std::string_view& rest) {
  if (!rest.starts_with("\033[")) return {};
  const std::string_view colour = rest.substr(0, rest.find('m') + 1);
  rest.remove_prefix(colour.size());
  return colour;
}

/// A word of a line.
struct Word {
  std::size_t blanks = 0;  ///< before it
  std::string text;        ///< without them
  std::size_t columns = 0;
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words(1);
  bool blank = true;
  while (!line.empty()) {
    if (const std::string_view colour = take_colour(line); !colour.empty()) {
      words.back().text += colour;
      continue;
    }
    const Character character = take_character(line);
    const bool is_blank = character.code == ' ';
    if (is_blank && !blank) words.emplace_back();
    blank = is_blank;
    Word& word = words.back();
    if (is_blank) {
      ++word.blanks;
      continue;
    }
    word.text += character.bytes;
    word.columns += is_wide(character.code) ? 2 : 1;
  }
  return words;
}

/// Where the text of a line begins.
std::size_t text_begin(const std::vector<Word>& words, std::size_t columns) {
  std::size_t at = 0, begin = 0;
  for (const Word& word : words) {
    at += word.blanks;
    if (word.blanks >= 2 && 3 * at <= 2 * columns) begin = at;
    at += word.columns;
  }
  return begin;
}

std::string hung_line(std::string_view line, std::size_t columns,
                      std::optional<std::size_t> begin) {
  const std::vector<Word> words = words_of(line);
  const std::size_t indent = begin ? *begin : text_begin(words, columns);
  std::string text;
  std::size_t used = 0;
  for (const Word& word : words) {
    const bool fits = used + word.blanks + word.columns <= columns;
    if (used <= indent || word.blanks == 0 || fits) {
      text += std::string(word.blanks, ' ') + word.text;
      used += word.blanks + word.columns;
    } else {
      text += '\n' + std::string(indent, ' ') + word.text;
      used = indent + word.columns;
    }
  }
  return text;
}

}  // namespace

std::string hung(const std::string& text, std::size_t columns, std::optional<std::size_t> begin) {
  constexpr std::size_t kNarrowest = 40;
  if (columns < kNarrowest) return text;
  std::istringstream lines(text);
  std::string result, line;
  while (std::getline(lines, line)) result += hung_line(line, columns, begin) + '\n';
  if (!text.empty() && text.back() != '\n') result.pop_back();
  return result;
}

std::string wrapped(const std::string& markdown, std::size_t columns) {
  std::istringstream lines(markdown);
  std::string text, line;
  std::vector<std::string> paragraph;
  const auto fill = [&] {
    if (paragraph.empty()) return;
    Filled filled(columns);
    for (const auto& each : paragraph) filled.add(each);
    const auto& first = paragraph.front();
    const std::size_t indent = first.starts_with("- (") ? 6 : first.starts_with("- ") ? 2 : 0;
    text += filled.text(std::string(indent, ' '));
    paragraph.clear();
  };
  bool code = false;
  while (std::getline(lines, line)) {
    const bool fence = line.starts_with("```");
    if (code || fence || line.empty() || line.starts_with("    ") || line.starts_with("|")) {
      fill();
      text += line + "\n";
      code = code != fence;
      continue;
    }
    if (line.starts_with("- ")) fill();
    paragraph.push_back(line);
  }
  fill();
  return text;
}

}  // namespace lockstep::cli
