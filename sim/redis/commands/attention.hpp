// Which keys a command touches that somebody watches (WATCH), waits for (BLPOP) or tracks (CLIENT
// TRACKING).
#pragma once

#include <map>
#include <optional>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/notify.hpp"

namespace lockstep::sim {

/// Looks at the keys that somebody watches, waits for or tracks, before and after a write command.
class Attention {
 public:
  /// Whether anybody does.
  static bool wanted(const Execution& execution) {
    return !execution.watched.empty() || !execution.session->watched.empty() ||
           tells_who_tracks(execution);
  }
  Attention(const Command& command, const Call& call);
  /// Adds what the command touched to `touched`, `came` and `invalidated` of the execution.
  void notice(const Command& command, const Call& call, const Reply& reply) const;

 private:
  using Entries = std::map<Place, std::optional<Entry>>;
  void note_tracked(const Command& command, const Call& call);

  Entries before_;   ///< what somebody watches or waits for
  Entries tracked_;  ///< who tracks may have any: the command's keys, in whichever database
};

/// The entry at a place, or null.
const Entry* entry_at(const Call& call, const Place& place);

}  // namespace lockstep::sim
