// Characters as Redis and Lua take them in the C locale: ASCII only.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::sim {

inline constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text as C sees it: up to the first zero byte.
inline constexpr std::string_view c_text(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

/// The whole number that the text begins with; 0 if it begins with none that fits.
inline std::int64_t whole_number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The text with every run of digits as `change(run)` makes it.
template <typename Change>
std::string with_digit_runs(std::string_view text, const Change& change) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (end > at) result += change(text.substr(at, end - at));
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

}  // namespace lockstep::sim
