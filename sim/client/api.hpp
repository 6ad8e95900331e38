// The client API: the functions with which a protocol talks to Redis, reads clocks, and starts
// tasks.
#pragma once

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// Adds the API's names to the table on top of the main state's stack, and registers its types.
void add_api(Vm& vm);

/// __index of protocol objects: ttl_s, and the methods of the class (upvalue 1).
int instance_index(Vm& vm, lua_State* lua);

}  // namespace lockstep::sim::program
