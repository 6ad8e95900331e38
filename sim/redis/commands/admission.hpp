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
/// Throws BadInput for what `version` has and lockstep does not simulate (newer.hpp).
LookedUp look_up(const Request& request, ServerVersion version);

/// Why a server in this mode refuses a command of a client, wherever its keys are (server.c
/// processCommand): OOM, NOREPLICAS, READONLY, LOADING. Empty if it does not. `flags`: of what it
/// names, CommandFlag.
std::string mode_refusal(unsigned flags, const ServerMode& mode);

}  // namespace lockstep::sim
