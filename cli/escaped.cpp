// See the header.
#include "cli/escaped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lockstep::cli {

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// The number of bytes of the UTF-8 sequence at `at`, or 0 if it is none that XML can contain.
std::size_t sequence_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character =
      (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return too_long || no_character ? 0 : length;
}

/// The same with U+FFFD for what no document can contain.
std::string valid_text(const std::string& text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = sequence_length(text, at);
    valid += length == 0 ? kReplacement : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return valid;
}

std::string escaped_byte(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
    case '\n':
    case '\r':
      return fmt::format("&#{};", static_cast<int>(c));
    default:
      return {c};
  }
}

bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7f;
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// With each of these characters as "%0A".
std::string in_hexadecimal(const std::string& text, std::string_view special) {
  std::string plain;
  for (const char c : text)
    plain += special.find(c) == std::string_view::npos
                 ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned>(c));
  return plain;
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : valid_text(text)) escaped += escaped_byte(c);
  return escaped;
}

std::string markdown_escaped(const std::string& text) {
  constexpr std::string_view kMarks = "\\`*_[]{}<>~!$^&|";
  std::string escaped;
  for (const char c : valid_text(text)) {
    if (kMarks.find(c) != kMarks.npos) escaped += '\\';
    escaped += is_control(c) ? ' ' : c;
    if (c == '@' || c == '#') escaped += "<!-- -->";  // GitHub reads what has become of the text
  }
  return escaped;
}

std::string mermaid_escaped(const std::string& text) {
  constexpr std::string_view kPlain = " .,:()=/_+-*!?'|^~[]@";
  std::string escaped;
  for (const char c : valid_text(text)) {
    if (is_control(c))
      escaped += ' ';
    else if (is_letter_or_digit(c) || kPlain.find(c) != kPlain.npos)
      escaped += c;
    else
      escaped += fmt::format("#{};", static_cast<int>(c));
  }
  return escaped;
}

std::string workflow_escaped(const std::string& text) { return in_hexadecimal(text, "%\r\n"); }

std::string workflow_property(const std::string& text) { return in_hexadecimal(text, "%\r\n:,"); }

}  // namespace lockstep::cli
