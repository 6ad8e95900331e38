// Durations and instants. True time and a host's wall clock are different types on purpose: code
// that peeks at true time where only a clock may be read does not compile.
#pragma once

#include <compare>
#include <cstdint>

namespace lockstep::sim {

/// A length of time in whole milliseconds; may be negative (a clock that jumps back).
struct Duration {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ms + b.ms}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ms - b.ms}; }
  constexpr Duration operator-() const { return {-ms}; }
};

/// Milliseconds since the start of the run, as an outside observer would count them. No host can
/// read it.
struct TrueTime {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(TrueTime, TrueTime) = default;
  friend constexpr TrueTime operator+(TrueTime t, Duration d) { return {t.ms + d.ms}; }
  friend constexpr Duration operator-(TrueTime a, TrueTime b) { return {a.ms - b.ms}; }
};

/// What one host's wall clock shows: Unix time in milliseconds. Comparable only on the same host.
struct WallTime {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(WallTime, WallTime) = default;
  friend constexpr WallTime operator+(WallTime t, Duration d) { return {t.ms + d.ms}; }
  friend constexpr Duration operator-(WallTime a, WallTime b) { return {a.ms - b.ms}; }
};

/// Unix time that every wall clock without an offset shows at true time 0 (2026-01-01T00:00:00Z).
inline constexpr WallTime kEpoch{1'767'225'600'000};

/// What may be a Unix time: in seconds from this century on, or in less.
inline constexpr std::int64_t kFirstTime = 1'000'000'000;

/// A host's wall clock: true time plus its offset.
constexpr WallTime wall_clock(TrueTime now, Duration offset) {
  return kEpoch + Duration{now.ms} + offset;
}

}  // namespace lockstep::sim
