// Lua 5.1's patterns: one attempt to match at one place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

/// Matches a pattern (a C string, as in 5.1: a NUL ends it) against a subject. Raises Lua errors;
/// holds nothing that needs a destructor.
class Matcher {
 public:
  Matcher(lua_State* L, const char* subject, std::size_t length)
      : L_(L), begin_(subject), end_(subject + length) {}

  /// The end of a match of `pattern` that starts at `at`, or null.
  const char* match_at(const char* at, const char* pattern) {
    captures_ = 0;
    return match(at, pattern);
  }

  /// Pushes the captures of the match at..end; the whole match if there are none and
  /// `whole_if_none`.
  int push_captures(const char* at, const char* end, bool whole_if_none);
  void push_capture(int index, const char* at, const char* end);

 private:
  struct Capture {
    const char* begin;
    std::ptrdiff_t length;
  };

  const char* match(const char* at, const char* pattern);
  const char* match_step(const char*& at, const char*& pattern, bool& done);
  const char* match_item(const char*& at, const char*& pattern, bool& done);
  const char* open_capture(const char* at, const char* pattern, std::ptrdiff_t mark);
  const char* close_capture(const char* at, const char* pattern);
  const char* match_balance(const char* at, const char* pattern);
  const char* match_back_reference(const char* at, int digit);
  const char* repeat_most(const char* at, const char* item, const char* item_end);
  const char* repeat_least(const char* at, const char* item, const char* item_end);
  const char* item_end(const char* pattern);
  bool matches_one(const char* at, const char* item, const char* item_end);
  void spend(std::ptrdiff_t steps);
  bool at_frontier(const char* at, const char* set, const char* set_end) const;

  lua_State* L_;
  const char* begin_;
  const char* end_;
  int captures_ = 0;
  int depth_ = 0;
  std::int64_t steps_ = 0;
  std::array<Capture, 32> capture_;
};

}  // namespace lockstep::sim::dialect
