// Expired keys of which a server has not told yet.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::sim {

struct Call;
struct Keyspace;

/// The server notices the unnoticed key at this place among them, which is one no more: what it
/// publishes then. `wanted`: the events that it publishes, those of expired keys among them.
std::vector<Publication> noticed(Keyspace& keyspace, std::size_t index, KeyspaceEvents wanted);

/// Those of the selected database.
std::vector<std::string> unnoticed_keys(const Call& call);

}  // namespace lockstep::sim
