// Numbers in the fewest digits, laid out as fpconv_dtoa does (Redis 7.2 deps/fpconv).
#include "sim/redis/script/shortest_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace lockstep::sim {

namespace {

/// The number is 0.DIGITS times ten to the power of `point`: digits without the point.
struct Decimal {
  std::string digits;
  int point = 0;
};

Decimal decimal(double positive) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, positive, std::chars_format::scientific);
  const std::string shown(text, end.ptr);
  const auto exponent = shown.find('e');
  Decimal made{shown.substr(0, 1), std::atoi(shown.c_str() + exponent + 1) + 1};
  if (exponent > 2) made.digits += shown.substr(2, exponent - 2);
  return made;
}

std::string laid_out(const Decimal& number) {
  const int count = static_cast<int>(number.digits.size());
  const int behind = number.point - count;  // zeros to add, or minus the digits behind the point
  const int exponent = number.point - 1;
  if (behind >= 0 && exponent < count + 7) {
    return number.digits + std::string(static_cast<std::size_t>(behind), '0');
  }
  if (behind < 0 && (behind > -7 || std::abs(exponent) < 4)) {
    std::string text = number.digits;
    if (number.point > 0) return text.insert(static_cast<std::size_t>(number.point), ".");
    return "0." + std::string(static_cast<std::size_t>(-number.point), '0') + text;
  }
  std::string text = number.digits;
  if (count > 1) text.insert(1, ".");
  return text + 'e' + (exponent < 0 ? '-' : '+') + std::to_string(std::abs(exponent));
}

/// A whole number in plain digits, as far as half the 64-bit range; else the fewest digits that
/// read back as the same number, laid out as fpconv does.
std::string shortest_number(double number) {
  constexpr double kHalf = 4611686018427387904.0;  // 2^62: half of the largest 64-bit number
  const char* sign = std::signbit(number) ? "-" : "";
  if (std::isnan(number)) return std::string(sign) + "nan";
  if (std::isinf(number)) return std::string(sign) + "inf";
  if (std::fabs(number) < kHalf && std::trunc(number) == number) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  return sign + laid_out(decimal(std::fabs(number)));
}

std::string in_17_digits(double number) {
  std::array<char, 64> shown{};
  const int length = std::snprintf(shown.data(), shown.size(), "%.17g", number);
  return {shown.data(), static_cast<std::size_t>(length)};
}

}  // namespace

void number_argument(ServerVersion version, double number, std::string& text) {
  text = since_72(version) ? shortest_number(number) : in_17_digits(number);
}

std::string number_reply(ServerVersion version, double number) {
  if (!since_72(version)) return in_17_digits(number);
  if (std::isnan(number)) return "nan";
  if (number == 0 && std::signbit(number)) return "-0";
  return shortest_number(number);
}

}  // namespace lockstep::sim
