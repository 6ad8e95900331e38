// What lockstep does not know of the simulated version: an explored world ends there, since the
// error would be taken for what the lock does.
#pragma once

#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

/// Throws BadInput for a command that Redis 7.0 has and lockstep has not: no error of a server
/// would be the answer.
void refuse_lacking(const Request& request);

/// Throws BadInput for a command, or a subcommand, that is not known of the version; and for one
/// whose answer hangs on what is not kept (OBJECT IDLETIME).
void refuse_unknown(const Request& request, ServerVersion version);

/// Throws BadInput for a request of which it is not simulated what it comes to where there are
/// replicas: ROLE and INFO, which tell of them; and at a replica WATCH, for what a replica is sent
/// touches keys too, and DBSIZE, which counts what has expired until the master deletes it.
void refuse_with_replicas(const Request& request, bool at_replica);

/// Throws BadInput for a request to a replica where a clock may stand still: beside `freeze` what
/// replicas have is no matter (docs/semantics.md, section 7).
[[noreturn]] void refuse_at_replica(const Request& request);

/// Throws BadInput for a request that clients of a cluster send otherwise, or to a node of their
/// library's choice (docs/semantics.md, section 8).
void refuse_with_migration(const Request& request);

/// Whether it names a command that may write: one without Redis's flag `readonly`.
bool may_write(const Request& request);

}  // namespace lockstep::sim
