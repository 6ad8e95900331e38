// See the header.
#include "checker/no_return.hpp"

#include "checker/world_system.hpp"

namespace lockstep::checker {

std::optional<NoReturn> point_of_no_return(const sim::Model& told, const sim::Schedule& schedule,
                                           const Progress& progress, std::uint64_t max_states) {
  sim::Model model = told;
  model.merges_orders = false;  // the schedule may be a person's; and each step counts
  Bounds bounds;
  bounds.max_states = max_states;
  // From a state with many points of time ahead there are thousands of steps.
  constexpr std::uint64_t kStepsForEach = 50;
  const auto within_steps = [&](const Statistics& figures) -> std::string {
    if (figures.transitions > kStepsForEach * max_states) return "too many steps";
    return progress ? progress(figures) : "";
  };
  Watch watch(bounds, within_steps, Watch::Met::exceeded);
  return with_enough_knowledge(
      model, watch, [&](WorldSystem& system) { return last_escape(system, watch, schedule); });
}

}  // namespace lockstep::checker
