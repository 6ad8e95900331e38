// See the header.
#include "sim/base/compared.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "sim/base/ascii.hpp"

namespace lockstep::sim {

namespace {

/// A text as the numbers in it and what is around them.
struct Pieces {
  std::string around;
  std::vector<double> numbers;
};

Pieces pieces_of(std::string_view text) {
  Pieces pieces;
  pieces.around = with_digit_runs(text, [&](std::string_view run) {
    pieces.numbers.push_back(number_of_run(run));
    return "0";
  });
  return pieces;
}

/// The bytes as a number, the highest first or last.
std::uint64_t unpacked(std::string_view bytes, bool highest_first) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number =
        number << 8U | static_cast<unsigned char>(bytes[highest_first ? i : bytes.size() - 1 - i]);
  return number;
}

/// Of the two ways to read them, the one in which they are smaller: what is packed is small.
std::vector<Compared> packed_numbers_compared(std::string_view left, std::string_view right) {
  if (left.size() != right.size() || left.size() > 8 || !std::has_single_bit(left.size()))
    return {};
  const auto largest = [&](bool highest_first) {
    return std::max(unpacked(left, highest_first), unpacked(right, highest_first));
  };
  const bool highest_first = largest(true) < largest(false);
  const auto one = static_cast<double>(unpacked(left, highest_first));
  const auto other = static_cast<double>(unpacked(right, highest_first));
  return {{one, other, relation(one, other)}};
}

/// Not only those of captures (%1).
bool has_own_digits(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size(); ++at)
    if (is_digit(pattern[at]) && (at == 0 || pattern[at - 1] != '%')) return true;
  return false;
}

}  // namespace

bool is_packed(std::string_view bytes) {
  return bytes.size() <= 8 && std::has_single_bit(bytes.size()) &&
         !std::ranges::all_of(bytes, [](char c) { return c >= ' ' && c <= '~'; });
}

std::vector<Compared> numbers_compared(std::string_view left, std::string_view right) {
  const bool packed = is_packed(left), other_packed = is_packed(right);
  if (packed && other_packed) return packed_numbers_compared(left, right);
  const Pieces one = pieces_of(left), other = pieces_of(right);
  if (one.around != other.around)  // of two words nothing is compared: they are other ones
    return packed || other_packed ? packed_numbers_compared(left, right) : std::vector<Compared>{};
  std::vector<Compared> compared;
  for (std::size_t i = 0; i < one.numbers.size(); ++i)
    compared.push_back(
        {one.numbers[i], other.numbers[i], relation(one.numbers[i], other.numbers[i])});
  return compared;
}

std::vector<double> numbers_sought(std::string_view text, std::string_view pattern) {
  std::vector<double> sought = pieces_of(pattern).numbers;
  if (!has_own_digits(pattern)) return sought;
  const std::vector<double> sought_in = pieces_of(text).numbers;
  sought.insert(sought.end(), sought_in.begin(), sought_in.end());
  return sought;
}

}  // namespace lockstep::sim
