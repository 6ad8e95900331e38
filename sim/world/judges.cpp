// Judges steps and worlds; see the header.
#include "sim/world/judges.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "sim/world/infos.hpp"

namespace lockstep::sim {

void Judges::judge(const Id* state, const Id* next, unsigned actor, const Report& report,
                   Facts& facts) {
  judge_acquired(state, actor, report.claims.acquired, facts);
  judge_told(next, actor, report.claims, facts);
  judge_leases(state, report.leases, facts);
  if (report.claims.ended != 0) note_slack(state, actor, report.claims.ended);
  if (report.claims.kept_on == 0) return;
  const Own own = own_locks(state, actor);
  kept_on_ = kept_on_ || (report.claims.kept_on & own.should_go()) != 0;
}

/// What is left of the actor's leases where its critical sections end: until there are no longer
/// enough nodes on which it has something.
void Judges::note_slack(const Id* state, unsigned actor, LockSet ended) {
  const auto concerns = [&](const OwnedLease& lease, std::uint8_t lock) {
    return has_maker(lease.makers, maker_of(static_cast<std::uint8_t>(actor))) &&
           std::ranges::find(lease.locks, lock) != lease.locks.end();
  };
  const LockSet still_owned = own_locks(state, actor).any;
  for (std::uint8_t lock = 0; lock < setting_.locks.size(); ++lock) {
    if (!has(ended, lock)) continue;
    if (!has(still_owned, lock)) slack_.note(Slack::kEnded);
    std::map<std::uint8_t, std::int64_t> by_group;
    for (std::uint8_t n = 0; n < setting_.nodes; ++n) {
      const Node& node = nodes_.info(state[setting_.node_slot(n)]).value;
      if (!node.up || !node.is_master()) continue;
      std::optional<std::int64_t> least_ms;
      for (const auto& lease : tables_.keyspace(node.keyspace).leases)
        if (concerns(lease, lock))
          least_ms = std::min(lease.left_ms, least_ms.value_or(lease.left_ms));
      if (!least_ms) continue;
      std::int64_t& ms =
          by_group.try_emplace(setting_.servers.group_of(n), *least_ms).first->second;
      // Of two masters the longer one's; of two nodes of a cluster each has keys of its own.
      ms = setting_.servers.spare > 0 ? std::min(ms, *least_ms) : std::max(ms, *least_ms);
    }
    std::vector<std::int64_t> left_ms;
    for (const auto& [group, ms] : by_group) left_ms.push_back(ms);
    std::ranges::sort(left_ms, std::greater{});
    if (left_ms.size() >= setting_.quorum) slack_.note(left_ms[setting_.quorum - 1]);
  }
}

/// mutual_exclusion: nobody else is in the critical section, or not more than there are permits.
void Judges::judge_acquired(const Id* state, unsigned actor, LockSet acquired, Facts& facts) const {
  if (acquired == 0) return;
  if (setting_.permits > 1) return count_permits(state, acquired, facts);
  const LockSet conflicting = setting_.conflicting_with(acquired);
  for (unsigned q = 0; q < setting_.processes; ++q)
    if (q != actor && (processes_.info(state[q]).held & conflicting) != 0)
      facts.violated |= only(Property::mutual_exclusion);
}

/// Whether they were all taken before.
void Judges::count_permits(const Id* state, LockSet acquired, Facts& facts) const {
  for (std::uint8_t lock = 0; lock < setting_.locks.size(); ++lock) {
    if (!has(acquired, lock)) continue;
    std::ptrdiff_t taken = 0;
    for (unsigned p = 0; p < setting_.processes; ++p)
      taken += std::ranges::count(processes_.info(state[p]).value.holdings, lock, &Holding::lock);
    if (taken >= static_cast<std::ptrdiff_t>(setting_.permits))
      facts.violated |= only(Property::mutual_exclusion);
  }
}

/// What the process has of lease keys on nodes that are up, on enough of them.
Own Judges::own_locks(const Id* state, unsigned process) const {
  return own_on_groups(setting_, process, [&](unsigned n) -> const NodeInfo& {
    return nodes_.info(state[setting_.node_slot(n)]);
  });
}

/// reentrancy: who is still inside has something of the lock, who is out has nothing.
/// lost_told: of a lock that it is told to have lost, the process has nothing.
/// honest_result: a refusal that made something has left nothing behind, and where release() says
/// false it still has something.
void Judges::judge_told(const Id* state, unsigned actor, const Claims& claims, Facts& facts) const {
  const LockSet told = claims.inside | claims.outside | claims.refused_made | claims.unfreed |
                       claims.denied | claims.told_lost;
  if (told == 0) return;
  const Own own = own_locks(state, actor);
  const auto kept = static_cast<LockSet>(own.left | (own.counting & claims.discounted));
  const LockSet shared = processes_.shared_by_others({state, setting_.processes}, actor);
  const auto for_others = static_cast<LockSet>(shared & own.may_be_for_others());
  if ((claims.told_lost & own.should_go()) != 0) facts.violated |= only(Property::lost_told);
  if ((claims.outside & kept & ~for_others) != 0 || (claims.inside & ~own.any) != 0)
    facts.violated |= only(Property::reentrancy);
  if ((claims.refused_made & own.refused) != 0 || (claims.unfreed & ~own.kept) != 0 ||
      (claims.denied & ~(own.left | own.counting)) != 0)
    facts.violated |= only(Property::honest_result);
}

/// foreign_release and foreign_extend: what an executed request did to leases of others.
void Judges::judge_leases(const Id* state, const std::vector<LeaseChange>& leases,
                          Facts& facts) const {
  for (const auto& change : leases) {
    if (!holds(state, change.maker, change.lock)) continue;
    facts.violated |= only(change.kind == LeaseChange::Kind::taken ? Property::foreign_release
                                                                   : Property::foreign_extend);
  }
}

bool Judges::judge_waits(const Id* state, Facts& facts) const {
  for (unsigned p = 0; p < setting_.processes; ++p)
    if (processes_.info(state[p]).overdue) facts.violated |= only(Property::waits);
  return (facts.violated & only(Property::waits)) != 0;
}

bool Judges::is_wakeup_lost(const Id* state) const {
  LockSet unasleep = 0;
  bool given_back = false;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    if (info.stirs) return false;
    given_back = given_back || !info.value.returns.empty();
    unasleep |= info.unasleep;
  }
  if (!given_back) return false;
  unasleep = setting_.same_keys(unasleep);
  for (unsigned p = 0; p < setting_.processes; ++p)
    for (const Return& given : processes_.info(state[p]).value.returns)
      if (!has(unasleep, given.lock) && is_free(state, given.lock, given.by, Down::is_not_free))
        return true;
  return false;
}

