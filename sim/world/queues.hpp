// Requests that wait at a node for a key (BLPOP and its like) in the interned world: their order,
// who is served, and what ends a wait in vain (docs/semantics.md, section 9).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/world/nodes.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/replica_waits.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

/// A connection of one of several processes.
struct Waiter {
  unsigned process = 0;  ///< index into those processes
  std::uint8_t connection = 0;
};

class Queues {
 public:
  Queues(Setting& setting, const Tables& tables, const Processes& processes, Nodes& nodes,
         const ReplicaWaits& waits)
      : setting_(setting), tables_(tables), processes_(processes), nodes_(nodes), waits_(waits) {}

  /// Who is served next of what has come at a node, server `n`; nothing if nobody is.
  std::optional<Waiter> served(std::span<const Id> processes, std::uint8_t n, Id node) const;
  /// Forgets what has come for nobody, until somebody is served or nothing is left.
  void forget_unserved(std::span<const Id> processes, std::uint8_t n, Id& node) const;
  /// Whether the wait of the connection's request at its node ends now. (Where somebody is served
  /// there, only that request is asked about: next_served().)
  bool is_over(const Process& process, const Connection& connection, const Id* nodes) const;
  /// The next request of the connection was executed at the node, or has begun to wait there: what
  /// becomes of both. True if it waits.
  bool take_turn(Process& process, Connection& connection, Id& node, const CommandRun& run) const;

 private:
  void leave(Process& process, Connection& connection, Node& node) const;
  void join(Process& process, Connection& connection, Node& node, std::int64_t wait_ms) const;

  Setting& setting_;
  const Tables& tables_;
  const Processes& processes_;
  Nodes& nodes_;
  const ReplicaWaits& waits_;
};

}  // namespace lockstep::sim
