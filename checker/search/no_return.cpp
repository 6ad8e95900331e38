// A violation can be avoided from a state if some run from it never violates: it reaches a state in
// which nothing more has to happen (free actions and faults need not), or comes back to a state
// that it has met. A depth-first search looks for such a run.
#include "checker/search/no_return.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "checker/search/state_store.hpp"
#include "sim/base/check.hpp"
#include "sim/model/result.hpp"
#include "sim/world/expand.hpp"

namespace lockstep::checker {

namespace {

using State = std::array<std::uint32_t, sim::World::kMaxWidth>;

struct Step {
  State next{};
  sim::Candidate candidate;
  bool violates = false;
};

class Escape {
 public:
  Escape(const sim::Model& model, sim::World& world, std::uint64_t max_states)
      : world_(world), store_(world.width()), max_states_(max_states) {
    for (const auto property : model.properties) judged_ |= sim::bit(property);
  }

  bool gave_up() const { return gave_up_; }

  /// Nothing more has to happen where only these steps are possible.
  static bool may_stop(const std::vector<Step>& steps) {
    return std::all_of(steps.begin(), steps.end(),
                       [](const Step& step) { return sim::is_optional(step.candidate.kind); });
  }

  std::vector<Step> steps(const State& state) {
    std::vector<Step> found;
    world_.expand(
        state.data(), true,
        [&](const std::uint32_t* next, const sim::Candidate& candidate, const sim::Facts& facts) {
          Step step;
          std::copy(next, next + world_.width(), step.next.begin());
          step.candidate = candidate;
          step.violates = (facts.violated & judged_) != 0;
          found.push_back(step);
        });
    return found;
  }

  /// Whether some run from `start` never violates. States known to be lost are remembered between
  /// calls.
  bool possible(const State& start) {
    // A state on the stack or already left is `seen`; meeting one that is still on the stack closes
    // a cycle that avoids the violation.
    struct Frame {
      std::uint32_t index = 0;
      std::vector<Step> steps;
      std::size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](const State& state) -> bool {  // true: an escape is found
      const auto [index, added] = store_.insert(store_.fold(state.data()));
      if (!added) return on_stack_[index];
      on_stack_.push_back(true);
      stack.push_back({index, steps(state), 0});
      return may_stop(stack.back().steps);
    };
    if (enter(start)) return true;
    while (!stack.empty()) {
      if (store_.size() > max_states_) {
        gave_up_ = true;
        return false;
      }
      Frame& top = stack.back();
      if (top.next == top.steps.size()) {
        on_stack_[top.index] = false;
        stack.pop_back();
        continue;
      }
      const Step step = top.steps[top.next++];
      if (!step.violates && enter(step.next)) return true;
    }
    return false;
  }

 private:
  sim::World& world_;
  StateStore store_;
  std::vector<bool> on_stack_;  ///< by state
  sim::PropertySet judged_ = 0;
  const std::uint64_t max_states_;
  bool gave_up_ = false;
};

/// The states before each step of the schedule.
std::vector<State> states_along(sim::World& world, Escape& escape, const sim::Schedule& schedule) {
  std::vector<State> states(1);
  world.initial(states[0].data());
  for (std::size_t i = 0; i + 1 < schedule.size(); ++i) {
    bool found = false;
    for (const Step& step : escape.steps(states.back())) {
      if (found || world.label(states.back().data(), step.candidate) != schedule[i]) continue;
      states.push_back(step.next);
      found = true;
      break;
    }
    if (!found) return {};
  }
  return states;
}

}  // namespace

std::optional<NoReturn> point_of_no_return(const sim::Model& model, const sim::Schedule& schedule,
                                           std::uint64_t max_states) {
  sim::Knowledge knowledge;
  for (;;) {
    sim::World world(model, knowledge);
    Escape escape(model, world, max_states);
    const std::vector<State> states = states_along(world, escape, schedule);
    std::optional<NoReturn> found;
    // From the last step backwards: the first state that can still be escaped from lies just before
    // the point of no return.
    for (std::size_t i = states.size(); i-- > 0 && !found;) {
      const std::vector<Step> steps = escape.steps(states[i]);
      for (const Step& step : steps) {
        if (escape.gave_up() || step.violates || !escape.possible(step.next)) continue;
        found = NoReturn{i + 1, world.label(states[i].data(), step.candidate)};
        break;
      }
      if (!found && !escape.gave_up() && Escape::may_stop(steps))
        found = NoReturn{i + 1, std::nullopt};
      if (escape.gave_up()) break;
    }
    if (!(world.needs() == world.knowledge())) {
      knowledge = world.needs();
      continue;
    }
    return found;
  }
}

}  // namespace lockstep::checker
