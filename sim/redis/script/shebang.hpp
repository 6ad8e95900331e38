// The first line of a script or of a function library, if it begins with #!: its engine and options
// (Redis 7.0 eval.c, functions.c), and the flags of scripts and functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/redis/execute.hpp"

namespace lockstep::sim {

/// What a script or function says of itself. Without a shebang line a script has said nothing.
enum ScriptFlag : std::uint8_t {
  kNoWrites = 1,  ///< implies kAllowOom
  kAllowOom = 2,
  kAllowStale = 4,
  kNoCluster = 8,
  kAllowCrossSlotKeys = 16,
};

struct NamedFlag {
  std::string_view name;
  ScriptFlag flag;
};
/// In the order in which FUNCTION LIST shows them.
std::span<const NamedFlag> script_flags();
/// The flag of that name, or 0.
std::uint8_t script_flag(std::string_view name);

struct Shebang {
  bool present = false;
  std::uint8_t flags = 0;
};
/// Reads the shebang of a script that EVAL or SCRIPT LOAD got. Throws Refused with the server's
/// text.
Shebang script_shebang(std::string_view body, ServerVersion version);

/// The command flags (CommandFlag) of whatever runs a script or function with these flags, in place
/// of its own kWrite and kDenyOom (server.c scriptFlagsToCmdFlags).
unsigned declared_command_flags(std::uint8_t flags);

/// Refuses to run a script or function with these flags, if the server's mode or a read-only
/// command is against it. Throws Refused.
void check_script_flags(const ServerMode& mode, std::uint8_t flags, bool read_only);

/// The name of the library whose code FUNCTION LOAD got. Throws Refused with Redis's text.
std::string library_name(std::string_view code);
/// Letters, digits and underscores, at least one.
bool is_library_name(std::string_view name);

/// The text without its shebang line, whose line break stays: lines keep their numbers.
std::string_view without_shebang(std::string_view text);

}  // namespace lockstep::sim
