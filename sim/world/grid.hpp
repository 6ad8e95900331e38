// The time grid: which of the coming instants matter (docs/semantics.md, section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/world/setting.hpp"

namespace lockstep::sim {

class Grid {
 public:
  explicit Grid(const Setting& setting);

  /// The deadlines, and for each the points that lie a duration in use before it, give or take a
  /// tick; in ms from now, ascending.
  std::vector<std::int64_t> points(const std::vector<std::int64_t>& deadlines) const;

 private:
  const std::int64_t tick_ms_;
  std::vector<std::int64_t> durations_;  ///< ascending
};

/// When something of a part changes by itself, and the points that lie before it.
struct Ahead {
  std::vector<std::int64_t> points, deadlines;  ///< in ms from now, ascending

  /// Sorts the deadlines that were put in, and adds their points.
  void lay(const Grid& grid);
};

}  // namespace lockstep::sim
