// See the header.
#include "checker/no_return.hpp"

#include "checker/world_system.hpp"

namespace lockstep::checker {

std::optional<NoReturn> point_of_no_return(const sim::Model& model, const sim::Schedule& schedule,
                                           const Progress& progress, std::uint64_t max_states) {
  Bounds bounds;
  bounds.max_states = max_states;
  Watch watch(bounds, progress, Watch::Met::exceeded);
  return with_enough_knowledge(
      model, watch, [&](WorldSystem& system) { return last_escape(system, watch, schedule); });
}

}  // namespace lockstep::checker
