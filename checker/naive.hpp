// The second, deliberately naive explorer: whole worlds, real Lua at every step, time in unit
// steps, no interning, no memo, no reduction, no recycled tokens. An independent reading of
// docs/semantics.md that judges the main explorer (--audit), re-executes every counterexample, and
// carries replay.
#pragma once

#include <string>
#include <vector>

#include "checker/result.hpp"
#include "sim/action.hpp"
#include "sim/model.hpp"

namespace lockstep::checker {

/// Explores every run of `model`, breadth-first, time in steps of model.tick_ms.
Result explore_naively(const sim::Model& model, const Bounds& bounds,
                       const Progress& progress = {});

}  // namespace lockstep::checker
