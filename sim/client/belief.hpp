// Views and Lua: what a process believes as a view, and a view as a Lua value.
#pragma once

#include <string>
#include <string_view>

#include "sim/client/run.hpp"

namespace lockstep::sim::program {

/// The keys and values "locks" (what stands in each `self`, by lock), "process" and "threads" (what
/// is local to each main task); plain data only.
std::string belief_of(Vm& vm, Run& run);

/// Pushes the value that `view` is.
void push_view(lua_State* lua, std::string_view view);

}  // namespace lockstep::sim::program
