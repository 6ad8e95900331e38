// Who is told that a command touched a key: sessions that WATCH it, and sessions that block on it.
#pragma once

#include <map>
#include <optional>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/server/server_state.hpp"

namespace lockstep::sim {

/// Looks at the keys that somebody watches or waits for, before and after a write command.
class Attention {
 public:
  explicit Attention(const Call& call);
  /// Breaks the watches of what the command touched, and remembers which awaited keys are there
  /// now.
  void notice(const Command& command, const Call& call, const Reply& reply) const;

 private:
  std::map<Place, std::optional<Entry>> before_;
};

/// The entry at a place, or null.
const Entry* entry_at(const Call& call, const Place& place);

/// The transactions of sessions that watch this key will not run (Redis 7.0 multi.c
/// touchWatchedKey).
void touch(ServerState& server, const Place& place);

/// Whether a value of this kind of entry is what the session waits for.
bool serves(const Entry& entry, BlockedOn::Kind kind);

}  // namespace lockstep::sim
