// Finds windows of time whose number a request works out, and times that are rounded down; see
// node_clocks.hpp.
#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "sim/base/rate.hpp"
#include "sim/client/node_clocks.hpp"
#include "sim/client/node_tried.hpp"

namespace lockstep::sim {

namespace {

/// Lengths in ms that are tried where a time may be one of the clock rounded down.
constexpr std::array<std::int64_t, 20> kRoundings = [] {
  std::array<std::int64_t, 20> lengths{2,  3,   4,   5,   6,   10,   12,   15,   20,   30,
                                       60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 86'400};
  for (std::int64_t& length : lengths) length *= kSecondMs;
  return lengths;
}();

}  // namespace

/// The numbers that one request shows at other times; each time is tried once.
class NodeClocks::NumbersAt {
 public:
  NumbersAt(NodeClocks& clocks, const Met& met) : clocks_(clocks), met_(met) {}

  /// Whether a number is there from the beginning of a window of the clock to its end, and then one
  /// that is so much more.
  bool stay_for_window(std::int64_t number, std::int64_t window_ms, std::int64_t more) {
    const std::int64_t begun_ms = begin_of(window_ms);
    constexpr std::int64_t kParts = 8;  // a second that meets another one stays no whole window
    for (std::int64_t part = 0; part < kParts; ++part)
      if (!have(number, begun_ms + window_ms * part / kParts)) return false;
    return have(number, begun_ms + window_ms - 1) && have(number + more, begun_ms + window_ms) &&
           !have(number, begun_ms - 1);
  }

  /// Whether this is the number of the clock's window: it is one more as soon as the next begins.
  bool number_windows(std::int64_t number, std::int64_t window_ms) {
    for (const std::int64_t count : {-1, 0, 1, 2, 13}) {
      const std::int64_t begin_ms = begin_of(window_ms) + count * window_ms, here = number + count;
      if (!have(here, begin_ms) || !have(here, begin_ms + window_ms - 1)) return false;
      if (have(here, begin_ms - 1) && count != 0) return false;
    }
    return true;
  }

 private:
  /// Of the clock's window, in ms from now on: 0 or less.
  std::int64_t begin_of(std::int64_t window_ms) const {
    const std::int64_t now_ms = met_.execution.now.ms;
    return floor_quotient(now_ms, window_ms) * window_ms - now_ms;
  }
  bool have(std::int64_t number, std::int64_t later_ms) {
    const auto [place, is_new] = known_.try_emplace(later_ms);
    if (is_new) place->second = clocks_.tried(met_, later_ms).all_numbers();
    return place->second.contains(number);
  }

  NodeClocks& clocks_;
  const Met& met_;
  std::map<std::int64_t, std::set<std::int64_t>> known_;
};

/// Numbers of windows of time that it works out, stores or compares; and times that are rounded
/// down to more than a second, plus or minus something.
void NodeClocks::find_windows(const Met& met, const Tried& tried_now, TimeUse& use) {
  const WallTime now = met.execution.now;
  NumbersAt numbers(*this, met);
  for (const std::int64_t number : tried_now.all_numbers()) {
    if (const std::int64_t window = window_of(number, now);
        window != 0 && unit_of(number, now) == 0 && numbers.number_windows(number, window))
      windows_.insert(window);
    const std::int64_t unit = unit_of(number, now);
    if (windows_.contains(unit)) use.units.insert(unit);
    if (unit != 1 && unit != kSecondMs) continue;
    for (const std::int64_t rounded_ms : kRoundings)
      if (numbers.stay_for_window(number, rounded_ms, rounded_ms / unit))
        use.units.insert(rounded_ms);
  }
}

}  // namespace lockstep::sim
