// The properties, judged on steps and worlds (docs/semantics.md, section 5).
#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

/// mutual_exclusion, and honest_result for a refusal: what a process's step means to the rest of
/// the world.
void World::judge_overlap(const Id* state, unsigned process, std::uint32_t flags, std::uint8_t lock,
                          Facts& facts) const {
  if ((flags & kAcquired) != 0) {
    for (unsigned q = 0; q < processes_; ++q)
      if (q != process && (process_infos_[state[q]].held >> lock & 1) != 0)
        facts.violated |= bit(Property::mutual_exclusion);
  }
  if ((flags & kRefusedMade) != 0) {
    for (unsigned n = 0; n < nodes_; ++n) {
      const NodeInfo& node = node_infos_[state[processes_ + n]];
      if (node.value.up && (node.lease_makers[lock] >> (process + 1) & 1) != 0)
        facts.violated |= bit(Property::honest_result);
    }
  }
}

/// reentrancy: who is still inside has a key of the lock, who is out has none. honest_result for a
/// release() that says false: its key is not gone. A process's step does not change the nodes.
void World::judge_told(const Id* state, unsigned process, const Told& told, Facts& facts) const {
  for (unsigned lock = 0; lock < locks_.size(); ++lock) {
    bool has_key = false;
    for (unsigned n = 0; n < nodes_; ++n) {
      const NodeInfo& node = node_infos_[state[processes_ + n]];
      has_key = has_key || (node.value.up && (node.lease_makers[lock] >> (process + 1) & 1) != 0);
    }
    const bool wrong = has_key ? (told.released >> lock & 1) != 0 : (told.nested >> lock & 1) != 0;
    if (wrong) facts.violated |= bit(Property::reentrancy);
    if (!has_key && (told.denied >> lock & 1) != 0) facts.violated |= bit(Property::honest_result);
  }
}

/// foreign_release and foreign_extend: what an executed request did to leases of others.
void World::judge_changes(const Id* state, const Outcome& outcome, Facts& facts) const {
  if (outcome.changes == FlatMap::kAbsent) return;
  for (const auto& change : changes_[outcome.changes]) {
    if ((process_infos_[state[change.maker - 1]].held >> change.lock & 1) == 0) continue;
    facts.violated |= bit(change.kind == ChangeKind::taken ? Property::foreign_release
                                                           : Property::foreign_extend);
  }
}

/// deadlock (by the probe) and leak, where everything has come to rest.
void World::judge_rest(const Id* state, bool finished, Facts& facts) {
  bool leaky = false;
  for (unsigned n = 0; n < nodes_; ++n) {
    if (!node_infos_[state[processes_ + n]].value.up) return;
    leaky = leaky || node_infos_[state[processes_ + n]].leaky;
  }
  if (finished && leaky) facts.violated |= bit(Property::leak);
  if (!model_.properties.contains(Property::deadlock)) return;
  if (!can_acquire(std::vector<Id>(state + processes_, state + processes_ + nodes_),
                   state[processes_ + nodes_]))
    facts.violated |= bit(Property::deadlock);
}

bool World::can_acquire(const std::vector<Id>& nodes, Id run) {
  std::vector<Id> key = nodes;
  if (knowledge_.absolute) key.push_back(run);
  const auto [place, added] = probes_.try_emplace(std::move(key), true);
  if (added)
    for (const std::uint32_t setup : probe_setups_)
      place->second = place->second && probe(nodes, run, setup);
  return place->second;
}

}  // namespace lockstep::sim
