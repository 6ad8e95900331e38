// Which arguments of a request are keys.
#pragma once

#include <optional>
#include <vector>

#include "sim/commands/command.hpp"

namespace lockstep::sim {

/// The positions of the keys in a request whose arity fits; none if the arguments that say how many
/// keys there are make no sense (Redis 7.0 db.c getKeysFromCommand).
std::optional<std::vector<std::size_t>> keys_of(const Command& command, const Request& request);

/// Whether the command can have keys at all.
bool may_have_keys(const Command& command);

}  // namespace lockstep::sim
