// Which keys a command touches that somebody watches (WATCH) or waits for (BLPOP).
#pragma once

#include <map>
#include <optional>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim {

/// Looks at the keys that somebody watches or waits for, before and after a write command.
class Attention {
 public:
  /// Whether anybody does.
  static bool wanted(const Execution& execution) {
    return !execution.watched.empty() || !execution.session->watched.empty();
  }
  explicit Attention(const Call& call);
  /// Adds what the command touched to `touched` and `came` of the execution.
  void notice(const Command& command, const Call& call, const Reply& reply) const;

 private:
  std::map<Place, std::optional<Entry>> before_;
};

/// The entry at a place, or null.
const Entry* entry_at(const Call& call, const Place& place);

}  // namespace lockstep::sim
