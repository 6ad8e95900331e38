// What an uncaught error of a script was, as Redis 7.0's error handler sees it.
#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

namespace lockstep::sim {

struct ScriptRun;

/// Where and what an uncaught error was.
struct Failure {
  std::string text;
  std::string place;
  bool readable = false;  ///< false: Redis 7.0.15 itself crashes on such an error value
};

/// Where the function of `info` (with what "Sl" fills) is now, as an error says it
/// ("@user_script:3"); `message` is its error.
std::string place_of(const ScriptRun& run, const lua_Debug& info, std::string_view message = {});

/// Reads the error value at 1, in the handler of the error (Redis 7.0's __redis__err__handler).
void read_failure(lua_State* L, Failure& failure);

}  // namespace lockstep::sim
