// Constants as the compiler of 5.1 makes them (lcode.c constfolding, addk).
#include "sim/lua51/constants.hpp"

#include <cmath>

namespace lockstep::sim::dialect {

std::optional<double> folded(std::string_view op, double a, double b) {
  if (op.size() != 1) return std::nullopt;
  if ((op[0] == '/' || op[0] == '%') && b == 0) return std::nullopt;
  double result = 0;
  switch (op[0]) {
    case '+':
      result = a + b;
      break;
    case '-':
      result = a - b;
      break;
    case '*':
      result = a * b;
      break;
    case '/':
      result = a / b;
      break;
    case '%':
      result = a - std::floor(a / b) * b;
      break;
    case '^':
      result = std::pow(a, b);
      break;
    default:
      return std::nullopt;
  }
  return std::isnan(result) ? std::nullopt : std::optional(result);
}

void Zeros::note(std::size_t first, std::size_t last, double value) {
  auto& zeros = functions_.back();
  while (!zeros.empty() && zeros.back().first >= first) settle(take_back());
  if (value != 0) return;
  const bool plain = first == last;
  zeros.push_back({first, std::signbit(value), plain ? -1 : draft_.around_zero(first, last)});
}

Zeros::Zero Zeros::take_back() {
  const Zero zero = functions_.back().back();
  functions_.back().pop_back();
  return zero;
}

void Zeros::close_function() {
  const auto& zeros = functions_.back();
  if (!zeros.empty() && zeros.front().negative) {
    for (const Zero& zero : zeros) {
      if (zero.wrapping < 0) {
        draft_.instead(zero.first, "(-0.0)");
      } else {
        draft_.negate_zero(zero.wrapping);
      }
    }
  }
  functions_.pop_back();
}

}  // namespace lockstep::sim::dialect
