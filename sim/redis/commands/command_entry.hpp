// What COMMAND says of one command or subcommand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/descriptions.hpp"
#include "sim/redis/commands/subcommands.hpp"

namespace lockstep::sim {

/// A command or subcommand as the tables and the descriptions have it together.
struct CommandEntry {
  std::string name;  ///< "get", "config|get"
  int arity;
  unsigned flags;  ///< CommandFlag
  KeyRange keys;
  const Description* more;
};
CommandEntry entry_of(const Command& command);
CommandEntry entry_of(const Subcommand& subcommand);

/// What a request names: a command with subcommands only if nothing follows; none if Redis has no
/// such command or subcommand.
std::optional<CommandEntry> find_entry(const Request& request);

/// The entry of "get" or "config|get" in any case, as COMMAND INFO shows it: ten elements, the last
/// one the entries of its subcommands; null if there is no such command.
Reply command_info(std::string_view name);
Reply command_info(const Command& command);

/// Its flags, by words, in Redis's order.
std::vector<std::string_view> flags_of(const CommandEntry& entry);

/// Its ACL categories without the '@', in Redis's order.
std::vector<std::string_view> categories_of(const CommandEntry& entry);

/// Words as Redis shows flags: an array of statuses, each with `prefix`.
Reply statuses(const std::vector<std::string_view>& words, const std::string& prefix = {});

}  // namespace lockstep::sim
