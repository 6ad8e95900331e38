// See the header.
#include "sim/client/within_ms.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace lockstep::sim {

namespace {

constexpr int kMicrosOfMs = 1000;
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

bool turns_within_ms(const std::function<Outcome(int)>& outcome) {
  const Outcome first = outcome(0), next = outcome(kMicrosOfMs);
  const auto turns = [&](const Outcome& within) {
    if (first.course == next.course)
      return within.course != first.course ||
             !lies_between(within.numbers, first.numbers, next.numbers);
    return within.course != first.course && within.course != next.course;
  };
  bool compares = false;
  for (int micros = 1; micros < kMicrosOfMs; micros += kFirstTries) {
    const Outcome within = outcome(micros);
    if (turns(within)) return true;
    compares = compares || within.compared != first.compared;
  }
  for (int micros = 1; compares && micros < kMicrosOfMs; ++micros)
    if (turns(outcome(micros))) return true;
  return false;
}

}  // namespace lockstep::sim
