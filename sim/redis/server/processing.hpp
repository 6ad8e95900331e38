// What a server does around the command of a connection: refuses it, queues it, or runs it (Redis
// 7.0 server.c processCommand).
#pragma once

#include "sim/redis/commands/admission.hpp"
#include "sim/redis/server/connections.hpp"
#include "sim/redis/server/soonest_expiry.hpp"

namespace lockstep::sim {

/// A connection's turn at the keyspace: while it lasts its database is the selected one, and the
/// commands find their connection in the execution. What has expired is gone at both ends.
class Turn {
 public:
  /// `soonest` is what is known of the keyspace; only `reads` leaves it so.
  Turn(Keyspace& keyspace, Session& session, Execution& execution, Connections& connections,
       SoonestExpiry& soonest, SessionId self = 0, bool reads = false);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void purge();

  Keyspace& keyspace_;
  Execution& execution_;
  SoonestExpiry& soonest_;
  const bool reads_;
};

/// Whether a command is sure to give no key an expiry. What runs other commands (EVAL_RO, FCALL_RO,
/// EXEC) is not, whatever its flags say.
bool only_reads(const Command& command);

/// The reply to a request, within its Turn; worth nothing if `execution.replied`.
Reply process(Keyspace& keyspace, LookedUp found, const Request& request, Execution& execution);

}  // namespace lockstep::sim
