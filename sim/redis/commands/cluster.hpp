// Hash slots of a Redis cluster.
#pragma once

#include <set>
#include <string_view>

#include "sim/redis/request.hpp"

namespace lockstep::sim {

/// The slot of a key: CRC16 of its hash tag, or of the whole key, modulo 16384 (cluster.c
/// keyHashSlot).
unsigned hash_slot(std::string_view key);

/// The slots of the keys of a request that names a command.
std::set<unsigned> slots_of(const Request& request);

}  // namespace lockstep::sim
