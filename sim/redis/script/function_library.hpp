// Function libraries in the script VM: redis.register_function, and what a library's code can see
// while it is loaded and while its functions run (Redis 7.0 function_lua.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim {

struct LibraryFunction {
  std::string name;
  std::optional<std::string> description;
  std::uint8_t flags = 0;  ///< ScriptFlag
};

/// A library that has been loaded, or why it cannot be.
struct LoadedLibrary {
  std::string error;
  std::vector<LibraryFunction> functions;  ///< in order of name
};

/// Pushes the table that is the globals of libraries; the table of globals is on top of the stack.
/// Its contents are those of loading or of running, as library_phase() says.
void open_library_globals(lua_State* L);
/// Switches what the table at `globals` shows.
void library_phase(lua_State* L, int globals, bool loading);

}  // namespace lockstep::sim
