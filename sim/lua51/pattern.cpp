// Lua 5.1's patterns. Differences from 5.4 that matter: no %g, a NUL ends the pattern, other error
// texts.
#include "sim/lua51/pattern.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace lockstep::sim::dialect {

namespace {

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

}  // namespace

/// Whether `c` is in the class named by a letter after %; any other character stands for itself.
bool Matcher::in_class(unsigned char c, unsigned char name) const {
  bool in = false;
  switch (std::tolower(name)) {
    case 'a':
      in = std::isalpha(c) != 0;
      break;
    case 'c':
      in = std::iscntrl(c) != 0;
      break;
    case 'd':
      in = std::isdigit(c) != 0;
      break;
    case 'g':
      if (!limits_.graphic) return name == c;
      in = std::isgraph(c) != 0;
      break;
    case 'l':
      in = std::islower(c) != 0;
      break;
    case 'p':
      in = std::ispunct(c) != 0;
      break;
    case 's':
      in = std::isspace(c) != 0;
      break;
    case 'u':
      in = std::isupper(c) != 0;
      break;
    case 'w':
      in = std::isalnum(c) != 0;
      break;
    case 'x':
      in = std::isxdigit(c) != 0;
      break;
    case 'z':
      in = c == 0;
      break;
    default:
      return name == c;
  }
  return std::isupper(name) ? !in : in;
}

/// Whether `c` is in the set [...]; `last` is its closing bracket.
bool Matcher::in_set(unsigned char c, const char* set, const char* last) const {
  const char* p = set + 1;
  const bool negated = *p == '^';
  if (negated) ++p;
  for (; p < last; ++p) {
    if (*p == '%') {
      ++p;
      if (in_class(c, byte(*p))) return !negated;
    } else if (p[1] == '-' && p + 2 < last) {
      if (byte(p[0]) <= c && c <= byte(p[2])) return !negated;
      p += 2;
    } else if (byte(*p) == c) {
      return !negated;
    }
  }
  return negated;
}

/// The end of the single-character item at `pattern`: a character, %x, or [set].
const char* Matcher::item_end(const char* pattern) {
  const char first = *pattern++;
  if (first == '%') {
    if (*pattern == '\0') malformed("malformed pattern (ends with '%')");
    return pattern + 1;
  }
  if (first != '[') return pattern;
  if (*pattern == '^') ++pattern;
  do {  // a ']' right at the start is an element
    if (*pattern == '\0') malformed("malformed pattern (missing ']')");
    if (*pattern++ == '%' && *pattern != '\0') ++pattern;
  } while (*pattern != ']');
  return pattern + 1;
}

bool Matcher::matches_one(const char* at, const char* item, const char* end) {
  if (at >= end_) return false;
  const unsigned char c = byte(*at);
  switch (*item) {
    case '.':
      return true;
    case '%':
      return in_class(c, byte(item[1]));
    case '[':
      spend(end - item);
      return in_set(c, item, end - 1);
    default:
      return byte(*item) == c;
  }
}

/// Everything that takes time in proportion to the text or the pattern is counted.
void Matcher::spend(std::ptrdiff_t steps) {
  steps_ += steps;
  if (steps_ > limits_.steps) too_long();
}

const char* Matcher::match(const char* at, const char* pattern) {
  if (++depth_ > limits_.depth) too_deep();
  bool done = false;
  const char* result = nullptr;
  while (!done) {
    spend(1);
    result = match_step(at, pattern, done);
  }
  --depth_;
  return result;
}

/// Matches one part of the pattern. Either moves `at` and `pattern` on, or is `done` with the
/// result of the whole rest.
const char* Matcher::match_step(const char*& at, const char*& pattern, bool& done) {
  done = true;
  switch (*pattern) {
    case '\0':
      return at;
    case '(':
      return pattern[1] == ')' ? open_capture(at, pattern + 2, kPosition)
                               : open_capture(at, pattern + 1, kOpen);
    case ')':
      return close_capture(at, pattern + 1);
    case '$':
      if (pattern[1] == '\0') return at == end_ ? at : nullptr;
      break;
    case '%':
      if (pattern[1] == 'b') {
        at = match_balance(at, pattern + 2);
        pattern += 4;
        done = at == nullptr;
        return nullptr;
      }
      if (pattern[1] == 'f') {
        const char* set = pattern + 2;
        if (*set != '[') malformed("missing '[' after '%f' in pattern");
        const char* set_end = item_end(set);
        done = !at_frontier(at, set, set_end - 1);
        pattern = set_end;
        return nullptr;
      }
      if (std::isdigit(byte(pattern[1]))) {
        at = match_back_reference(at, pattern[1] - '1');
        pattern += 2;
        done = at == nullptr;
        return nullptr;
      }
      break;
    default:
      break;
  }
  return match_item(at, pattern, done);
}

