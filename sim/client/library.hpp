// What the client program finds of Lua's own library: everything in which two runs cannot differ.
#pragma once

#include <string_view>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// Why a name of stock Lua is not there and what to use instead; null for a name that Lua does not
/// have or that is there. `name` may be qualified: "math.random".
const char* why_not_available(std::string_view name);

/// Throws BadInput if the text of a file uses such a name, and not as a local of its own.
void refuse_not_available(const Vm& vm, std::string_view lua_text);

/// Pushes the table of built-in names: the library. The API's own names are added by add_api().
void push_library(Vm& vm);

/// Pushes the guest's global table: empty, reading falls through to the built-in names on top of
/// the stack (which it replaces), and reading an unknown name or assigning one while a process runs
/// is a complaint.
void wrap_globals(Vm& vm);

}  // namespace lockstep::sim::program
