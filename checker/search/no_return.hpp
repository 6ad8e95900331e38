// The point of no return of a counterexample: the first step after which no continuation, free
// choices and unspent faults included, avoids the violation. Computed on the graph, or left out;
// never guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::checker {

struct NoReturn {
  std::size_t step = 0;  ///< 1-based: after this step the violation can no longer be avoided
  /// What could still be done instead just before that step: the first action of a run that avoids
  /// the violation.
  /// Nothing if nothing else could be done but also nothing had to happen (only free actions and
  /// faults were possible).
  std::optional<sim::Action> way_out;
};

/// Nothing if more than `max_states` states would have to be looked at.
std::optional<NoReturn> point_of_no_return(const sim::Model& model, const sim::Schedule& schedule,
                                           std::uint64_t max_states = 200'000);

}  // namespace lockstep::checker
