// See the header; docs/semantics.md, section 5, `progress`.
#include "checker/naive/starvation.hpp"

#include <algorithm>
#include <iterator>

namespace lockstep::checker {

namespace naive {

bool Rules::undisturbed(const World& world) const {
  if (!servers_settled(world)) return false;
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    const int rounds = model_.processes[p].rounds;
    if (process.life == Life::paused || !process.unreached.empty() || !process.unheard.empty() ||
        (servers_.replicas > 0 && process.knows != world.newest))
      return false;
    for (const Connection& connection : process.connections)
      if (connection.late || std::any_of(connection.messages.begin(), connection.messages.end(),
                                         [](const Message& message) { return message.held; }))
        return false;
    if (rounds == kForEver) continue;
    for (std::size_t task = 0; task < process.rounds_begun.size(); ++task) {
      const bool to_come = process.rounds_begun[task] < rounds;
      if (to_come && process.life == Life::dead) return false;
      for (const sim::Wait& wait : process.waits)
        if (wait.task == task && wait.kind == sim::Wait::Kind::idle) return false;
    }
  }
  return true;
}

std::set<Rules::MainTask> Rules::in_acquire(const World& world) const {
  std::set<MainTask> inside;
  for (std::size_t p = 0; p < world.processes.size(); ++p)
    for (const sim::Wait& wait : world.processes[p].waits)
      if (wait.in_acquire) inside.emplace(static_cast<std::uint8_t>(p), wait.task);
  return inside;
}

std::set<Rules::MainTask> Rules::resting(const World& world) const {
  std::set<MainTask> resting;
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    if (model_.processes[p].rounds != kForEver) continue;
    for (int task = 0; task < model_.processes[p].threads; ++task) {
      const auto& waits = world.processes[p].waits;
      const bool under_way = std::any_of(waits.begin(), waits.end(), [&](const sim::Wait& wait) {
        return wait.task == task && wait.kind != sim::Wait::Kind::idle;
      });
      if (!under_way) resting.emplace(static_cast<std::uint8_t>(p), static_cast<sim::TaskId>(task));
    }
  }
  return resting;
}

}  // namespace naive

namespace {

using MainTask = naive::Rules::MainTask;

/// Whether a set of states is one in which nobody rests all the time.
class Resting {
 public:
  Resting(const std::vector<Tasks>& tasks, const StrongSets& sets) : always_(sets.cyclic.size()) {
    std::vector<bool> seen(sets.cyclic.size(), false);
    for (std::size_t s = 0; s < tasks.size(); ++s) {
      std::set<MainTask>& always = always_[sets.of[s]];
      if (!seen[sets.of[s]]) {
        always = tasks[s].resting;
        seen[sets.of[s]] = true;
        continue;
      }
      std::set<MainTask> both;
      std::set_intersection(always.begin(), always.end(), tasks[s].resting.begin(),
                            tasks[s].resting.end(), std::inserter(both, both.end()));
      always = both;
    }
  }
  bool nobody(std::uint32_t set) const { return always_[set].empty(); }

 private:
  std::vector<std::set<MainTask>> always_;  ///< by set
};

}  // namespace

std::optional<StateNumber> starving_state(const std::vector<Tasks>& tasks,
                                          const std::vector<Edge>& edges,
                                          const std::vector<Edge>& passes) {
  std::set<MainTask> waiting;
  for (const Tasks& each : tasks) waiting.insert(each.waiting.begin(), each.waiting.end());
  const auto states = static_cast<std::uint32_t>(tasks.size());
  std::optional<StateNumber> first;
  for (const MainTask& task : waiting) {
    const auto stays = [&](const Edge& edge) {
      return tasks[edge.first].waiting.contains(task) && tasks[edge.second].waiting.contains(task);
    };
    std::vector<Edge> inside;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(inside), stays);
    const StrongSets sets = strong_sets(states, inside);
    const Resting resting(tasks, sets);
    std::vector<bool> passes_time(sets.cyclic.size(), false);
    for (const Edge& edge : passes)
      if (stays(edge) && sets.of[edge.first] == sets.of[edge.second])
        passes_time[sets.of[edge.first]] = true;
    for (StateNumber s = 0; s < states && (!first || s < *first); ++s)
      if (passes_time[sets.of[s]] && resting.nobody(sets.of[s])) first = s;
  }
  return first;
}

}  // namespace lockstep::checker
