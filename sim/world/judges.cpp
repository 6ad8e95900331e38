// Judges steps and worlds; see the header.
#include "sim/world/judges.hpp"

#include <algorithm>

namespace lockstep::sim {

void Judges::judge(const Id* state, unsigned actor, const Report& report, Facts& facts) const {
  judge_acquired(state, actor, report.claims.acquired, facts);
  judge_told(state, actor, report.claims, facts);
  judge_leases(state, report.leases, facts);
}

/// mutual_exclusion: nobody else is in the critical section.
void Judges::judge_acquired(const Id* state, unsigned actor, LockSet acquired, Facts& facts) const {
  for (unsigned q = 0; q < setting_.processes; ++q)
    if (q != actor && (processes_.info(state[q]).held & acquired) != 0)
      facts.violated |= only(Property::mutual_exclusion);
}

/// The locks of which the process has a lease key on a node that is up.
LockSet Judges::locks_with_key(const Id* state, unsigned process) const {
  LockSet locks = 0;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& node = nodes_.info(state[setting_.node_slot(n)]);
    if (!node.value.up) continue;
    for (unsigned lock = 0; lock < node.lease_makers.size(); ++lock)
      if (has(node.lease_makers[lock], process + 1)) locks |= only<LockSet>(lock);
  }
  return locks;
}

/// reentrancy: who is still inside has a key of the lock, who is out has none. honest_result: a
/// refusal that made a key has left none behind, and where release() says false its key is there.
/// A process's step does not change the nodes.
void Judges::judge_told(const Id* state, unsigned actor, const Claims& claims, Facts& facts) const {
  if ((claims.inside | claims.outside | claims.refused_made | claims.denied) == 0) return;
  const LockSet keys = locks_with_key(state, actor);
  if ((claims.outside & keys) != 0 || (claims.inside & ~keys) != 0)
    facts.violated |= only(Property::reentrancy);
  if ((claims.refused_made & keys) != 0 || (claims.denied & ~keys) != 0)
    facts.violated |= only(Property::honest_result);
}

/// foreign_release and foreign_extend: what an executed request did to leases of others.
void Judges::judge_leases(const Id* state, const std::vector<LeaseChange>& leases,
                          Facts& facts) const {
  for (const auto& change : leases) {
    if (!holds(state, change)) continue;
    facts.violated |= only(change.kind == LeaseChange::Kind::taken ? Property::foreign_release
                                                                   : Property::foreign_extend);
  }
}

void Judges::witness_expiry(const Id* state, const std::vector<LeaseChange>& expired,
                            Facts& facts) const {
  for (const auto& change : expired)
    if (holds(state, change)) facts.witnessed |= only(Witness::expired_while_held);
}

/// deadlock (by the probe) and leak, where everything has come to rest.
void Judges::judge_at_rest(const Id* state, bool finished, Facts& facts) {
  bool leaky = false;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& node = nodes_.info(state[setting_.node_slot(n)]);
    if (!node.value.up) return;
    leaky = leaky || node.leaky;
  }
  if (finished && leaky) facts.violated |= only(Property::leak);
  if (!setting_.model.properties.contains(Property::deadlock)) return;
  if (!prober_.can_acquire({state + setting_.node_slot(0), state + setting_.run_slot()},
                           state[setting_.run_slot()]))
    facts.violated |= only(Property::deadlock);
}

}  // namespace lockstep::sim
