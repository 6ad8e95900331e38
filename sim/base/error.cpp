// See the header.
#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace lockstep::sim {

namespace {

bool is_control(char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; }

/// Of those beyond ASCII, in UTF-8: C2 80 to C2 9F.
bool is_high_control(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '\xC2') return false;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return next >= 0x80 && next < 0xA0;
}

/// Of a line that is read to its end. What was found may be as long as a file.
constexpr std::size_t kLongestLine = 1500;

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

/// Without the middle of what is too long: the place is in front, what was expected at the end.
std::string shortened(const std::string& line) {
  if (line.size() <= kLongestLine) return line;
  std::size_t front = kLongestLine / 2, back = line.size() - kLongestLine / 2;
  while (front > 0 && is_inside_character(line[front])) --front;
  while (back < line.size() && is_inside_character(line[back])) ++back;
  return line.substr(0, front) + " ... " + line.substr(back);
}

}  // namespace

std::string on_one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n')
      line += "\\n";
    else if (is_control(c) || is_high_control(text, at))
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  return line;
}

BadInput::BadInput(const std::string& what) : std::runtime_error(shortened(on_one_line(what))) {}

}  // namespace lockstep::sim
