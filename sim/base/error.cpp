// See the header.
#include "sim/base/error.hpp"

#include <fmt/format.h>

namespace lockstep::sim {

namespace {

bool is_control(char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; }

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else if (is_control(c))
      line += fmt::format("\\x{:02x}", static_cast<int>(c));
    else
      line += c;
  }
  return line;
}

}  // namespace

BadInput::BadInput(const std::string& what) : std::runtime_error(on_one_line(what)) {}

}  // namespace lockstep::sim
