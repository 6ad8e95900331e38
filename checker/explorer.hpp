// The main explorer: breadth-first over the interned world, so that the first violation is a
// shortest one.
#pragma once

#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::checker {

/// Explores every run of `model` within its fault budget. Among shortest counterexamples it returns
/// one with the fewest faults, then the fewest switches between processes. Throws BadInput for what
/// the protocol does wrong.
Result explore(const sim::Model& model, const Bounds& bounds, const Progress& progress = {});

}  // namespace lockstep::checker
