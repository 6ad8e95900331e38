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

/// Where the run of digits that begins there ends. Unix seconds with a fraction ("1767225600.25",
/// as Python's time.time() and a script's TIME make them) are one run.
inline std::size_t end_of_run(std::string_view text, std::size_t begin) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kSecondsDigits = 10;  // of this century and the next two
  const auto end_of_digits = [&](std::size_t from) {
    return std::min(text.find_first_not_of(kDigits, from), text.size());
  };
  const std::size_t end = end_of_digits(begin);
  const bool fraction = end - begin == kSecondsDigits && text[begin] != '0' &&
                        end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
  return fraction ? end_of_digits(end + 1) : end;
}

/// A run's number; of Unix seconds with a fraction their ms, parts of them, too.
inline double number_of_run(std::string_view run) {
  if (run.find('.') == std::string_view::npos) return static_cast<double>(whole_number_in(run));
  double seconds = 0;
  std::from_chars(run.data(), run.data() + run.size(), seconds);
  return seconds * 1000;
}

/// The text with every run of digits as `change(run)` makes it.
template <typename Change>
std::string with_digit_runs(std::string_view text, const Change& change) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    while (begin < text.size() && !is_digit(text[begin])) ++begin;
    result += text.substr(at, begin - at);
    at = end_of_run(text, begin);
    if (at > begin) result += change(text.substr(begin, at - begin));
  }
  return result;
}

}  // namespace lockstep::sim
