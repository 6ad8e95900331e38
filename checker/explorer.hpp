// The main explorer: breadth-first over the interned world, so that the first violation is a
// shortest one.
#pragma once

#include <cstdint>
#include <set>

#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::checker {

/// Why who has what is left open where sim::names_several().
inline constexpr const char* kNamesSeveral =
    "a value bears the tokens of several clients, and whose the lock is then is not told: "
    "foreign-release, foreign-extend, honest-result, reentrancy and lost-told are left open";

/// Explores every run of `model` within its fault budget. Among shortest counterexamples it returns
/// one with the fewest faults, then the fewest switches between processes. Throws BadInput for what
/// the protocol does wrong. `lefts`: what may be left of a lifetime, in ms, so that it matters to
/// the asker whether less is left somewhere.
Result explore(const sim::Model& model, const Bounds& bounds, const Progress& progress = {},
               const std::set<std::int64_t>& lefts = {});

/// How long a fresh client of `model`, alone on a real server, may have to go on trying to acquire,
/// apart from what is left of keys: by the durations and thresholds that a search for deadlock has
/// to know. In ms.
std::int64_t patience_ms(const sim::Model& model);

}  // namespace lockstep::checker
