// Which server a real one is, by its own word.
#pragma once

#include <optional>
#include <string>

#include "live/connection.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::live {

struct RealServer {
  std::string shown;  ///< "redis 7.0.15", "valkey 9.1.2"; empty if it does not say
  std::optional<sim::ServerVersion> imitated;  ///< as which one it can be imitated, if any
};

/// Asks INFO. Throws ConnectionBroken.
RealServer real_server(Connection& connection);

}  // namespace lockstep::live
