// The point of no return of a counterexample: the first step after which no continuation without
// another fault, free choices included, avoids the violation. Computed on the graph, or left out;
// never guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/search/escape.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::checker {

using NoReturn = LastEscape<sim::Action>;

/// Nothing if more than `max_states` states, or 50 steps for each of so many, would have to be
/// looked at, or `progress` ends it.
std::optional<NoReturn> point_of_no_return(const sim::Model& model, const sim::Schedule& schedule,
                                           const Progress& progress = {},
                                           std::uint64_t max_states = 200'000);

}  // namespace lockstep::checker
