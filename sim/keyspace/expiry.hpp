// When a key expires, by the clock of its node.
#pragma once

#include <cstdint>

#include "sim/base/rate.hpp"
#include "sim/base/time.hpp"

namespace lockstep::sim {

/// When a key expires: an instant of the node's wall clock; readable then, gone 1 ms later.
struct Expiry : WallTime {
  /// Really it is so many parts of a ms sooner (Rate; less than a ms), which no command can tell:
  /// of a key on a clock that drifts. A command that gives an expiry gives whole ms.
  std::int64_t sooner = 0;

  constexpr explicit Expiry(WallTime at, std::int64_t parts_sooner = 0)
      : WallTime(at), sooner(parts_sooner) {}
  constexpr Expiry& operator=(WallTime at) { return *this = Expiry(at); }
  /// Later by so many parts of a ms, of which a ms has `in_a_ms`; sooner if there are less than 0.
  constexpr Expiry moved(std::int64_t parts, std::int64_t in_a_ms) const {
    const std::int64_t whole = ceil_quotient(parts - sooner, in_a_ms);
    return Expiry(*this + Duration{whole}, whole * in_a_ms - (parts - sooner));
  }
  friend constexpr bool operator==(const Expiry&, const Expiry&) = default;
};

}  // namespace lockstep::sim
