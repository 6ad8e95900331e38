// See the header: what strongly connected components mean for locks.
#include "checker/endless.hpp"

#include <vector>

#include "checker/search/components.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"

namespace lockstep::checker {

namespace {

/// What the claims need to know of the state graph.
struct Steps {
  StepEdges zero_time;              ///< steps that have to happen and take no time
  StepEdges all;                    ///< all steps but faults
  std::vector<bool> time_passes;    ///< by state
  std::vector<bool> acquires;       ///< by state: some step out of it acquires
  std::vector<std::uint8_t> actor;  ///< by state: whose zero-time step leaves it
};

/// How many states are expanded between two questions to the watch.
constexpr std::uint32_t kStatesBetween = 4096;

/// Not all of them if the watch cuts it off.
Steps collect(const Graph<WorldSystem>& graph, Watch& watch) {
  Steps steps;
  steps.time_passes.assign(graph.states(), false);
  steps.acquires.assign(graph.states(), false);
  steps.actor.assign(graph.states(), 0);
  for (std::uint32_t from = 0; from < graph.states(); ++from) {
    if (from % kStatesBetween == 0 && !watch.may_go_on()) break;
    graph.successors(from, [&](std::uint32_t to, const WorldSystem::Step& step,
                               const WorldSystem::Facts& facts) {
      if (WorldSystem::fault(step)) return;
      LOCKSTEP_CHECK(to != Graph<WorldSystem>::kUnvisited);
      steps.all.emplace_back(from, to);
      if (facts.acquired_by != 0) steps.acquires[from] = true;
      if (WorldSystem::passes_time(step)) {
        steps.time_passes[from] = true;
      } else {
        steps.zero_time.emplace_back(from, to);
        steps.actor[from] = step.actor;
      }
    });
  }
  return steps;
}

/// A state of a cycle in which nothing takes time, and which nothing leaves, though something lies
/// ahead in time that it keeps from happening.
std::optional<std::uint32_t> zero_time_cycle(const Steps& steps, const Graph<WorldSystem>& graph,
                                             Watch& watch) {
  const Components found = components(steps.zero_time, graph.states(), watch);
  if (!watch.why().empty()) return std::nullopt;
  const std::vector<bool> time_passes = found.with(steps.time_passes);
  for (std::uint32_t s = 0; s < graph.states(); ++s) {
    const std::uint32_t component = found.of[s];
    if (found.cyclic[component] && !found.left[component] && !time_passes[component] &&
        graph.system().something_ahead(graph[s]))
      return s;
  }
  return std::nullopt;
}

}  // namespace

EndlessRuns endless_runs(const Graph<WorldSystem>& graph, const std::set<sim::Property>& properties,
                         Watch& watch) {
  EndlessRuns runs;
  const Steps steps = collect(graph, watch);
  if (!watch.why().empty()) return runs;
  if (const auto state = zero_time_cycle(steps, graph, watch)) {
    runs.zero_time = "of process " + sim::process_name(steps.actor[*state]);
    return runs;
  }

  if (!watch.why().empty()) return runs;

  const sim::World& world = graph.system().world();
  const Components found = components(steps.all, graph.states(), watch);
  if (!watch.why().empty()) return runs;
  const std::vector<bool> acquires = found.with(steps.acquires);
  for (std::uint32_t s = 0; s < graph.states(); ++s) {
    const std::uint32_t component = found.of[s];
    if (found.left[component] || acquires[component]) continue;
    const auto state = graph[s];
    const bool deadlock =
        world.waiting(state.data()) != 0 && properties.contains(sim::Property::deadlock);
    const bool leak = found.cyclic[component] && world.only_spawned(state.data()) &&
                      properties.contains(sim::Property::leak);
    if (!deadlock && !leak) continue;
    runs.property = deadlock ? sim::Property::deadlock : sim::Property::leak;
    runs.state = s;
    return runs;
  }
  return runs;
}

}  // namespace lockstep::checker
