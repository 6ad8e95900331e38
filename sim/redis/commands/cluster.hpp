// Hash slots of a Redis cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct Keyspace;
struct ServerMode;

/// What of a key's name says its slot: its hash tag, or all.
std::string_view hashed_part(std::string_view key);

/// The slot of a key: CRC16 of its hash tag, or of the whole key, modulo 16384 (cluster.c
/// keyHashSlot).
unsigned hash_slot(std::string_view key);

/// The keys of a request that names a command.
std::vector<std::string> key_names_of(const Request& request);

/// Why a node of a cluster does not execute what has these keys, of one request or of all that EXEC
/// would run: CROSSSLOT, MOVED, ASK or TRYAGAIN (Redis 7.0 cluster.c getNodeByQuery,
/// clusterRedirectClient); empty if it does. `asking`: after ASKING.
std::string cluster_refusal(const Keyspace& keyspace, const std::vector<std::string>& keys,
                            bool asking, const ServerMode& mode, WallTime now);
/// Whether an error is such an answer.
bool is_cluster_refusal(std::string_view error);

/// Where an answer of a node sends its client.
struct Redirection {
  bool ask = false;       ///< for this request alone, after ASKING; else for good
  std::uint8_t node = 0;  ///< from 0
};
/// What such an error says; nothing if it is no MOVED or ASK.
std::optional<Redirection> redirection_in(std::string_view error);

}  // namespace lockstep::sim
