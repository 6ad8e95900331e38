// See the header.
#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::cli {

std::string spoken(sim::Property property) {
  std::string words = name(property);
  std::replace(words.begin(), words.end(), '-', ' ');
  return words;
}

std::string counted(sim::Fault fault, int count) {
  return fmt::format("{} {}", count, count == 1 ? row(fault).one : row(fault).many);
}

std::string grouped(std::uint64_t number) {
  const auto digits = std::to_string(number);
  std::string result;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) result += ',';
    result += digits[at];
  }
  return result;
}

std::string plural(std::uint64_t number, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace lockstep::cli
