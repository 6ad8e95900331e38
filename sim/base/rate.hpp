// How fast a host's clock runs. What it shows is kept in parts of a millisecond, of which there are
// so many that none is ever lost.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>

namespace lockstep::sim {

/// Rounded down; `divisor` > 0.
constexpr std::int64_t floor_quotient(std::int64_t number, std::int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}
/// Rounded up; `divisor` > 0.
constexpr std::int64_t ceil_quotient(std::int64_t number, std::int64_t divisor) {
  return -floor_quotient(-number, divisor);
}

class Rate {
 public:
  /// Of a clock that is right.
  constexpr Rate() = default;
  /// `ppm`: by how many millionths it is fast; more than -1,000,000.
  constexpr explicit Rate(std::int64_t ppm) : ppm_(ppm) {
    const std::int64_t common = std::gcd(kMillion + ppm, kMillion);
    shown_ = (kMillion + ppm) / common;
    parts_ = kMillion / common;
  }

  constexpr bool drifts() const { return ppm_ != 0; }
  /// How many parts a ms of this clock has.
  constexpr std::int64_t parts() const { return parts_; }
  /// How many parts more it shows after `ms` of true time.
  constexpr std::int64_t shown_after(std::int64_t ms) const { return ms * shown_; }
  /// The first ms of true time after which it shows `ms`, less `less` parts, more.
  constexpr std::int64_t true_ms(std::int64_t ms, std::int64_t less = 0) const {
    const std::int64_t times = floor_quotient(ms, shown_);  // so that no product is too large
    return times * parts_ + ceil_quotient((ms - times * shown_) * parts_ - less, shown_);
  }
  /// Whether it shows just `ms` more after a whole number of ms of true time.
  constexpr bool is_whole(std::int64_t ms) const { return shown_after(true_ms(ms)) == ms * parts_; }
  /// How many ms of true time are over before this clock has shown `ms` more; at least 1.
  constexpr std::int64_t true_ms_before(std::int64_t ms) const {
    return ms <= 0 ? 0 : std::max<std::int64_t>(1, true_ms(ms, shown_ - 1));
  }
  /// The first ms of true time, after `now_ms` since both were right, after which this clock shows
  /// `ms` more than `other` shows now.
  constexpr std::int64_t true_ms_ahead_of(const Rate& other, std::int64_t ms,
                                          std::int64_t now_ms) const {
    return ceil_quotient(now_ms * (other.ppm_ - ppm_) + ms * kMillion, kMillion + ppm_);
  }
  friend constexpr auto operator<=>(const Rate& a, const Rate& b) { return a.ppm_ <=> b.ppm_; }
  friend constexpr bool operator==(const Rate& a, const Rate& b) { return a.ppm_ == b.ppm_; }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  std::int64_t ppm_ = 0;
  std::int64_t shown_ = 1, parts_ = 1;  ///< in 1 ms of true time; in 1 ms of its own
};

}  // namespace lockstep::sim
