// The time grid: which of the coming instants matter (docs/semantics.md, section 4).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

/// Ascending, each once.
void sort_without_twins(std::vector<std::int64_t>& times);

/// What a run may still have: by how much a free choice of time may have to keep away from a
/// deadline depends on it.
struct ToCome {
  unsigned free_actions = 0;
  Id timers = 0;          ///< Grid::timers
  unsigned ways = 0;      ///< of messages, where they take time
  unsigned timeouts = 0;  ///< of requests, where each needs a fault
  bool mirrored = false;  ///< each distance the other way, too
  friend auto operator<=>(const ToCome&, const ToCome&) = default;
};

/// When something of a part changes by itself.
struct Ahead {
  std::vector<std::int64_t> deadlines;  ///< in ms from now, ascending
  std::int64_t horizon_ms = 0;          ///< until then time goes on, whatever happens
  /// Of the deadlines, the first point by what is to come; found by Grid when first asked.
  mutable std::vector<std::int64_t> points;
};

/// The instants at which a free choice of time may be tight with what comes later: as far from a
/// deadline as lifetimes and thresholds may lie between the free actions of a run, each used once
/// for each of them, the steps of its workload, sleeps that are counted, and any multiple of what
/// all other timers have in common.
class Grid {
 public:
  explicit Grid(Setting& setting);

  /// A number for timers that may still run; 0 is none.
  Id timers(const TimerCounts& counts);
  /// A number for what may come of a part; 0 is nothing.
  Id part(const ToCome& to_come);
  /// A number for what is to come: of these parts, always as many, and free actions, timeouts and
  /// pauses beside them; 0 is nothing.
  Id all(std::span<const Id> parts, unsigned free_actions, unsigned timeouts, unsigned pauses);
  /// The first point after now that belongs to what changes by itself, in ms from now.
  /// Something does; `to_come` is all() of it.
  std::int64_t first_point(const Ahead& ahead, Id to_come) {
    if (to_come == 0) return ahead.deadlines.front();
    if (to_come < ahead.points.size() && ahead.points[to_come] != 0) return ahead.points[to_come];
    return find_first_point(ahead, to_come);
  }

  /// The first instant before `latest` at which a pause may have to begin that stops work of which
  /// `work_ms` are left, while something else of its process goes on: it puts off the work's end by
  /// as much as lies between two instants, each as far from a deadline as all() says. `latest` if
  /// there is none.
  std::int64_t first_pause(std::span<const Ahead* const> parts, std::int64_t work_ms, Id to_come,
                           std::int64_t latest);

 private:
  using Distances = std::vector<std::int64_t>;
  static constexpr std::size_t kMostDistances = 4096;
  static constexpr std::size_t kMostAtOnce = 16 * kMostDistances;

  struct Links {
    ToCome to_come;
    Distances distances;  ///< of free actions from a deadline
  };

  Id both_timers(Id a, Id b);
  Id number(const ToCome& to_come);
  std::int64_t find_first_point(const Ahead& ahead, Id to_come) const;
  Distances distances(const ToCome& to_come);
  std::optional<std::int64_t> next_from(std::int64_t instant, const Distances& found) const;
  Distances sums(const Distances& some, const Distances& others);
  Distances one_link(bool mirrored) const;
  std::int64_t reduced(std::int64_t distance) const;

  Setting& setting_;
  std::int64_t step_ms_;  ///< Setting::step_ms
  std::map<TimerCounts, Id> ids_{{TimerCounts{}, 0}};
  std::vector<TimerCounts> timers_{{}};
  FlatMap both_;
  std::map<ToCome, Id> part_ids_{{ToCome{}, 0}};
  std::vector<ToCome> parts_{{}};
  std::map<ToCome, Id> numbers_{{ToCome{}, 0}};
  std::vector<Links> links_{{}};
  // Asked for last; the next is often the same.
  Id latest_ = 0;
  std::array<Id, kMaxProcesses> latest_parts_{};
  unsigned latest_free_actions_ = 0, latest_timeouts_ = 0, latest_pauses_ = 0;
};

}  // namespace lockstep::sim
