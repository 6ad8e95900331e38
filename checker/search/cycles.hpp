// Claims about runs that never end, decided on the finished state graph: waiting clients that can
// never acquire (deadlock), tasks that go on when all is done (leak), and cycles in zero time,
// which are no behaviour of the world but of its model.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "checker/search/search.hpp"
#include "sim/model/model.hpp"
#include "sim/world/world.hpp"

namespace lockstep::checker {

struct CycleFindings {
  std::optional<sim::Property> property;  ///< deadlock or leak
  std::uint32_t state =
      0;  ///< the first state (in order of discovery) from which it cannot be escaped
  std::optional<std::string> zero_time;  ///< the process of a cycle in which time can never pass
};

/// Expands every state of the finished search once more. Memory: 8 bytes a transition.
CycleFindings find_cycles(sim::World& world, Search<sim::World>& search,
                          const std::set<sim::Property>& properties);

}  // namespace lockstep::checker
