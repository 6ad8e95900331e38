// What COMMAND says of one command or subcommand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/commands/table.hpp"

namespace lockstep::sim {

/// The entry of a row as COMMAND INFO shows it: ten elements, the last one the entries of its
/// subcommands.
Reply command_info(const Command& command);
/// The same of "get" or "config|get" in any case; null if there is no such command.
Reply command_info(std::string_view name, ServerVersion version);

/// Its flags, by words, in Redis's order.
std::vector<std::string_view> flags_of(const CommandInfo& info);

/// Its ACL categories without the '@', in Redis's order.
std::vector<std::string_view> categories_of(const CommandInfo& info);

/// Words as Redis shows flags: an array of statuses, each with `prefix`.
Reply statuses(const std::vector<std::string_view>& words, const std::string& prefix = {});

}  // namespace lockstep::sim
