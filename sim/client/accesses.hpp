// Accesses to tables in a client program are places at which another task of the process may go
// first; and a key in brackets is compared with those that are there. So its text is loaded with
// calls that say where they are.
#pragma once

#include <string>
#include <string_view>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// The text of a Lua file with every access `t.x` or `t[x]` as `at(t).x`, in which at() comes
/// before the access, and, where it is no target of an assignment and nothing is done with it at
/// once, as `seen(at(t).x)`, in which seen() comes after it; and every variable t in `#t`, `t:f()`
/// or `f(t)` as `at(t)`, and in each round of a loop over t; a variable that functions share as
/// `seen(x)` where it is read, and with `seen();` before the statement that assigns to it. Lines
/// stay where they are. Of one in brackets the key is as with_shown_keys() has it.
std::string with_shown_accesses(std::string_view lua_text);

/// The text with every access `t[x]` as `t[key(x, N, t)]`, or, if t is no name, as
/// `of(t, N)[key(x, N)]`: x is shown as compared with each key of t. N numbers the accesses.
std::string with_shown_keys(std::string_view lua_text);

/// Adds the functions that such texts call to the table on top of the stack.
void add_accesses(lua_State* lua);

}  // namespace lockstep::sim::program
