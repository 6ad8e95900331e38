// Accesses to tables in a client program are places at which another task of the process may go
// first: its text is loaded with calls that say where they are.
#pragma once

#include <string>
#include <string_view>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// The text of a Lua file with every access `t.x` or `t[x]` as `at(t).x`, in which at() comes
/// before the access, and, where it is no target of an assignment and nothing is done with it at
/// once, as `seen(at(t).x)`, in which seen() comes after it. Lines stay where they are.
std::string with_shown_accesses(std::string_view lua_text);

/// Adds the two functions that such a text calls to the table on top of the stack.
void add_accesses(lua_State* lua);

}  // namespace lockstep::sim::program
