// Loops in a client program: who asks the same once more asks again and again only if a loop has
// brought it back. Its text is loaded with a call where each loop begins and where it goes round.
#pragma once

#include <string>
#include <string_view>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// The text of a Lua file with every `while C` as `begins(N) while round(N) and C`, every `repeat`
/// as `begins(N) repeat round(N);`, and with `round(0)` before a `goto` that leads back and before
/// a `return f(...)` inside of f. A `for` ends by itself: it is left as it is. Lines stay where
/// they are.
std::string with_marked_loops(std::string_view lua_text);

/// Adds the functions that such a text calls to the table on top of the stack.
void add_loops(lua_State* lua);

/// Whether a function of the program that is under way has called itself.
bool calls_itself(lua_State* lua);

}  // namespace lockstep::sim::program
