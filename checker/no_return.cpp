// See the header.
#include "checker/no_return.hpp"

#include "checker/world_system.hpp"
#include "sim/client/program.hpp"

namespace lockstep::checker {

std::optional<NoReturn> point_of_no_return(const sim::Model& told, const sim::Schedule& schedule,
                                           const Progress& progress, std::uint64_t max_states) {
  sim::Model model = told;
  model.merges_orders = false;  // the schedule may be a person's; and each step counts
  Bounds bounds;
  bounds.max_states = max_states;
  // From a state with many points of time ahead there are thousands of steps.
  constexpr std::uint64_t kStepsForEach = 50;
  // Where no two histories are one, each is really run, and they are long.
  constexpr std::uint64_t kMostRuns = 1'000;
  const std::uint64_t runs_before = model.program->runs();
  const sim::World* searched = nullptr;
  const auto within_steps = [&](const Statistics& figures) -> std::string {
    const bool histories_apart = searched != nullptr && searched->loops_by_itself() &&
                                 model.program->runs() - runs_before > kMostRuns;
    if (histories_apart || figures.transitions > kStepsForEach * max_states)
      return "too many steps";
    return progress ? progress(figures) : "";
  };
  Watch watch(bounds, within_steps, Watch::Met::exceeded);
  return with_enough_knowledge(model, watch, [&](WorldSystem& system) {
    searched = &system.world();
    auto found = last_escape(system, watch, schedule);
    searched = nullptr;
    return found;
  });
}

}  // namespace lockstep::checker
