// The time of a live replay: the trace's, and the real time that runs beside it. What has to agree
// is which keys exist; so a wait ends a little early where a key must still be there, and a little
// late where one must be gone.
#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::live {

/// How much of a real lifetime must be left where the trace says that the key exists.
inline constexpr std::int64_t kMarginMs = 40;

/// What this machine's clock shows.
std::int64_t unix_ms();

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pace(Clock::time_point start) : start_(start) {}

  std::int64_t trace_ms() const { return trace_ms_; }
  void advance(std::int64_t ms) { trace_ms_ += ms; }
  /// Milliseconds of real time since the start.
  std::int64_t real_ms() const;
  void wait_until(std::int64_t real_ms) const;

  /// Notes how far real time is ahead of (or behind) the trace's.
  void note_lag();
  /// How far the remaining lifetime of a key may be from the trace's: the spread of the lags so
  /// far, and what reading it takes.
  std::int64_t tolerance_ms() const;

 private:
  Clock::time_point start_;
  std::int64_t trace_ms_ = 0;
  std::int64_t least_lag_ms_ = 0, most_lag_ms_ = 0;
};

}  // namespace lockstep::live
