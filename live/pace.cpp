// Real time beside the trace's; see the header.
#include "live/pace.hpp"

#include <algorithm>
#include <thread>

namespace lockstep::live {

namespace {

constexpr std::int64_t kReadingMs = 20;

}  // namespace

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t Pace::real_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count();
}

void Pace::wait_until(std::int64_t real_ms) const {
  std::this_thread::sleep_until(start_ + std::chrono::milliseconds(real_ms));
}

void Pace::note_lag() {
  const auto lag_ms = real_ms() - trace_ms_;
  least_lag_ms_ = std::min(least_lag_ms_, lag_ms);
  most_lag_ms_ = std::max(most_lag_ms_, lag_ms);
}

std::int64_t Pace::tolerance_ms() const { return most_lag_ms_ - least_lag_ms_ + kReadingMs; }

}  // namespace lockstep::live
