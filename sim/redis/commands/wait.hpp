// What WAIT asks for.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct ReplicaWait {
  std::int64_t replicas = 0;    ///< for so many acknowledgements
  std::int64_t timeout_ms = 0;  ///< 0: for ever
};

/// What a WAIT asks for; nothing if it is another command, or one that is refused.
std::optional<ReplicaWait> replica_wait(const Request& request);

}  // namespace lockstep::sim
