// The second, deliberately naive explorer: whole worlds, real Lua at every step, time in unit
// steps, no interning, no grid, no reduction. An independent reading of docs/semantics.md that
// judges the main explorer (--audit), re-executes every counterexample, and carries replay.
#pragma once

#include <string>
#include <vector>

#include "checker/naive/memory.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::checker {

/// Explores every run of `model`, breadth-first, time in steps of model.tick_ms. With
/// Memory::history a client that goes on for ever has endlessly many worlds.
Result explore_naively(const sim::Model& model, const Bounds& bounds, const Progress& progress = {},
                       naive::Memory memory = naive::Memory::history);

}  // namespace lockstep::checker
