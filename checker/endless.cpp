// See the header: what strongly connected components mean for locks.
#include "checker/endless.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
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
  StepEdges passes;                 ///< in which time passes
  std::vector<bool> time_passes;    ///< by state
  std::vector<bool> acquires;       ///< by state: some step out of it acquires
  std::vector<bool> executes;       ///< by state: some step out of it executes a request
  std::vector<std::uint8_t> actor;  ///< by state: whose zero-time step leaves it
};

/// What `progress` needs to know: by state, which tasks are inside acquire(), if nothing disturbs
/// them there, and which of those that go on for ever are under way.
struct Tasks {
  std::vector<sim::TaskSet> waiting, under_way;
  sim::TaskSet ever_waiting = 0;
};

/// How many states are expanded between two questions to the watch.
constexpr std::uint32_t kStatesBetween = 4096;

/// Not all of them if the watch cuts it off.
Steps collect(const Graph<WorldSystem>& graph, Watch& watch) {
  Steps steps;
  steps.time_passes.assign(graph.states(), false);
  steps.acquires.assign(graph.states(), false);
  steps.executes.assign(graph.states(), false);
  steps.actor.assign(graph.states(), 0);
  for (std::uint32_t from = 0; from < graph.states(); ++from) {
    if (from % kStatesBetween == 0 && !watch.may_go_on()) break;
    graph.successors(from, [&](std::uint32_t to, const WorldSystem::Step& step,
                               const WorldSystem::Facts& facts) {
      if (WorldSystem::fault(step)) return;
      LOCKSTEP_CHECK(to != Graph<WorldSystem>::kUnvisited);
      steps.all.emplace_back(from, to);
      if (facts.acquired_by != 0) steps.acquires[from] = true;
      if (WorldSystem::executes(step)) steps.executes[from] = true;
      if (WorldSystem::passes_time(step)) {
        steps.time_passes[from] = true;
        steps.passes.emplace_back(from, to);
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

Tasks tasks_of(const Graph<WorldSystem>& graph) {
  const sim::World& world = graph.system().world();
  Tasks tasks;
  tasks.waiting.assign(graph.states(), 0);
  tasks.under_way.assign(graph.states(), 0);
  for (std::uint32_t s = 0; s < graph.states(); ++s) {
    const auto state = graph[s];
    if (!world.undisturbed(state.data())) continue;
    tasks.waiting[s] = world.tasks_in_acquire(state.data());
    tasks.under_way[s] = world.tasks_under_way(state.data());
    tasks.ever_waiting |= tasks.waiting[s];
  }
  return tasks;
}

/// Steps between states in all of which one task waits, in components of their own.
class Starvation {
 public:
  Starvation(const Steps& steps, const Tasks& tasks, sim::TaskSet task, sim::TaskSet for_ever,
             Watch& watch)
      : tasks_(tasks),
        states_(static_cast<std::uint32_t>(tasks.waiting.size())),
        needed_(for_ever) {
    const auto waits = [&](std::uint32_t state) { return (tasks.waiting[state] & task) != 0; };
    for (const auto& [from, to] : steps.all)
      if (waits(from) && waits(to)) edges_.emplace_back(from, to);
    found_ = components(edges_, states_, watch);
    if (!watch.why().empty()) return;
    passes_.assign(found_.cyclic.size(), false);
    under_way_.assign(found_.cyclic.size(), 0);
    for (const auto& [from, to] : edges_)
      if (is_inside(from, to) && is_pass(steps, from, to)) passes_[found_.of[from]] = true;
    for (std::uint32_t s = 0; s < states_; ++s) under_way_[found_.of[s]] |= tasks.under_way[s];
  }

  /// The first state, in order of discovery, of a component in which time passes, and everybody who
  /// goes on for ever does.
  std::optional<std::uint32_t> first() const {
    for (std::uint32_t s = 0; s < states_; ++s) {
      const std::uint32_t component = found_.of[s];
      if (found_.cyclic[component] && passes_[component] && (needed_ & ~under_way_[component]) == 0)
        return s;
    }
    return std::nullopt;
  }

  /// States from `start` back to it, by way of a step in which time passes, and of one at least in
  /// which each of those is under way.
  std::vector<std::uint32_t> loop_from(std::uint32_t start, const Steps& steps) const {
    std::vector<std::uint32_t> loop;
    sim::TaskSet missing = needed_;
    bool passed = false;
    std::uint32_t here = start;
    const auto go = [&](const auto& arrived) {
      for (const std::uint32_t next : way(here, arrived)) {
        passed = passed || is_pass(steps, here, next);
        missing &= ~tasks_.under_way[next];
        loop.push_back(here = next);
      }
    };
    missing &= ~tasks_.under_way[start];
    while (missing != 0)
      go([&](std::uint32_t, std::uint32_t to) { return (tasks_.under_way[to] & missing) != 0; });
    if (!passed) go([&](std::uint32_t from, std::uint32_t to) { return is_pass(steps, from, to); });
    if (here != start || loop.empty())
      go([&](std::uint32_t, std::uint32_t to) { return to == start; });
    return loop;
  }

 private:
  bool is_inside(std::uint32_t from, std::uint32_t to) const {
    return found_.of[from] == found_.of[to];
  }
  static bool is_pass(const Steps& steps, std::uint32_t from, std::uint32_t to) {
    auto pass = std::ranges::lower_bound(steps.passes, from, {}, &StepEdges::value_type::first);
    while (pass != steps.passes.end() && pass->first == from && pass->second != to) ++pass;
    return pass != steps.passes.end() && pass->first == from;
  }

  /// A shortest way inside the component to the end of a step of which `arrived` is so.
  template <class Arrived>
  std::vector<std::uint32_t> way(std::uint32_t from, const Arrived& arrived) const {
    std::map<std::uint32_t, std::uint32_t> before;
    std::deque<std::uint32_t> open{from};
    while (!open.empty()) {
      const std::uint32_t here = open.front();
      open.pop_front();
      for (auto edge = std::ranges::lower_bound(edges_, here, {}, &StepEdges::value_type::first);
           edge != edges_.end() && edge->first == here; ++edge) {
        if (!is_inside(here, edge->second)) continue;
        if (arrived(here, edge->second)) {
          std::vector<std::uint32_t> way{edge->second};
          for (std::uint32_t at = here; at != from; at = before.at(at)) way.push_back(at);
          std::ranges::reverse(way);
          return way;
        }
        if (edge->second != from && before.emplace(edge->second, here).second)
          open.push_back(edge->second);
      }
    }
    LOCKSTEP_CHECK(false);
    return {};
  }

  const Tasks& tasks_;
  std::uint32_t states_;
  sim::TaskSet needed_;  ///< must be under way somewhere
  StepEdges edges_;
  Components found_;
  std::vector<bool> passes_;             ///< by component
  std::vector<sim::TaskSet> under_way_;  ///< by component
};

/// progress: somebody is inside acquire() for ever, though time goes on.
void find_starvation(const Graph<WorldSystem>& graph, const Steps& steps, Watch& watch,
                     EndlessRuns& runs) {
  const Tasks tasks = tasks_of(graph);
  const sim::TaskSet for_ever = graph.system().world().tasks_for_ever();
  for (unsigned bit = 0; bit < sim::kMaxProcesses * sim::kMaxThreads; ++bit) {
    const sim::TaskSet task = sim::TaskSet{1} << bit;
    if ((tasks.ever_waiting & task) == 0) continue;
    const Starvation starvation(steps, tasks, task, for_ever, watch);
    if (!watch.why().empty()) return;
    const auto state = starvation.first();
    if (!state || (runs.property && runs.state <= *state)) continue;
    runs.property = sim::Property::progress;
    runs.state = *state;
    runs.loop = starvation.loop_from(*state, steps);
    runs.waits = static_cast<std::uint8_t>(bit / sim::kMaxThreads);
  }
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
  const std::vector<bool> executes = found.with(steps.executes);
  for (std::uint32_t s = 0; s < graph.states(); ++s) {
    const std::uint32_t component = found.of[s];
    if (found.left[component] || acquires[component]) continue;
    const auto state = graph[s];
    const auto waits =
        world.waiting(state.data()) != 0 ? sim::kept_waiting(properties) : std::nullopt;
    const bool leak = executes[component] && world.only_spawned(state.data()) &&
                      properties.contains(sim::Property::leak);
    const bool hangs = !found.cyclic[component] && properties.contains(sim::Property::deadlock) &&
                       world.hangs_in_release(state.data());
    if (!waits && !leak && !hangs) continue;
    runs.property = waits.value_or(hangs ? sim::Property::deadlock : sim::Property::leak);
    runs.state = s;
    return runs;
  }
  if (properties.contains(sim::Property::progress)) find_starvation(graph, steps, watch, runs);
  return runs;
}

}  // namespace lockstep::checker
