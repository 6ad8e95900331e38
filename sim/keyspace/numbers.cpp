// Numbers as Redis reads and writes them in arguments and values.
#include "sim/keyspace/numbers.hpp"

#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sim/keyspace/refused.hpp"

namespace lockstep::sim {

std::optional<std::int64_t> parse_integer(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  const std::size_t sign = value < 0 ? 1 : 0;
  const bool leading_zero = text.size() > 1 && text[sign] == '0';
  if (leading_zero || (text[0] == '-' && value == 0)) return std::nullopt;
  return value;
}

std::int64_t integer_argument(const std::string& text, const char* error) {
  const auto value = parse_integer(text);
  if (!value) refuse(error);
  return *value;
}

std::optional<long double> parse_float(const std::string& text) {
  constexpr std::size_t kMaxLength = 5120;  // MAX_LONG_DOUBLE_CHARS
  if (text.empty() || text.size() >= kMaxLength) return std::nullopt;
  if (std::isspace(static_cast<unsigned char>(text[0]))) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const long double value = std::strtold(text.c_str(), &end);
  if (end != text.c_str() + text.size() || std::isnan(value)) return std::nullopt;
  if (errno == ERANGE && (std::isinf(value) || value == 0)) return std::nullopt;
  return value;
}

std::string format_float(long double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const int length = std::snprintf(nullptr, 0, "%.17Lf", value);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), "%.17Lf", value);
  text.pop_back();
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::optional<double> parse_score(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || std::isnan(value)) return std::nullopt;
  if (errno == ERANGE && (std::isinf(value) || value == 0)) return std::nullopt;
  return value;
}

bool is_hexadecimal(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("+-");
  return digits < 2 && digits + 1 < text.size() && text[digits] == '0' &&
         (text[digits + 1] == 'x' || text[digits + 1] == 'X');
}

std::optional<std::int64_t> whole_part(long double amount) {
  constexpr long double kLargest = 1e15L;
  if (std::abs(amount) > kLargest || amount != std::trunc(amount)) return std::nullopt;
  return static_cast<std::int64_t>(amount);
}

std::string format_score(double score) {
  if (std::isinf(score)) return score > 0 ? "inf" : "-inf";
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.17g", score);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace lockstep::sim
