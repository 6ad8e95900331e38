// What Redis checks before it runs a command: its name, its arguments, and what the server as a
// whole says no to.
#pragma once

#include <string>

#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

/// The command that a request names, or why there is none.
struct LookedUp {
  const Command* command = nullptr;  ///< or its subcommand; of an unknown one its container
  std::string error;  ///< unknown, or a wrong number of arguments (server.c commandCheckExistence,
                      ///< commandCheckArity); empty if there is a command
};
/// Throws BadInput for what a later version than 7.0 has and lockstep does not simulate.
LookedUp look_up(const Request& request, RedisVersion version);

/// Throws BadInput for a request that 7.0 does not understand and 7.2 does.
void refuse_new_in_72(const Request& request);

/// Why a server in this mode refuses a command of a client (server.c processCommand): CROSSSLOT,
/// OOM, READONLY. Empty if it does not. `flags`: of what it names, CommandFlag; `across_slots`: its
/// keys are in several.
std::string mode_refusal(unsigned flags, bool across_slots, const ServerMode& mode);

}  // namespace lockstep::sim
