// Which arguments of a request are keys, and what becomes of them.
#pragma once

#include <vector>

#include "sim/redis/commands/command_entry.hpp"

namespace lockstep::sim {

/// An argument that is a key.
struct KeyArgument {
  std::size_t position;
  std::string_view flags;  ///< as KeySpec's; empty where Redis does not say them
};
using KeyArguments = std::vector<KeyArgument>;

/// The keys of a request that names a command and has its arity, as Redis looks for them before it
/// runs a command (7.0 db.c getKeysFromCommand); none if the arguments that say how many there are
/// make no sense.
KeyArguments keys_of(const Request& request);

/// The same as COMMAND GETKEYS finds them: by the key specifications, and only where these do not
/// tell as keys_of() does (db.c getKeysFromCommandWithSpecs). `entry` is what the request names.
KeyArguments specified_keys_of(const CommandEntry& entry, const Request& request);

/// Whether a command or subcommand can have keys at all.
bool may_have_keys(const CommandEntry& entry);

}  // namespace lockstep::sim
