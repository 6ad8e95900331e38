// The naive explorer's reading of `progress`: who may wait for ever, though others go on.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "checker/naive/cycles.hpp"
#include "checker/naive/rules.hpp"

namespace lockstep::checker {

/// What it needs to know of a world.
struct Tasks {
  std::set<naive::Rules::MainTask> waiting;  ///< inside acquire(), where nothing disturbs anybody
  std::set<naive::Rules::MainTask> resting;  ///< go on for ever, and are between two rounds
};

/// The first state of those between which a task can go on for ever without coming out of
/// acquire(), while time passes, and everybody comes sooner or later. `edges` are all steps but
/// faults, `passes` those of them in which time passes.
std::optional<StateNumber> starving_state(const std::vector<Tasks>& tasks,
                                          const std::vector<Edge>& edges,
                                          const std::vector<Edge>& passes);

}  // namespace lockstep::checker
