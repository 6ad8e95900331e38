// What a server tells of a key, and of expired keys that it meets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::sim {

struct Call;
struct Keyspace;

/// What a server that publishes the events `wanted` says of one of a class; nothing if that is not
/// among them. By the key first (Redis 7.0 notify.c notifyKeyspaceEvent).
std::vector<Publication> events_at(KeyspaceEvents wanted, KeyspaceEvents of_class,
                                   std::string_view event, const Place& place);

/// The server notices the unnoticed key at this place among them, which is one no more: what it
/// publishes then. `wanted`: the events that it publishes, those of expired keys among them.
std::vector<Publication> noticed(Keyspace& keyspace, std::size_t index, KeyspaceEvents wanted);

/// Those of the selected database.
std::vector<std::string> unnoticed_keys(const Call& call);

}  // namespace lockstep::sim
