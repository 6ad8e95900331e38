// See token.hpp. One parser serves all: a text is split into whole tokens and what lies between
// them.
#include "sim/base/token.hpp"

#include <algorithm>
#include <optional>

namespace lockstep::sim {
namespace {

constexpr std::string_view kOpen = "\xE2\x9F\xA8";
constexpr std::string_view kClose = "\xE2\x9F\xA9";
constexpr std::string_view kLead = "\xE2\x9F";  // what both brackets begin with
constexpr unsigned kLetters = 26;

/// A decimal number of 1 to `most` without leading zeros at the front of `text`, which it is cut
/// off from.
std::optional<unsigned> take_number(std::string_view& text, unsigned most) {
  unsigned value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 6 && text[digits] >= '0' && text[digits] <= '9') {
    value = value * 10 + static_cast<unsigned>(text[digits] - '0');
    ++digits;
  }
  if (digits == 0 || text[0] == '0' || value > most) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

std::optional<unsigned> take_process(std::string_view& text) {
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return std::nullopt;
  const char letter = text[0];
  text.remove_prefix(1);
  if (letter == 'P' && !text.empty() && text[0] != '.') {
    const std::optional<unsigned> number = take_number(text, 255);
    return number && *number >= kLetters ? number : std::nullopt;
  }
  return static_cast<unsigned>(letter - 'A');
}

/// The whole token at the front of `text`, which it is cut off from; `text` is unspecified if there
/// is none.
std::optional<Token> take_token(std::string_view& text) {
  text.remove_prefix(kOpen.size());
  const std::optional<unsigned> process = take_process(text);
  if (!process || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<unsigned> number = take_number(text, 65535);
  if (!number || !text.starts_with(kClose)) return std::nullopt;
  text.remove_prefix(kClose.size());
  return Token{static_cast<std::uint8_t>(*process), static_cast<std::uint16_t>(*number)};
}

/// Whether `text` begins with a piece of a bracket: one without its partner, or cut in the middle.
/// Other characters that begin with the same two bytes (U+27C0 to U+27FF) are none.
bool is_cut_bracket(std::string_view text) {
  if (text.starts_with(kOpen) || text.starts_with(kClose) || text == "\xE2") return true;
  if (!text.starts_with(kLead)) return false;
  return text.size() == kLead.size() || (static_cast<unsigned char>(text[2]) & 0xC0) != 0x80;
}

/// Calls `plain(bytes)` for what lies between whole tokens and `whole(token)` for each of them, in
/// order.
template <typename Plain, typename Whole>
void split(std::string_view bytes, const Plain& plain, const Whole& whole) {
  std::size_t done = 0;
  for (std::size_t at = bytes.find(kOpen); at != std::string_view::npos;
       at = bytes.find(kOpen, at)) {
    std::string_view rest = bytes.substr(at);
    const std::optional<Token> token = take_token(rest);
    if (!token) {
      ++at;
      continue;
    }
    plain(bytes.substr(done, at - done));
    whole(*token);
    done = at = bytes.size() - rest.size();
  }
  plain(bytes.substr(done));
}

bool has_cut_bracket(std::string_view bytes) {
  for (std::size_t at = bytes.find('\xE2'); at != std::string_view::npos;
       at = bytes.find('\xE2', at + 1)) {
    if (is_cut_bracket(bytes.substr(at))) return true;
  }
  return false;
}

}  // namespace

std::string process_name(unsigned process) {
  if (process < kLetters) return std::string(1, static_cast<char>('A' + process));
  std::string name = std::to_string(process);
  return name.insert(0, 1, 'P');
}

std::string token_text(Token token) {
  std::string text(kOpen);
  text += process_name(token.process);
  text += '.';
  text += std::to_string(token.number);
  text += kClose;
  return text;
}

TokenScan scan_tokens(std::string_view bytes) {
  TokenScan scan;
  split(
      bytes, [&](std::string_view plain) { scan.cut = scan.cut || has_cut_bracket(plain); },
      [&](Token token) {
        if (std::find(scan.tokens.begin(), scan.tokens.end(), token) == scan.tokens.end()) {
          scan.tokens.push_back(token);
        }
      });
  return scan;
}

std::string rename_tokens(std::string_view bytes, const std::function<Token(Token)>& rename) {
  std::string renamed;
  split(
      bytes, [&](std::string_view plain) { renamed += plain; },
      [&](Token token) { renamed += token_text(rename(token)); });
  return renamed;
}

std::string without_brackets(std::string_view bytes) {
  std::string text;
  split(
      bytes, [&](std::string_view plain) { text += plain; },
      [&](Token token) {
        const std::string whole = token_text(token);
        text += std::string_view(whole).substr(kOpen.size(),
                                               whole.size() - kOpen.size() - kClose.size());
      });
  return text;
}

}  // namespace lockstep::sim
