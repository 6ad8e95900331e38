// What lockstep does not know of the simulated version: an explored world ends there, since the
// error would be taken for what the lock does.
#pragma once

#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

struct Reply;

/// Throws BadInput for a command, or a subcommand, that is not known of the version.
void refuse_unknown(const Request& request, RedisVersion version);

/// Throws BadInput if this is what a script ends with that has called such a command.
void refuse_unknown_in_script(const Reply& reply, RedisVersion version);

}  // namespace lockstep::sim
