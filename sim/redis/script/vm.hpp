// The VM for scripts that run inside a node (EVAL, EVALSHA): stock Lua 5.4 behind the dialect layer
// that makes it behave as Redis's Lua 5.1. One VM serves any number of simulated nodes; it keeps
// nothing between two scripts but compiled chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/redis/execute.hpp"
#include "sim/redis/script/function_library.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

struct ScriptLimits {
  std::int64_t instructions = 10'000'000;  ///< per script; beyond it the run ends in BadInput
  std::int64_t bytes = 64 << 20;           ///< of Lua memory for the whole VM
  bool known_only = false;  ///< a call of a command that the version does not have is BadInput
};

/// What a script or function may do.
struct ScriptRights {
  bool read_only = false;  ///< write commands are refused
  bool allow_oom = false;  ///< it may write without memory
  bool cross_slot = true;  ///< in a cluster, it may touch keys of several slots
};

class ScriptVm {
 public:
  /// `version`: what scripts read of it; what executions do must be the same one's.
  /// `shows_comparisons`: fills in Execution::compared.
  explicit ScriptVm(ScriptLimits limits = {}, ServerVersion version = ServerVersion::redis_7_0,
                    bool shows_comparisons = false);
  ~ScriptVm();
  ScriptVm(const ScriptVm&) = delete;
  ScriptVm& operator=(const ScriptVm&) = delete;

  /// Runs the script `body` (its SHA-1 is `sha1`, lower case) with KEYS and ARGV, as EVAL does
  /// (Redis 7.0 script_lua.c). Redis-visible failures (compile errors, runtime errors) come back as
  /// error replies with Redis's text; a script that cannot be run faithfully or exceeds a limit is
  /// BadInput, for the limit on instructions RunsTooLong. The shebang line is left to the caller.
  Reply run(Keyspace& keyspace, const std::string& sha1, const std::string& body,
            std::span<const std::string> keys, std::span<const std::string> args,
            Execution& execution, ScriptRights rights = {});

  /// Compiles without running (SCRIPT LOAD). The error reply if Redis would not compile it.
  std::optional<Reply> compile(const std::string& sha1, const std::string& body);

  /// The SHA-1 of a script, computed at its first use: hashing it takes longer than running a
  /// lock's script.
  const std::string& name_of(const std::string& body);

  /// Loads a function library, once for each code (with its shebang line): what it registers, or
  /// why it cannot be loaded.
  const LoadedLibrary& load_library(const std::string& code);

  /// Calls a function of the library, as FCALL does. What the library's code keeps in its locals
  /// begins anew with every call: a function that changes any of it is BadInput.
  Reply call_function(Keyspace& keyspace, const std::string& code, const std::string& name,
                      std::span<const std::string> keys, std::span<const std::string> args,
                      Execution& execution, ScriptRights rights);

  /// Number of scripts really run so far (not looked up).
  std::uint64_t runs() const;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::sim