/// A single-character item and what may follow it: ? * + -
const char* Matcher::match_item(const char*& at, const char*& pattern, bool& done) {
  const char* item = pattern;
  const char* end = item_end(item);
  done = true;
  switch (*end) {
    case '?':
      if (matches_one(at, item, end)) {
        if (const char* rest = match(at + 1, end + 1)) return rest;
      }
      pattern = end + 1;
      done = false;
      return nullptr;
    case '*':
      return repeat_most(at, item, end);
    case '+':
      return matches_one(at, item, end) ? repeat_most(at + 1, item, end) : nullptr;
    case '-':
      return repeat_least(at, item, end);
    default:
      if (!matches_one(at, item, end)) return nullptr;
      ++at;
      pattern = end;
      done = false;
      return nullptr;
  }
}

const char* Matcher::repeat_most(const char* at, const char* item, const char* end) {
  std::ptrdiff_t count = 0;
  while (matches_one(at + count, item, end)) ++count;
  for (; count >= 0; --count) {
    if (const char* rest = match(at + count, end + 1)) return rest;
  }
  return nullptr;
}

const char* Matcher::repeat_least(const char* at, const char* item, const char* end) {
  while (true) {
    if (const char* rest = match(at, end + 1)) return rest;
    if (!matches_one(at, item, end)) return nullptr;
    ++at;
  }
}

const char* Matcher::open_capture(const char* at, const char* pattern, std::ptrdiff_t mark) {
  if (captures_ >= static_cast<int>(capture_.size())) malformed("too many captures");
  capture_[static_cast<std::size_t>(captures_)] = {at, mark};
  ++captures_;
  const char* rest = match(at, pattern);
  if (!rest) --captures_;
  return rest;
}

const char* Matcher::close_capture(const char* at, const char* pattern) {
  int open = captures_ - 1;
  while (open >= 0 && capture_[static_cast<std::size_t>(open)].length != kOpen) --open;
  if (open < 0) malformed("invalid pattern capture");
  Capture& capture = capture_[static_cast<std::size_t>(open)];
  capture.length = at - capture.begin;
  const char* rest = match(at, pattern);
  if (!rest) capture.length = kOpen;
  return rest;
}

/// %bxy: from an x to the y that balances it.
const char* Matcher::match_balance(const char* at, const char* pattern) {
  if (pattern[0] == '\0' || pattern[1] == '\0') malformed("unbalanced pattern");
  if (at >= end_ || *at != pattern[0]) return nullptr;
  int open = 1;
  for (const char* p = at + 1; p < end_; ++p) {
    spend(1);
    if (*p == pattern[1]) {
      if (--open == 0) return p + 1;
    } else if (*p == pattern[0]) {
      ++open;
    }
  }
  return nullptr;
}

bool Matcher::at_frontier(const char* at, const char* set, const char* last) const {
  const unsigned char before = at == begin_ ? 0 : byte(at[-1]);
  const unsigned char here = at == end_ ? 0 : byte(*at);
  return !in_set(before, set, last) && in_set(here, set, last);
}

const char* Matcher::match_back_reference(const char* at, int index) {
  if (index < 0 || index >= captures_ ||
      capture_[static_cast<std::size_t>(index)].length == kOpen) {
    malformed("invalid capture index");
  }
  const Capture& capture = capture_[static_cast<std::size_t>(index)];
  const auto length = static_cast<std::size_t>(capture.length);
  spend(std::max<std::ptrdiff_t>(capture.length, 0));
  const bool same =
      static_cast<std::size_t>(end_ - at) >= length && std::memcmp(capture.begin, at, length) == 0;
  return same ? at + length : nullptr;
}

}  // namespace lockstep::sim::dialect
