// Which arguments of a request are keys, and what becomes of them.
#pragma once

#include <string_view>
#include <vector>

#include "sim/redis/commands/table.hpp"

namespace lockstep::sim {

/// The keys of a request that names a command and has its arity, as Redis looks for them before it
/// runs a command (7.0 db.c getKeysFromCommand); none if the arguments that say how many there are
/// make no sense.
KeyArguments keys_of(const Request& request);

/// The same as COMMAND GETKEYS finds them: by the key specifications, and only where these do not
/// tell as keys_of() does (db.c getKeysFromCommandWithSpecs). `command` is what the request names.
KeyArguments specified_keys_of(const Command& command, const Request& request);

/// Whether a command or subcommand can have keys at all.
bool may_have_keys(const Command& command);

/// The first key, the last one (negative: from the end), and the step between them; 0: no keys.
struct KeyRange {
  int first = 0, last = 0, step = 0;
};

/// Its keys as one range, as far as they are one: what COMMAND says of them to clients that do not
/// know key specifications (Redis 7.0 server.c populateCommandLegacyRangeSpec).
KeyRange range_of(const CommandInfo& info);

/// Whether this range does not tell all of them.
bool has_movable_keys(const CommandInfo& info);

/// The words of a text as the rows have them, and whether it has one.
std::vector<std::string_view> words(std::string_view text);
bool has_word(std::string_view text, std::string_view word);

}  // namespace lockstep::sim
