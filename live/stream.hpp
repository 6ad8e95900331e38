// The replication stream between two real servers: how far each of them is, and waiting for the
// replica.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "live/connection.hpp"

namespace lockstep::live {

/// Options of a redis-server with which replicas take tens of ms: a first copy is made at once, not
/// by a timer that runs once a second; nothing is in the stream but what was written.
const std::vector<std::string>& options_for_replicas();

/// How far a server is in the stream, in bytes, by its own word (INFO replication).
struct StreamPosition {
  std::int64_t sent = 0;       ///< what it has for replicas of its own
  std::int64_t read = 0;       ///< a replica's
  std::int64_t processed = 0;  ///< a replica's: not the beginning of a command or a transaction
  bool linked = false;         ///< a replica that has its first copy
};

/// Throws ConnectionBroken.
StreamPosition position_of(Connection& server);

/// Looks again and again. Throws BadInput if it is not `done` within 10 s; `late` says what.
void await_done(const std::function<bool()>& done, const std::string& late);
/// The same, where it is the replica that has not done `what`.
void await_replica(const std::function<bool()>& done, const char* what);

/// Until the replica has processed what the master has sent.
void await_copy(Connection& master, Connection& replica);

}  // namespace lockstep::live
