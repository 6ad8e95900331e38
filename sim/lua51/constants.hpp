// Constants as the compiler of 5.1 makes them: operators on numerals are computed at compile time,
// and a function's zeros are one constant: the first one's sign is the sign of all.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/lua51/draft.hpp"

namespace lockstep::sim::dialect {

/// What 5.1 computes while compiling, or nothing.
std::optional<double> folded(std::string_view op, double a, double b);

class Zeros {
 public:
  explicit Zeros(Draft& draft) : draft_(draft) {}
  void open_function() { functions_.emplace_back(); }
  /// Gives the zeros of the innermost function their sign.
  void close_function();
  /// The tokens first..last are the constant `value`; they hold all constants noted in between.
  void note(std::size_t first, std::size_t last, double value);

  struct Zero {
    std::size_t first;
    bool negative;
    int wrapping;  ///< in the draft; -1 for a plain numeral
  };
  /// Takes back the zero that was noted last: 5.1 does not need it, or not yet.
  Zero take_back();
  void put(const Zero& zero) { functions_.back().push_back(zero); }
  /// An operand of what is a constant itself: it keeps its own sign.
  void settle(const Zero& zero) {
    if (zero.negative) draft_.negate_zero(zero.wrapping);
  }

 private:
  Draft& draft_;
  std::vector<std::vector<Zero>> functions_;  ///< each one's in the order in which 5.1 makes them
};

}  // namespace lockstep::sim::dialect
