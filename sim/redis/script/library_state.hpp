// What a function library keeps from one call to the next: everything that its functions reach.
#pragma once

struct lua_State;

namespace lockstep::sim {

/// Pushes a table that remembers the contents of all tables, and the upvalues of all functions,
/// that are reached from the value on top of the stack.
void remember_state(lua_State* L);

/// Whether anything has changed that the table on top of the stack, made by remember_state(),
/// remembers. May raise an error for lack of memory.
bool state_changed(lua_State* L);

}  // namespace lockstep::sim
