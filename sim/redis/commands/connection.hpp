// For commands that belong to a connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/server/connections.hpp"

namespace lockstep::sim {

/// All connections to the server. Throws BadInput where they are not known: see execute().
Connections& all_connections(const Call& call);
/// The one that a command came through; throws likewise.
Client& own_client(const Call& call);

/// For a form of a command that is known and not simulated: throws BadInput.
[[noreturn]] void not_simulated(const Call& call);

/// Throws Refused for a name that CLIENT SETNAME does not take.
void check_client_name(const std::string& name);

/// Whether a key that the session watches has expired since: it is gone, and nobody has touched it
/// (multi.c isWatchedKeyExpired).
bool watch_expired(const Call& call, const Session& session);

/// What a session gets whose wait is over in vain.
Reply timeout_reply(const BlockedOn& wait);

/// Whether a value of this kind of entry is what the session waits for.
bool serves(const Entry& entry, BlockedOn::Kind kind);

/// Sends a message to all who listen, or leaves that to the caller (Execution::published): to how
/// many.
std::int64_t publish(Execution& execution, Publication said);
std::int64_t publish_to_all(Connections& connections, const Publication& said);

/// Says that the command wrote its replies itself, or has none; returned for a reply.
Reply already_replied(Call& call);

/// Serves a session that waits for `place`, which is there and of the right kind: takes what it
/// asked for and returns its reply.
Reply serve_wait(Call& call, const BlockedOn& wait, const Place& place);

}  // namespace lockstep::sim
