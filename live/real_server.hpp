// Which server a real one is, by its own word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/address.hpp"
#include "live/connection.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::live {

struct RealServer {
  std::string shown;  ///< "redis 7.0.15", "valkey 9.1.2"; empty if it does not say
  std::optional<sim::ServerVersion> imitated;  ///< as which one it can be imitated, if any
};

/// What follows "NAME:" at the beginning of a line of INFO's text, or "".
std::string info_field(const std::string& info, const std::string& name);

/// Asks INFO. Throws ConnectionBroken.
RealServer real_server(Connection& connection);

/// Throws BadInput if a protocol is written for another server than Redis 7.0, and this is, by its
/// own word, neither that one nor one that is not known.
void expect_server(const Address& address, sim::ServerVersion wanted);

/// Throws BadInput if the server does not publish all of these keyspace events.
void expect_keyspace_events(const Address& address, sim::KeyspaceEvents wanted);

/// The same as expect_server(), if the server lacks what one of `requests` needs
/// (sim/redis/commands/newer.hpp).
void expect_commands(const Address& address, const std::vector<sim::Request>& requests,
                     sim::ServerVersion wanted);

}  // namespace lockstep::live
