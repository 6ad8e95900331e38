// Glob patterns as KEYS uses them, with Redis's reading of unfinished classes and ranges.
#include "sim/redis/commands/glob.hpp"

#include <optional>
#include <utility>

namespace lockstep::sim {

namespace {

/// Reads the class that follows '[' and says whether it has `c`. An unclosed class ends with the
/// pattern.
bool class_has(std::string_view& pattern, char c) {
  const bool negated = !pattern.empty() && pattern[0] == '^';
  if (negated) pattern.remove_prefix(1);
  bool found = false;
  while (!pattern.empty() && pattern[0] != ']') {
    if (pattern[0] == '\\' && pattern.size() >= 2) {
      found |= pattern[1] == c;
      pattern.remove_prefix(2);
    } else if (pattern.size() >= 3 && pattern[1] == '-') {
      auto low = static_cast<unsigned char>(pattern[0]);
      auto high = static_cast<unsigned char>(pattern[2]);
      if (low > high) std::swap(low, high);
      const auto byte = static_cast<unsigned char>(c);
      found |= byte >= low && byte <= high;
      pattern.remove_prefix(3);
    } else {
      found |= pattern[0] == c;
      pattern.remove_prefix(1);
    }
  }
  if (!pattern.empty()) pattern.remove_prefix(1);
  return found != negated;
}

/// Takes the first thing that the pattern asks for, which is no star, and says whether it is `c`.
bool takes(std::string_view& pattern, char c) {
  const char p = pattern[0];
  pattern.remove_prefix(1);
  if (p == '?') return true;
  if (p == '[') return class_has(pattern, c);
  if (p != '\\' || pattern.empty()) return p == c;
  const char literal = pattern[0];
  pattern.remove_prefix(1);
  return literal == c;
}

}  // namespace

/// Only the last star that was met need ever be tried with more: whatever those before it could
/// take as well, it can. So neither time nor stack explodes (Redis: CVE-2022-36021,
/// CVE-2024-31228).
bool glob_matches(std::string_view pattern, std::string_view text) {
  std::optional<std::string_view> after_star;  // the pattern behind the last star
  std::string_view star_takes;                 // what is left of the text where that began
  for (;;) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      star_takes = text;
      continue;
    }
    if (pattern.empty() && (text.empty() || after_star == "")) return true;
    if (text.empty()) return false;
    if (!pattern.empty() && takes(pattern, text[0])) {
      text.remove_prefix(1);
      continue;
    }
    if (!after_star) return false;
    star_takes.remove_prefix(1);
    text = star_takes;
    pattern = *after_star;
  }
}

}  // namespace lockstep::sim
