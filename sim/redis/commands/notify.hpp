// What a server tells of a key of its own accord, and of expired keys that it meets.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::sim {

/// The channel on which a connection that speaks RESP2 hears of touched keys (tracking.c
/// TrackingChannelName).
inline constexpr const char* kTrackingChannel = "__redis__:invalidate";

struct Call;
struct Execution;
struct Keyspace;

/// What a server that publishes the events `wanted` says where it does something to a key itself:
/// the event, if that is among them, by the key first (Redis 7.0 notify.c notifyKeyspaceEvent), and
/// to who tracks the key that it is touched.
std::vector<Publication> told_of(KeyspaceEvents wanted, KeyspaceEvents of_class,
                                 std::string_view event, const Place& place);

/// That keys were touched, for who tracks them.
Publication invalidation(std::set<std::string> keys);

/// Whether somebody may track keys there.
bool tells_who_tracks(const Execution& execution);

/// Those are told which keys the request has touched, all at once: Redis sends it before it waits
/// for the next requests (7.0 tracking.c trackingBroadcastInvalidationMessages).
void tell_who_tracks(Execution& execution);

/// And that all of them are gone (tracking.c trackingInvalidateKeysOnFlush).
std::vector<Publication> told_of_flush(KeyspaceEvents wanted);
void tell_of_flush(Execution& execution);

/// The server notices the unnoticed key at this place among them, which is one no more: what it
/// publishes then. `wanted`: the events that it publishes, those of expired keys among them.
std::vector<Publication> noticed(Keyspace& keyspace, std::size_t index, KeyspaceEvents wanted);

/// Those of the selected database.
std::vector<std::string> unnoticed_keys(const Call& call);

}  // namespace lockstep::sim
