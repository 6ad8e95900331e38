// When a key expires, by the clock of its node.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/base/rate.hpp"
#include "sim/base/time.hpp"

namespace lockstep::sim {

/// When a key expires: an instant of the node's wall clock; readable then, gone 1 ms later.
struct Expiry : WallTime {
  /// Really it is so many parts of a ms sooner (Rate; less than a ms), which no command can tell:
  /// of a key on a clock that drifts. A command that gives an expiry gives whole ms.
  std::int64_t sooner = 0;
  /// How long it lasts, in ms: from when a lifetime was given that did not hang on another one,
  /// with what was added since (`PTTL + c`). For the grid of a search that keeps it; 0: not known.
  std::int64_t lasts_ms = 0;

  constexpr explicit Expiry(WallTime at, std::int64_t parts_sooner = 0, std::int64_t lasts = 0)
      : WallTime(at), sooner(parts_sooner), lasts_ms(lasts) {}
  constexpr Expiry& operator=(WallTime at) { return *this = Expiry(at); }
  /// Later by so many parts of a ms, of which a ms has `in_a_ms`; sooner if there are less than 0.
  constexpr Expiry moved(std::int64_t parts, std::int64_t in_a_ms) const {
    const std::int64_t whole = ceil_quotient(parts - sooner, in_a_ms);
    return Expiry(*this + Duration{whole}, whole * in_a_ms - (parts - sooner), lasts_ms);
  }
  /// The same instant, whatever it came of.
  friend constexpr bool operator==(const Expiry& a, const Expiry& b) {
    return a.ms == b.ms && a.sooner == b.sooner;
  }
};

/// Later than any key expires.
inline constexpr Expiry kNever(WallTime{std::numeric_limits<std::int64_t>::max()});

}  // namespace lockstep::sim