bool Judges::is_free(const Id* state, std::uint8_t lock, std::uint8_t by, Down down) const {
  const LockSet same = setting_.with_key[lock];
  Makers own = only_maker(maker_of(by)), waiting = own;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    if ((info.held & same) != 0) return false;
    if ((info.acquires & same) != 0) waiting |= only_maker(maker_of(static_cast<std::uint8_t>(p)));
  }
  NodeSet free = 0, taken = 0;  // groups
  for (std::uint8_t n = 0; n < setting_.nodes; ++n) {
    const Node& node = nodes_.info(state[setting_.node_slot(n)]).value;
    if (!node.is_master() || (!node.up && down == Down::is_not_free)) continue;
    const auto& [in_strings, elsewhere] = tables_.keyspace(node.keyspace).marks[lock];
    const bool others = node.up && ((in_strings & ~own) != 0 || (elsewhere & ~waiting) != 0);
    (others ? taken : free) |= only<NodeSet>(setting_.servers.group_of(n));
  }
  if (setting_.servers.spare > 0 && taken != 0) return false;
  return setting_.enough(static_cast<NodeSet>(free & ~taken));
}

void Judges::witness_expiry(const Id* state, const std::vector<LeaseChange>& expired,
                            Facts& facts) const {
  for (const auto& change : expired)
    if (holds(state, change.maker, change.lock))
      facts.witnessed |= only(Witness::expired_while_held);
}

/// deadlock (by the probe) and leak, where everything has come to rest.
void Judges::judge_at_rest(const Id* state, std::uint8_t rest, Facts& facts, bool probes) {
  bool leaky = false;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& node = nodes_.info(state[setting_.node_slot(n)]);
    if (!node.settled) return;
    leaky = leaky || node.leaky;
  }
  const bool over = (rest & kFinished) != 0 && (rest & kAlone) != 0;
  if (over && leaky) facts.violated |= only(Property::leak);
  if (!probes || !setting_.model.properties.contains(Property::deadlock)) return;
  if (!can_ever_acquire(state)) facts.violated |= only(Property::deadlock);
}

bool Judges::can_ever_acquire(const Id* state) const {
  Found found;
  for (unsigned p = 0; p < setting_.processes; ++p)
    if ((processes_.rest(state[p]) & kGone) == 0) found.background.push_back(state[p]);
  found.nodes.assign(state + setting_.node_slot(0), state + setting_.run_slot());
  found.run = state[setting_.run_slot()];
  return prober_.can_acquire(std::move(found));
}

}  // namespace lockstep::sim
