// Sessions in the interned world: what the connections of a process watch at a node, what becomes
// of them when a key is touched there, and a request that is executed in a connection's session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/world/nodes.hpp"
#include "sim/world/process.hpp"
#include "sim/world/replica_waits.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class Processes;

/// What other processes do at a node.
struct Others {
  Id watched = Tables::kNowhere;    ///< places that they watch or wait for
  Id listening = Tables::kNowhere;  ///< what they listen to
  Makers gone = 0;                  ///< that have crashed
  Makers back = 0;                  ///< those of them that are up again
  Makers idle = 0;                  ///< that hold nothing, and ask for nothing; where it matters
  LockSet sharing = 0;              ///< locks that they hold, acquire or release in shared mode
};

/// Adds the keys that connections of the process watch or wait for at the node; those of `but` do
/// not count.
void add_watched(const Tables& tables, const Process& process, std::uint8_t node,
                 const Connection* but, Places& places);

/// Adds what connections of the process listen to at the node.
void add_listening(const Tables& tables, const Process& process, std::uint8_t node,
                   Listening& listening);

/// What all these processes but one, by its place among them, do at the node.
Others others_at(Tables& tables, const Processes& processes, std::span<const Id> all,
                 std::size_t but, std::uint8_t node);

/// What is published at the node is on its way to connections of the process, for at most so long.
void take_published(Tables& tables, Process& process, std::uint8_t node,
                    const Publications& publications, std::int64_t way_ms);

/// Keys were touched at the node: breaks the watches of the process's connections, but for `but`.
void touch_watched(Tables& tables, Process& process, std::uint8_t node, const Connection* but,
                   const Places& touched);

/// The next request of a connection of the process, as its node gets it, whose clock shows `clock`
/// (Nodes::clock). `states`: of all nodes.
Asked asked_on(Tables& tables, const Nodes& nodes, ReplicaWaits& waits, const Id* states,
               const Process& process, const Connection& connection, Others others,
               std::int64_t clock);

/// A node really executes `asked`, the next request of a connection of the process, in its session;
/// that and the other sessions of the process become what they are afterwards. `asked` tells of
/// what other processes do there. One that has waited is served, or its wait ends in vain. What it
/// publishes may be on its way for so long.
CommandRun execute_in_session(Tables& tables, Nodes& nodes, Process& process,
                              Connection& connection, Asked asked, std::int64_t way_ms);

}  // namespace lockstep::sim
