// The subcommands of Redis 7.0's commands that have them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

struct Subcommand {
  std::string_view container;
  std::string_view name;
  int arity;           ///< with the container's name; -n: at least n
  unsigned flags = 0;  ///< CommandFlag
};

/// "config|get".
std::string full_name(const Subcommand& subcommand);

/// Those of a command, in order of name; none for one without.
std::span<const Subcommand> subcommands_of(std::string_view container);

/// The row of a subcommand, its name in any case; null if the container has none of that name.
const Subcommand* find_subcommand(std::string_view container, std::string_view name);

}  // namespace lockstep::sim
