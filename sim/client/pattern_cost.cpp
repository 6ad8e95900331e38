// Matches as Lua would, and counts; see the header.
#include "sim/client/pattern_cost.hpp"

#include <algorithm>
#include <string>

#include "sim/lua51/pattern.hpp"

namespace lockstep::sim::program {

namespace {

/// Nothing comes after it: the limit is reached, or Lua raises an error here.
struct Ends {};

class Counter final : public dialect::Matcher {
 public:
  Counter(std::string_view text, std::int64_t most)
      : Matcher(text.data(), text.size(), {kDepth, most, true}) {}

  void search(const char* pattern, PatternUse use);
  std::int64_t steps() const { return steps_; }

 private:
  static constexpr int kDepth = 200;  // lstrlib.c MAXCCALLS of 5.4: deeper is an error

  void malformed(const char*) override { throw Ends{}; }
  void too_deep() override { throw Ends{}; }
  void too_long() override { throw Ends{}; }
};

void Counter::search(const char* pattern, PatternUse use) {
  const bool anchored = *pattern == '^';
  if (anchored) ++pattern;
  const auto from = std::clamp<std::int64_t>(use.first, 0, end_ - begin_);
  for (const char* at = begin_ + from; at <= end_;) {
    const char* end = match_at(at, pattern);
    if (anchored || (end != nullptr && !use.all)) return;
    at = end != nullptr && end > at ? end : at + 1;
  }
}

/// A NUL is a character like any other in 5.4, and ends a pattern in 5.1.
std::string without_nul(std::string_view text) {
  std::string copy(text);
  std::ranges::replace(copy, '\0', '\1');
  return copy;
}

}  // namespace

std::int64_t steps_of_pattern(std::string_view text, std::string_view pattern, PatternUse use,
                              std::int64_t most) {
  const std::string subject = without_nul(text), wanted = without_nul(pattern);
  Counter counter(subject, most);
  try {
    counter.search(wanted.c_str(), use);
  } catch (const Ends&) {
  }
  return counter.steps();
}

}  // namespace lockstep::sim::program
