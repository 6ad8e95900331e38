// For commands that belong to a connection.
#pragma once

#include "sim/redis/commands/command.hpp"
#include "sim/redis/server/server_state.hpp"

namespace lockstep::sim {

/// The connection that a command came through. Throws BadInput where there is none: such a command
/// cannot be explored.
Caller& caller_of(const Call& call);

/// The end of that error.
inline constexpr std::string_view kOnlyWithConnections =
    ", which a simulated node does not have yet; lockstep shell and lockstep eval do";

/// For a form of a command that is known and not simulated: throws BadInput.
[[noreturn]] void not_simulated(const Call& call);

/// Throws Refused for a name that CLIENT SETNAME does not take.
void check_client_name(const std::string& name);

/// What a session gets whose wait is over in vain.
Reply timeout_reply(const BlockedOn& wait);

/// Tells the server that the command wrote its replies itself; returned for a reply.
Reply already_replied(Caller& caller);

/// Ends the transaction of a session without running it, and its watches (multi.c
/// discardTransaction).
void discard_transaction(Session& session);

/// Ends every subscription of a session, without a reply.
void unsubscribe_all(ServerState& server, Session& session);

/// Ends a session: its subscriptions, watches and waits.
void close_session(ServerState& server, Session& session);

/// Serves a session that waits for `place`, which is there and of the right kind: takes what it
/// asked for and returns its reply.
Reply serve_wait(Call& call, const BlockedOn& wait, const Place& place);

}  // namespace lockstep::sim
