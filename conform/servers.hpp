// The simulated server and a real one, with the connections that both have, and what has to be sent
// to both beside the commands that are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/address.hpp"
#include "live/connection.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/server/server.hpp"

namespace lockstep::conform {

/// One connection to both.
struct Client {
  std::unique_ptr<live::Connection> real;
  std::string real_id;
  sim::SessionId fake = 0;
};

struct Servers {
  explicit Servers(const live::Address& where,
                   sim::ServerVersion version = sim::ServerVersion::redis_7_0)
      : address(where), admin(where), fake({.version = version}) {}

  /// A connection to both.
  Client open();
  /// Ends the connections, the simulated server starts anew, and the real one is emptied.
  void reset(const std::vector<Client>& clients);
  /// Neither holds keys, scripts or functions any more; connections stay.
  void empty();

  live::Address address;
  live::Connection admin;  ///< to the real server; the simulated one knows nothing of it
  sim::Server fake;
};

/// The databases that are compared; nobody selects another.
inline constexpr int kDatabasesUsed = 3;

/// What goes before a request so that Redis's answer does not depend on what nobody can know.
std::vector<sim::Request> preludes_of(const sim::Request& request);

/// Whether it counts how a value is packed. A replica may pack one otherwise than its master does:
/// it has got it in a file, or by other commands.
enum class Packing : std::uint8_t { shown, free };

/// Requests that read all that `keyspace` holds and show what else there is: KEYS and DBSIZE of
/// each database, the type, encoding, lifetime and value of every key (a dump, if packing is free);
/// and all functions. Only Redis 7.0's encodings are simulated.
std::vector<sim::Request> reading(const sim::Keyspace& keyspace, sim::ServerVersion version,
                                  Packing packing = Packing::shown);

}  // namespace lockstep::conform
