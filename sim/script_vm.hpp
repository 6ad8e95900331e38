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

#include "sim/execute.hpp"

namespace lockstep::sim {

struct ScriptLimits {
  std::int64_t instructions = 10'000'000;  ///< per script; beyond it the run ends in BadInput
  std::int64_t bytes = 64 << 20;           ///< of Lua memory for the whole VM
};

class ScriptVm {
 public:
  explicit ScriptVm(ScriptLimits limits = {});
  ~ScriptVm();
  ScriptVm(const ScriptVm&) = delete;
  ScriptVm& operator=(const ScriptVm&) = delete;

  /// Runs the script `body` (its SHA-1 is `sha1`, lower case) with KEYS and ARGV, as EVAL does
  /// (Redis 7.0 script_lua.c). Redis-visible failures (compile errors, runtime errors) come back as
  /// error replies with Redis's text; a script that cannot be run faithfully or exceeds a limit is
  /// BadInput. With `read_only` (EVAL_RO) write commands are refused, as Redis does.
  Reply run(Keyspace& keyspace, const std::string& sha1, const std::string& body,
            std::span<const std::string> keys, std::span<const std::string> args,
            Execution& execution, bool read_only = false);

  /// Compiles without running (SCRIPT LOAD). The error reply if Redis would not compile it.
  std::optional<Reply> compile(const std::string& sha1, const std::string& body);

  /// The SHA-1 of a script, computed at its first use: hashing it takes longer than running a
  /// lock's script.
  const std::string& name_of(const std::string& body);

  /// Number of scripts really run so far (not looked up).
  std::uint64_t runs() const;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Lower-case hexadecimal SHA-1.
std::string sha1_hex(std::string_view bytes);

}  // namespace lockstep::sim
