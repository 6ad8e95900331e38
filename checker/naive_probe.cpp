// The probe for deadlock: could a fresh process, alone in this world and without faults, ever
// acquire the lock?
#include <algorithm>

#include "checker/naive_world.hpp"
#include "sim/check.hpp"

namespace lockstep::checker::naive {

using sim::Action;

namespace {

constexpr int kRounds = 1'000'000;  // "calls acquire() again and again"
constexpr int kMostCalls = 50;      // refused so often, alone: it will never acquire
constexpr int kMostSteps = 500;     // then the probe is given up
constexpr int kMostStepsWithoutHope =
    100;  // while no key on a node will expire: it will never acquire

bool own(const Action& action, std::uint8_t fresh) {
  switch (action.kind) {
    case Action::Kind::begin:
    case Action::Kind::run:
    case Action::Kind::execute:
    case Action::Kind::deliver:
    case Action::Kind::timer:
      return action.process == fresh;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::int64_t> Rules::next_node_deadline(const World& world) const {
  World nodes_alone = world;
  nodes_alone.processes.clear();
  const std::set<std::int64_t> ahead = deadlines(nodes_alone);
  return ahead.empty() ? std::nullopt : std::optional(*ahead.begin());
}

Rules::Probe Rules::probe(const World& world, const std::string& lock_key) {
  const auto fresh = static_cast<std::uint8_t>(model_.processes.size());
  std::unique_ptr<Rules>& rules = probes_[lock_key];
  if (!rules) {
    const auto like =
        std::find_if(model_.processes.begin(), model_.processes.end(), [&](const auto& setup) {
          return std::find(setup.lock_keys.begin(), setup.lock_keys.end(), lock_key) !=
                 setup.lock_keys.end();
        });
    LOCKSTEP_CHECK(like != model_.processes.end());
    sim::Model model = model_;
    model.properties.clear();
    model.processes.push_back(*like);
    model.processes.back().lock_keys = {lock_key};
    model.processes.back().workload = {sim::WorkStep{sim::WorkStep::Kind::lock, 0, 0}};
    model.processes.back().rounds = kRounds;
    model.processes.back().threads = 1;
    rules = std::make_unique<Rules>(model);
  }
  World alone = world;
  alone.budget = {};
  rules->incarnate(alone.processes.emplace_back(), rules->model().processes.back());
  return rules->probe_alone(std::move(alone), fresh);
}

/// Runs on the rules of the probe's own model. Where choose() has a say, its first value is taken.
Rules::Probe Rules::probe_alone(World world, std::uint8_t fresh) {
  bool called = false;  // since time last passed
  int calls = 0;
  int steps_without_hope = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    std::vector<Action> actions = enabled(world);
    std::erase_if(actions, [&](const Action& action) { return !own(action, fresh); });
    const auto pressing = std::find_if(actions.begin(), actions.end(),
                                       [&](const Action& action) { return urgent(world, action); });
    const bool resting = world.processes[fresh].waits.front().kind == sim::Wait::Kind::idle;
    const std::optional<std::int64_t> ahead_ms = next_node_deadline(world);
    steps_without_hope = ahead_ms ? 0 : steps_without_hope + 1;
    if (steps_without_hope > kMostStepsWithoutHope || calls > kMostCalls) return Probe::fails;

    std::optional<Action> next;
    if (pressing != actions.end()) {
      next = *pressing;
    } else if (resting && called && !ahead_ms) {
      return Probe::fails;
    } else if (!resting || called) {
      // The call was refused, sleeps or polls: time passes to what comes first, the node's next
      // deadline or its own.
      std::optional<std::int64_t> wait_ms = ahead_ms;
      for (const auto& [task, state] : world.processes[fresh].tasks) {
        if (state.timer_ms) wait_ms = std::min(wait_ms.value_or(*state.timer_ms), *state.timer_ms);
      }
      if (wait_ms) {
        Facts ignored;
        pass(world, *wait_ms, ignored);
        called = false;
        continue;
      }
    }
    if (!next && actions.empty()) return Probe::fails;
    if (!next) next = actions.front();
    if (next->kind == Action::Kind::begin) {
      called = true;
      ++calls;
    }
    Outcome outcome = std::move(outcomes(world, *next).front());
    if (outcome.facts.witnesses.contains(sim::Witness::acquired)) return Probe::acquires;
    world = std::move(outcome.world);
  }
  return Probe::endless;
}

}  // namespace lockstep::checker::naive
