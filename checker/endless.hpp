// Claims about runs that never end, decided on the finished state graph: waiting clients that can
// never acquire (deadlock), tasks that go on when all is done (leak), and cycles in zero time,
// which are no behaviour of the world but of its model.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/search/graph.hpp"
#include "checker/world_system.hpp"
#include "sim/model/model.hpp"

namespace lockstep::checker {

struct EndlessRuns {
  std::optional<sim::Property> property;  ///< deadlock, leak or progress
  std::uint32_t state =
      0;  ///< the first state (in order of discovery) from which it cannot be escaped
  /// progress: the states that it comes to from `state`, again and again; `state` is the last.
  std::vector<std::uint32_t> loop;
  std::uint8_t waits = 0;                ///< progress: who is inside acquire() all along
  std::optional<std::string> zero_time;  ///< the process of a cycle in which time can never pass
};

/// Expands every state of the finished search once more. Memory: 16 bytes a transition. Worth
/// nothing if `watch` has cut it off.
EndlessRuns endless_runs(const Graph<WorldSystem>& graph, const std::set<sim::Property>& properties,
                         Watch& watch);

}  // namespace lockstep::checker
