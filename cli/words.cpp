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
  auto digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string plural(std::uint64_t number, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace lockstep::cli
