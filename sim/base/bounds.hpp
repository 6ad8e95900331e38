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

/// That a bound on memory was reached, as it is printed.
std::string memory_is_full(std::uint64_t max_bytes);

/// Asked now and then with the figures so far: why the search has to end (inconclusive), as it is
/// printed; "" if it may go on. One for all that a command does: it also says when time is up.
using Progress = std::function<std::string(const Statistics&)>;

/// The same, until so many seconds from now are over (0: they never are), however many searches it
/// is asked by.
Progress within(double seconds, Progress progress = {});

/// Watches over one search: the clock runs from its construction, through every new start.
class Watch {
 public:
  /// A bound is met when it is reached, or only when it is exceeded.
  enum class Met : std::uint8_t { reached, exceeded };

  Watch(const Bounds& bounds, Progress progress, Met met = Met::reached);

  /// Whether the search may go on: it has come to `figures` (seconds are filled in here) and is
  /// about to expand states at `figures.depth`. Once it may not, it never may again.
  bool may_go_on(const Statistics& figures);
  /// The same where the figures are those of the last time: in what is a part of one step of the
  /// search and may last, or in what follows it.
  bool may_go_on() { return may_go_on(figures_); }
  /// Whether a call of may_go_on() with so many states at such a depth would end the search: what a
  /// search asks before every state, because it costs nothing. After the end: always.
  bool meets_bound(std::uint64_t states, std::uint64_t depth) const {
    return states >= end_states_ || depth >= end_depth_;
  }

  /// Whether may_go_on() was asked a while ago.
  bool is_due() const { return Clock::now() - asked_ > kBetween; }

  /// The search ended because there was no memory left: with the figures of the last time.
  const Statistics& out_of_memory();
  /// Why the search may not go on, as it is printed; empty if it may.
  const std::string& why() const { return why_; }
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{200};

  std::string met_bound(const Statistics& figures) const;

  const Bounds bounds_;
  const Progress progress_;
  const bool exceeded_;
  std::uint64_t end_states_;  ///< where the search ends; 0 once it has to
  const std::uint64_t end_bytes_, end_depth_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point asked_ = start_;
  Statistics figures_;  ///< of the last time
  std::string why_;
};

}  // namespace lockstep::checker
