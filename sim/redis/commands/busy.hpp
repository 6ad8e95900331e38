// A script that does not end: what the server says meanwhile, and who may end it.
#pragma once

#include <string>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/server/connections.hpp"

namespace lockstep::sim {

/// Whether FCALL runs it.
bool is_function(const BusyScript& script);

/// What is said to whoever sends another command.
std::string busy_error(const BusyScript& script);

/// SCRIPT KILL, or FUNCTION KILL if `functions` (Redis 7.0 script.c scriptKill). Throws Refused
/// where there is nothing to kill, or what runs is of the other kind or has written.
Reply kill_busy_script(Call& call, bool functions);

/// running_script of FUNCTION STATS. Throws Refused while an EVAL does not end.
Reply running_function(const Call& call);

}  // namespace lockstep::sim
