// Which servers a model has: those that are masters at the start, and the replicas of each
// (docs/semantics.md, sections 7 and 8). A server's number is that of a node elsewhere.
#pragma once

#include <cstdint>

#include "sim/client/setup.hpp"

namespace lockstep::sim {

/// In place of a server's number.
inline constexpr std::uint8_t kNoServer = 255;

/// Of two servers, 0 and 1: between which slots migrate.
constexpr std::uint8_t other_of_two(std::uint8_t server) { return server == 0 ? 1 : 0; }

struct Servers {
  unsigned nodes = 1;     ///< masters at the start, and groups
  unsigned replicas = 0;  ///< of each
  unsigned spare = 0;     ///< a cluster's node without slots at the start, of the only group
  unsigned count() const { return nodes * (1 + replicas) + spare; }
  /// The number of the group's master at the start is that of the group.
  std::uint8_t group_of(std::uint8_t server) const {
    if (spare > 0) return 0;
    return static_cast<std::uint8_t>(server < nodes ? server : (server - nodes) / replicas);
  }
};

/// Of a model whose clients have all been given the same.
inline Servers servers_of(const ProcessSetup& setup) {
  return {static_cast<unsigned>(setup.nodes), static_cast<unsigned>(setup.replicas)};
}

}  // namespace lockstep::sim
