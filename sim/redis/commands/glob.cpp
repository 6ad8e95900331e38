// Glob patterns as KEYS uses them, with Redis's reading of unfinished classes and ranges.
#include "sim/redis/commands/glob.hpp"

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

bool star_matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty() && pattern[0] == '*') pattern.remove_prefix(1);
  if (pattern.empty()) return true;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (glob_matches(pattern, text)) return true;
  }
  return false;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty() && !text.empty()) {
    const char p = pattern[0];
    if (p == '*') return star_matches(pattern, text);
    pattern.remove_prefix(1);
    const char c = text[0];
    text.remove_prefix(1);
    if (p == '?') continue;
    if (p == '[') {
      if (!class_has(pattern, c)) return false;
      continue;
    }
    char literal = p;
    if (p == '\\' && !pattern.empty()) {
      literal = pattern[0];
      pattern.remove_prefix(1);
    }
    if (literal != c) return false;
  }
  if (text.empty()) {
    while (!pattern.empty() && pattern[0] == '*') pattern.remove_prefix(1);
  }
  return pattern.empty() && text.empty();
}

}  // namespace lockstep::sim
