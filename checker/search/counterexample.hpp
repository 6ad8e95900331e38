// From what a search found to one counterexample: among the shortest, one with the fewest faults,
// then the fewest switches between processes.
#pragma once

#include "checker/search/search.hpp"
#include "sim/model/action.hpp"
#include "sim/world/world.hpp"

namespace lockstep::checker {

struct Counterexample {
  sim::Property property = sim::Property::mutual_exclusion;
  sim::Schedule schedule;
};

/// The best counterexample among the search's offences, which all have the same length.
Counterexample best_counterexample(sim::World& world, Search<sim::World>& search);

/// The names of the steps along a path of states.
sim::Schedule schedule_along(sim::World& world, Search<sim::World>& search,
                             const std::vector<std::uint32_t>& path);

}  // namespace lockstep::checker
