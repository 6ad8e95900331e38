// A script or library, compiled: translated from Lua 5.1, and loaded into the Lua state.
#pragma once

#include <lua.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/script/run.hpp"

namespace lockstep::sim {

/// A script's compiled function (a reference in the registry) or what Redis says instead of
/// compiling it.
struct Chunk {
  std::string title;  ///< for messages
  int reference = LUA_NOREF;
  std::string error;  ///< Redis's error, if it does not compile
  std::vector<dialect::Site> sites;
  std::vector<dialect::Line> lines;
  bool may_run_long = false;
  bool may_vary = false;
  bool library = false;
};

/// Compiles a script, or a library that sees `library_globals` (a reference in the registry). What
/// Redis says to text that does not compile is in Chunk::error. Throws BadInput for what cannot be
/// run faithfully.
Chunk compile_chunk(ScriptRun& run, lua_State* L, const std::string& sha1, const std::string& body,
                    std::optional<int> library_globals = {});

}  // namespace lockstep::sim
