// Lua's patterns: one attempt to match at one place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::sim::dialect {

/// Matches a pattern (a C string, as in 5.1: a NUL ends it) against a subject, in a bounded number
/// of steps. Holds nothing that needs a destructor, so that what it says of a bad pattern may be
/// Lua's longjmp.
class Matcher {
 public:
  Matcher(const char* subject, std::size_t length) : begin_(subject), end_(subject + length) {}

  /// The end of a match of `pattern` that starts at `at`, or null.
  const char* match_at(const char* at, const char* pattern) {
    captures_ = 0;
    return match(at, pattern);
  }

 protected:
  struct Capture {
    const char* begin;
    std::ptrdiff_t length;  ///< or kOpen, kPosition
  };
  static constexpr std::ptrdiff_t kOpen = -1;      ///< a capture that is not closed yet
  static constexpr std::ptrdiff_t kPosition = -2;  ///< ()
  struct Limits {
    int depth = 5000;
    std::int64_t steps = 50'000'000;
    bool graphic = false;  ///< there is a class %g, as from 5.2 on
  };
  Matcher(const char* subject, std::size_t length, const Limits& limits)
      : begin_(subject), end_(subject + length), limits_(limits) {}
  ~Matcher() = default;

  [[noreturn]] virtual void malformed(const char* why) = 0;
  [[noreturn]] virtual void too_deep() = 0;
  [[noreturn]] virtual void too_long() = 0;

  const char* begin_;
  const char* end_;
  int captures_ = 0;
  std::array<Capture, 32> capture_;
  std::int64_t steps_ = 0;

 private:
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
  bool in_class(unsigned char c, unsigned char name) const;
  bool in_set(unsigned char c, const char* set, const char* last) const;
  bool at_frontier(const char* at, const char* set, const char* set_end) const;

  Limits limits_;
  int depth_ = 0;
};

}  // namespace lockstep::sim::dialect
