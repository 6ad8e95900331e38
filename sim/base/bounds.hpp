// How far a search may go, what it has come to, and who is told: the same for every search, and
// none of it knows what is searched.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace lockstep::checker {

/// Limits on a search; 0 means none. Reaching one makes the verdict inconclusive.
struct Bounds {
  std::uint64_t max_states = 0;
  double max_seconds = 0;
  std::uint64_t max_bytes = 0;  ///< of the visited set
  std::uint64_t max_depth = 0;  ///< in steps
};

struct Statistics {
  std::uint64_t states = 0;  ///< distinct states
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;  ///< of the deepest level reached, in steps
  double seconds = 0;
  std::uint64_t visited_bytes = 0;  ///< memory of the visited set, parents included
};

/// Called now and then during a search with the figures so far; returning false ends the search
/// (inconclusive, "interrupted").
using Progress = std::function<bool(const Statistics&)>;

/// Watches over one search: the clock runs from its construction, through every new start.
class Watch {
 public:
  /// A bound is met when it is reached, or only when it is exceeded.
  enum class Met : std::uint8_t { reached, exceeded };

  Watch(const Bounds& bounds, Progress progress, Met met = Met::reached);

  /// Whether the search may go on: it has come to `figures` (seconds are filled in here) and is
  /// about to expand states at `figures.depth`. Asks `progress` ten times a second, and at once.
  bool may_go_on(Statistics figures);
  /// Whether a call of may_go_on() with so many states at such a depth would end the search: what a
  /// search asks before every state, because it costs nothing.
  bool meets_bound(std::uint64_t states, std::uint64_t depth) const {
    return states >= end_states_ || depth >= end_depth_;
  }

  /// Why the search may not go on, as it is printed; empty if it may.
  const std::string& why() const { return why_; }
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string met_bound(const Statistics& figures) const;

  const Bounds bounds_;
  const Progress progress_;
  const bool exceeded_;
  const std::uint64_t end_states_, end_bytes_, end_depth_;  ///< where the search ends
  const Clock::time_point start_ = Clock::now();
  double next_progress_ = 0;  ///< in seconds since the start
  std::string why_;
};

}  // namespace lockstep::checker
