// Runs one command on a keyspace, as a Redis 7.0 server would run it for one client.
#pragma once

#include "sim/base/time.hpp"
#include "sim/redis/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

class ScriptObserver;
class ScriptVm;
struct Caller;

/// What a whole server is, and what it is set to and says no because of.
struct ServerMode {
  RedisVersion version = RedisVersion::v7_0;
  bool replica = false;      ///< a read-only replica: READONLY
  bool over_memory = false;  ///< more memory in use than maxmemory, nothing to evict: OOM
  bool cluster = false;      ///< cluster mode, all slots its own: CROSSSLOT
  /// Whether it may say no.
  bool restricts() const { return replica || over_memory || cluster; }
  friend bool operator==(const ServerMode&, const ServerMode&) = default;
};

/// What surrounds one execution.
struct Execution {
  WallTime now;      ///< the node's wall clock; stands still while the command or script runs
  Maker sender = 0;  ///< becomes the maker of what the command makes
  ScriptVm* scripts =
      nullptr;  ///< runs EVAL and EVALSHA; must not be null when such a command may come
  bool looked_at_time =
      false;  ///< out: the result depends on the absolute value of `now` (TIME, PXAT, EXPIREAT,
              ///< EXPIRETIME, ...), not only on remaining lifetimes
  bool looked_at_clock =
      false;  ///< out: the reply tells what a clock shows or how much of a lifetime is left (TTL,
              ///< PEXPIRETIME, TIME, ...), or the result compares that with a number of the request
              ///< (EXPIRE with GT or LT)
  bool looked_at_bytes =
      false;  ///< out: the result depends on texts by more than which of them are equal: on their
              ///< order or their bits (KEYS, SORT ALPHA, ZRANGEBYLEX, LCS, GETBIT, ...)
  bool ordered_tokens = false;  ///< out: a script asked which of two lock tokens comes first
  ServerMode mode{};
  int database = 0;  ///< the selected one, whose keys are keyspace.keys; SELECT changes both
  Caller* caller = nullptr;            ///< null where there is none: in the explored world
  bool in_script = false;              ///< a script's command: it cannot block
  ScriptObserver* observer = nullptr;  ///< watches the scripts that run, if not null
};

/// Executes `request` (name and arguments) and changes `keyspace` as Redis 7.0.15 does, replies and
/// error texts included. Never throws for what Redis says no to: that is a reply. Throws BadInput
/// only for a script that the dialect layer refuses to run.
Reply execute(Keyspace& keyspace, const Request& request, Execution& execution);

}  // namespace lockstep::sim
