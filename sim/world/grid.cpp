// Lays the points of time; see the header.
#include "sim/world/grid.hpp"

#include <algorithm>
#include <initializer_list>

#include "sim/client/program.hpp"

namespace lockstep::sim {

namespace {

void sort_without_twins(std::vector<std::int64_t>& times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

Grid::Grid(const Setting& setting)
    : tick_ms_(setting.model.tick_ms),
      durations_(setting.knowledge.durations.begin(), setting.knowledge.durations.end()) {
  if (setting.knowledge.reads_clock)
    for (const std::int64_t literal : setting.model.program->literals())
      durations_.push_back(setting.rounded(literal));
  sort_without_twins(durations_);
}

std::vector<std::int64_t> Grid::points(const std::vector<std::int64_t>& deadlines) const {
  std::vector<std::int64_t> points = deadlines;
  for (const std::int64_t deadline : deadlines)
    for (const std::int64_t duration : durations_)
      for (const std::int64_t off : {-tick_ms_, std::int64_t{0}, tick_ms_})
        if (deadline - duration + off > 0) points.push_back(deadline - duration + off);
  sort_without_twins(points);
  return points;
}

void Ahead::lay(const Grid& grid) {
  points = grid.points(deadlines);
  std::sort(deadlines.begin(), deadlines.end());
}

}  // namespace lockstep::sim
