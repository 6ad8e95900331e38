// What is simulated: protocol, processes, nodes, faults and bounds, as plain data. Filled in by the
// scenario reader or the command line, read by both explorers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/client/servers.hpp"
#include "sim/client/setup.hpp"
#include "sim/model/faults.hpp"
#include "sim/model/properties.hpp"
#include "sim/model/table.hpp"
#include "sim/model/witnesses.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

class Program;
class OwnClaims;

/// What a restarted node still has (Redis persistence): nothing; what the last completed RDB save
/// had; every write, with fsync every second, every second but postponed for another one while the
/// disk is busy, or always (they differ under power loss only).
enum class Persistence : std::uint8_t { none, rdb, aof_everysec, aof_everysec_2s, aof_always };
inline constexpr auto kPersistenceTable = std::to_array<NameRow<Persistence>>({
    {Persistence::none, "none"},
    {Persistence::rdb, "rdb"},
    {Persistence::aof_everysec, "aof-everysec"},
    {Persistence::aof_everysec_2s, "aof-everysec-2s"},
    {Persistence::aof_always, "aof-always"},
});
static_assert(is_complete(kPersistenceTable));
constexpr const auto& table_of(Persistence) { return kPersistenceTable; }
inline constexpr auto kPersistences = values_of(kPersistenceTable);

/// Which keys a node that is short of memory may drop (Redis's maxmemory-policy): those with an
/// expiry, or all. Which one of them is Redis's choice (lru, lfu, random, ttl): any.
enum class MaxmemoryPolicy : std::uint8_t { volatile_keys, allkeys };
inline constexpr auto kMaxmemoryPolicyTable = std::to_array<NameRow<MaxmemoryPolicy>>({
    {MaxmemoryPolicy::volatile_keys, "volatile"},
    {MaxmemoryPolicy::allkeys, "allkeys"},
});
static_assert(is_complete(kMaxmemoryPolicyTable));
constexpr const auto& table_of(MaxmemoryPolicy) { return kMaxmemoryPolicyTable; }
inline constexpr auto kMaxmemoryPolicies = values_of(kMaxmemoryPolicyTable);

/// Whether the protected resource checks fencing tokens.
enum class Resource : std::uint8_t { plain, fenced, fenced_writes };
inline constexpr auto kResourceTable = std::to_array<NameRow<Resource>>({
    {Resource::plain, "plain"},
    {Resource::fenced, "fenced"},
    {Resource::fenced_writes, "fenced-writes"},
});
static_assert(is_complete(kResourceTable));
constexpr const auto& table_of(Resource) { return kResourceTable; }
inline constexpr auto kResources = values_of(kResourceTable);

/// From when on a client's wait counts: from its call of acquire(), or from when nobody has been in
/// the lock's critical section, if that is later.
enum class WaitsAfter : std::uint8_t { call, free };
inline constexpr auto kWaitsAfterTable = std::to_array<NameRow<WaitsAfter>>({
    {WaitsAfter::call, "call"},
    {WaitsAfter::free, "free"},
});
static_assert(is_complete(kWaitsAfterTable));
constexpr const auto& table_of(WaitsAfter) { return kWaitsAfterTable; }
inline constexpr auto kWaitsAfter = values_of(kWaitsAfterTable);

inline constexpr unsigned kMaxProcesses = 8;  ///< in a model
using ProcessSet = SetOf<kMaxProcesses>;
inline constexpr unsigned kMaxThreads = 8;  ///< of a process
/// Main tasks of a model: bit process * kMaxThreads + task.
using TaskSet = std::uint64_t;
static_assert(kMaxProcesses * kMaxThreads <= 64);
constexpr TaskSet only_task(unsigned process, unsigned task) {
  return TaskSet{1} << (process * kMaxThreads + task);
}
inline constexpr unsigned kMaxLocks = 8;  ///< in a model

/// What a clock that drifts measures begins and ends anywhere in a ms, and in the model with one.
/// So what is found is sought again with what that may be off by, and that is a whole ms here. Of
/// clocks that are right the model is exact, each time rounded down: but a lease at a right node
/// may be shorter than what a client's clock that drifts shows of it.
enum class PartOfMs : std::uint8_t {
  none,
  off_leases,  ///< an expiry that a command gives is 1 ms sooner, if a client or the node drifts
  onto_ages,   ///< a reading of a drifting clock that is kept is 1 ms older
  off_timers,  ///< a timer is due with the last ms before its clock has shown it, not with the next
};

