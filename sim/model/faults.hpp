// The faults: what can go wrong in a run, as often as its budget says.
#pragma once

#include <array>
#include <cstdint>

#include "sim/model/table.hpp"

namespace lockstep::sim {

enum class Fault : std::uint8_t {
  pause,
  delay,
  lose,
  crash,
  jump,
  node_crash,
  power_loss,
  preempt,
  evict,
  flush,
  oom,
  cut,
  lag,
  failover,
  freeze,
  migrate
};

struct FaultRow {
  Fault value;
  const char* name;  ///< of flags, scenarios and printouts
  const char* one;   ///< "at most 1 ..."
  const char* many;
  bool stops_node;  ///< the node is down after it, with what its persistence kept
  const char* meaning;
  bool of_threads = false;   ///< nothing where processes have one task each
  bool of_replicas = false;  ///< possible only where nodes have replicas
  bool of_cluster = false;   ///< possible only in a cluster
};

inline constexpr auto kFaultTable = std::to_array<FaultRow>({
    {Fault::pause, "pause", "pause", "pauses", false,
     "a client process stands still (a GC or VM pause), also between a look at the clock and the "
     "request that it decides, and resumes at any time; its sent requests go on"},
    {Fault::delay, "delay", "delayed message", "delayed messages", false,
     "one request or reply is held back in the network while time passes"},
    {Fault::lose, "lose", "broken connection", "broken connections", false,
     "a connection breaks, before its request is executed, after it, or while the request is on "
     "its "
     "way and is executed later; the client cannot tell which"},
    {Fault::crash, "crash", "client crash", "client crashes", false,
     "a client process dies; what it sent may still be executed; it may begin its next round anew"},
    {Fault::jump, "jump", "clock jump", "clock jumps", false,
     "the wall clock of the node or of a client changes at once, by one of the jump sizes"},
    {Fault::node_crash, "node-crash", "node crash", "node crashes", true,
     "the redis process dies; it restarts with what its persistence kept"},
    {Fault::power_loss, "power-loss", "power loss", "power losses", true,
     "the node's machine dies; aof-everysec may lose the writes of the last second, "
     "aof-everysec-2s of two"},
    {Fault::preempt, "preempt", "thread switch", "thread switches", false,
     "a thread of a client stops at an access to data that its threads share, and another one goes "
     "on; without it threads switch where they wait",
     true},
    {Fault::evict, "evict", "evicted key", "evicted keys", false,
     "a node is short of memory, and one of its keys goes: one with an expiry (maxmemory-policy "
     "volatile-*), or any (allkeys-*)"},
    {Fault::flush, "flush", "flush", "flushes", false,
     "somebody empties a node: FLUSHALL by an operator, or by whoever shares the server"},
    {Fault::oom, "oom", "full memory", "full memories", false,
     "a node is out of memory and may evict nothing (noeviction): what would need more is refused "
     "with OOM, until there is room again"},
    {Fault::cut, "cut", "cut link", "cut links", false,
     "nothing passes between a client and a node, or nothing in one direction, until the link "
     "heals; a connection breaks by `lose` alone"},
    {Fault::lag, "lag", "replica that lags", "replicas that lag", false,
     "what a master sends to one of its replicas waits, from some write on, until the replica "
     "catches up; it may acknowledge nothing meanwhile (min-replicas-to-write)",
     false, true},
    {Fault::failover, "failover", "failover", "failovers", false,
     "a replica becomes master with what it has; each client learns it at any time, or never, and "
     "the master of before goes on until it follows the new one",
     false, true},
    {Fault::freeze, "freeze", "clock that stands still", "clocks that stand still", false,
     "the clock of a node stands still from then on, also through its restarts: no lease there "
     "ends"},
    {Fault::migrate, "migrate", "slot migration", "slot migrations", false,
     "the slots of a cluster's node go to another one, key by key: clients are redirected, and "
     "what has two keys meets TRYAGAIN",
     false, false, true},
});
static_assert(is_complete(kFaultTable));
constexpr const auto& table_of(Fault) { return kFaultTable; }

inline constexpr auto kFaults = values_of(kFaultTable);
using FaultSet = SetOf<kFaults.size()>;

/// By Fault: how many of each one run may contain.
using Budget = std::array<std::uint8_t, kFaults.size()>;

}  // namespace lockstep::sim
