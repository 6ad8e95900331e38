// See the header.
#include "sim/client/within_ms.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "sim/client/turning.hpp"

namespace lockstep::sim {

namespace {

constexpr int kFirstTries = 13;  // microseconds apart

bool lies_between(const std::vector<double>& numbers, const std::vector<double>& some,
                  const std::vector<double>& others) {
  if (numbers.size() != some.size() || numbers.size() != others.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [least, most] = std::minmax(some[i], others[i]);
    if (numbers[i] < least || numbers[i] > most) return false;
  }
  return true;
}

}  // namespace

std::string split_numbers(const std::string& text, std::vector<double>& numbers) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    double number = 0;
    const char* const begin = text.data() + at;
    const bool digit = *begin >= '0' && *begin <= '9';  // no sign, no "inf"
    const auto [end, error] = digit ? std::from_chars(begin, text.data() + text.size(), number)
                                    : std::from_chars_result{begin, std::errc::invalid_argument};
    if (error == std::errc{}) numbers.push_back(number);
    rest += end == begin ? *begin : '#';
    at += end == begin ? 1 : static_cast<std::size_t>(end - begin);
  }
  return rest;
}

namespace {

/// How numbers go through a millisecond, each by itself.
class Rounding {
 public:
  Rounding(const std::vector<double>& first, const std::vector<double>& next)
      : first_(first), next_(next), seen_(first.size()) {}

  void see(const std::vector<double>& within, int micros) {
    if (within.size() != first_.size() || next_.size() != first_.size()) return;
    for (std::size_t i = 0; i < within.size(); ++i) {
      const double more = next_[i] - first_[i], by = within[i] - first_[i];
      if (!std::isfinite(by)) continue;  // a bound: from -inf on
      // Of what a ms makes. Lua 5.1 writes 14 digits of a number: a tenth of a ms, to the nearest.
      constexpr double kError = 0.051;
      const bool even = std::abs(by - more * micros / kMicrosOfMs) <= kError * std::abs(more);
      seen_[i].stays = seen_[i].stays && by == 0;
      seen_[i].even = seen_[i].even && even;
    }
  }

  /// Rounded up, or to the nearest: neither all the same nor growing with each microsecond.
  bool steps() const {
    return std::ranges::any_of(seen_, [](auto one) { return !one.stays && !one.even; });
  }
  bool each_micro() const {
    return std::ranges::any_of(seen_, [](auto one) { return !one.stays && one.even; });
  }
  bool whole() const {
    for (std::size_t i = 0; i < std::min(seen_.size(), next_.size()); ++i)
      if (seen_[i].stays && next_[i] != first_[i]) return true;
    return false;
  }

 private:
  struct Number {
    bool stays = true, even = true;
  };
  const std::vector<double>&first_, &next_;
  std::vector<Number> seen_;
};

/// Whether it is neither what it is as the ms begins nor what it is as the next one does.
bool is_another(const Outcome& within, const Outcome& first, const Outcome& next) {
  if (first.course == next.course)
    return within.course != first.course ||
           !lies_between(within.numbers, first.numbers, next.numbers) ||
           !lies_between(within.expiries, first.expiries, next.expiries);
  return within.course != first.course && within.course != next.course;
}

}  // namespace

void note_within_ms(const std::function<Outcome(int)>& outcome, TimeUse& use) {
  const Outcome first = outcome(0), next = outcome(kMicrosOfMs);
  Rounding numbers(first.numbers, next.numbers), compared(first.compared, next.compared);
  bool turns = false, compares = false;
  for (int micros = 1; micros < kMicrosOfMs; micros += kFirstTries) {
    const Outcome within = outcome(micros);
    turns = turns || is_another(within, first, next);
    compares = compares || within.compared != first.compared;
    numbers.see(within.numbers, micros);
    compared.see(within.compared, micros);
  }
  for (int micros = 1; compares && !turns && micros < kMicrosOfMs; ++micros)
    turns = is_another(outcome(micros), first, next);
  use.whole_ms = use.whole_ms && !turns && !numbers.steps() && !compared.steps();
  use.whole_micros = use.whole_micros || numbers.whole() || compared.whole();
  use.each_micro = use.each_micro || numbers.each_micro() || compared.each_micro();
}

}  // namespace lockstep::sim