struct Model {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const OwnClaims> claims;  ///< invariants of the scenario; may be null
  std::vector<ProcessSetup> processes;      ///< A, B, C, ...; at most kMaxProcesses
  ServerVersion server = ServerVersion::redis_7_0;
  bool cluster = false;         ///< as in ServerMode: a cluster's node with all slots
  std::uint64_t draw_seed = 0;  ///< as in ServerMode
  Persistence persistence = Persistence::none;
  MaxmemoryPolicy maxmemory_policy = MaxmemoryPolicy::volatile_keys;
  KeyspaceEvents keyspace_events = 0;  ///< as in ServerMode, of every node
  Resource resource = Resource::plain;
  Budget budget{};
  std::vector<std::int64_t> jumps_ms;  ///< sizes of clock jumps; may be negative
  /// How far each process's wall clock is ahead at the start, and each node's; 0 where none is
  /// said.
  std::vector<std::int64_t> clocks_ms, node_clocks_ms;
  /// How fast each process's clocks are, and each node's, in ppm; 0 where none is said.
  std::vector<std::int64_t> drifts_ppm, node_drifts_ppm;
  std::int64_t request_timeout_ms = 0;  ///< 0: none. Used where the program states none
  std::int64_t pause_max_ms = 0;        ///< 0: a pause may last for ever
  std::int64_t latency_ms = 0;  ///< how long each message may take at most; 0: it takes no time
  /// How long a node that went down stays down at least (a delayed restart); 0: it may be up at
  /// once.
  std::int64_t restart_after_ms = 0;
  int min_replicas = 0;  ///< a master with fewer of them refuses to write (min-replicas-to-write)
  /// For how long at most a master counts one that has left without a word: min-replicas-max-lag of
  /// 10 s is seen in whole seconds, once a second (Redis 7.0 `refreshGoodSlavesCount`).
  std::int64_t counts_gone_ms = 12'000;
  /// The same for WAIT: repl-timeout of 60 s, in whole seconds, looked at once a second (Redis 7.0
  /// `replicationCron`).
  std::int64_t lists_gone_ms = 62'000;
  std::int64_t waits_ms = 0;  ///< how long an acquire() may take (Property::waits); 0: not judged
  WaitsAfter waits_after = WaitsAfter::call;
  /// How often others may get a lock while a client is inside its acquire() (Property::fairness).
  std::optional<unsigned> overtakes;
  std::int64_t tick_ms =
      1;  ///< the smallest step of time; the audit uses a coarser one on both explorers
  PartOfMs part_of_ms = PartOfMs::none;
  int later_from = 0;        ///< as in ServerMode
  unsigned field_order = 0;  ///< likewise
  /// How long after kEpoch a run begins, in ms: matters where it looks at the absolute time.
  std::int64_t begins_ms = 0;
  bool distinct_micros = false;  ///< TIME tells no microsecond twice; else only whole ms
  // Reductions of the engine: recycled and renamed lock tokens; answers that a task waits for
  // together; worlds that differ in their date alone.
  bool merges_tokens = true, merges_orders = true, merges_dates = true;
  std::set<Property> properties;  ///< checked as `always`
  std::set<Witness>
      witnesses;  ///< checked as `sometimes`; Witness::acquired means: by every process
};

/// What a process of the model is given: its program shows accesses where threads may switch there.
inline ProcessSetup setup_of(const Model& model, std::size_t process) {
  ProcessSetup setup = model.processes[process];
  setup.shows_accesses =
      setup.shows_accesses || model.budget[static_cast<std::size_t>(Fault::preempt)] > 0;
  return setup;
}

/// All servers of a model: those that the client knows that knows most of them, and where slots
/// migrate one more.
inline Servers servers_of(const Model& model) {
  Servers servers;
  for (const ProcessSetup& setup : model.processes)
    if (servers_of(setup).count() >= servers.count()) servers = servers_of(setup);
  servers.spare = model.budget[static_cast<std::size_t>(Fault::migrate)] > 0 ? 1 : 0;
  return servers;
}

/// How far a server's clock goes on within a script: in a search of Redis 7.0 in which it does.
constexpr Duration script_tick(const Model& model) { return {model.later_from > 0 ? 1 : 0}; }

/// Whether the client locks anything: one that only calls functions of its protocol does not.
inline bool ever_locks(const ProcessSetup& setup) {
  return std::ranges::any_of(
      setup.workload, [](const WorkStep& step) { return step.kind == WorkStep::Kind::lock; });
}

/// The shortest wait that violates Property::waits: the first multiple of the tick that is longer
/// than waits_ms; 0 if that is not judged.
inline std::int64_t too_long_ms(const Model& model) {
  if (model.waits_ms <= 0 || !model.properties.contains(Property::waits)) return 0;
  return (model.waits_ms / model.tick_ms + 1) * model.tick_ms;
}

/// As Model::overtakes, if that is judged.
inline std::optional<unsigned> judged_overtakes(const Model& model) {
  return model.properties.contains(Property::fairness) ? model.overtakes : std::nullopt;
}

/// What one of Model's lists says of the clock of a process or node: 0 where it says nothing.
constexpr std::int64_t of_clock(const std::vector<std::int64_t>& list, std::size_t index) {
  return index < list.size() ? list[index] : 0;
}

/// Whether some client's clock is fast or slow.
constexpr bool clients_drift(const Model& model) {
  return std::ranges::any_of(model.drifts_ppm, [](std::int64_t ppm) { return ppm != 0; });
}

/// Whether some clock is fast or slow.
constexpr bool clocks_drift(const Model& model) {
  return clients_drift(model) ||
         std::ranges::any_of(model.node_drifts_ppm, [](std::int64_t ppm) { return ppm != 0; });
}

}  // namespace lockstep::sim
