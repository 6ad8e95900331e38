// Requests that wait at a keyspace whose caller owns the sessions; see execute.hpp. Server serves
// its connections by itself.
#include <algorithm>
#include <utility>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/server/processing.hpp"

namespace lockstep::sim {

bool can_be_served(const Session& session, const Place& place, const Keyspace& keyspace) {
  if (!session.wait || std::ranges::count(session.wait->places, place) == 0) return false;
  const Entry* const entry = keyspace.find(place.database, place.key);
  return entry != nullptr && serves(*entry, session.wait->kind);
}

Reply serve(Keyspace& keyspace, Session& session, const Place& place, Execution& execution) {
  const BlockedOn wait = std::exchange(session.wait, std::nullopt).value();
  Connections unknown;
  SoonestExpiry not_known;
  const Turn turn(keyspace, session, execution, unknown, not_known);
  Call call{keyspace, wait.request, execution};
  Reply reply = serve_wait(call, wait, place);
  tell_who_tracks(execution);
  return reply;
}

Reply answer(const std::optional<Place>& served, Keyspace& keyspace, Session& session,
             const Request& request, Execution& execution) {
  if (served) return serve(keyspace, session, *served, execution);
  return execute(keyspace, session, request, execution);
}

Reply end_wait(Session& session) {
  return timeout_reply(std::exchange(session.wait, std::nullopt).value());
}

}  // namespace lockstep::sim
