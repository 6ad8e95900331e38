// Time in the interned world: the next point of the grid, and ageing.
#include <algorithm>
#include <array>

#include "sim/world/expand.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

/// How far ahead the next point of the grid lies, in ms; 0 if there is none. Points that are no
/// deadlines count only if a free action is possible: everything else happens at once, or when
/// something is due. Who asks again and again does so where the pass begins: it comes to each later
/// point by hearing the same at those before, so that only the first one is its own.
std::int64_t World::next_point(const Id* state) {
  const RunInfo& run = run_of(state);
  bool free = false, blocked = false;
  const unsigned pauses = run.value.budget[static_cast<std::size_t>(Fault::pause)];
  const bool splits = setting_.knowledge.splits_work && pauses > 0;
  // The work that it stops ends at an instant of its own.
  unsigned free_actions = run.free_actions + (splits ? 1 : 0);
  std::array<Id, kMaxProcesses> to_come;
  std::array<const Ahead*, kMaxWidth> parts;
  std::size_t count = 0;
  const auto consider = [&](const Ahead& ahead) {
    if (!ahead.deadlines.empty()) parts[count++] = &ahead;
  };
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    consider(info.ahead);
    free = free || info.free || (info.timed_faults & run.left) != 0;
    blocked = blocked || info.blocked;
    to_come[p] = splits ? info.split_number : info.to_come_number;
  }
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& info = nodes_.info(state[setting_.node_slot(n)]);
    consider(info.ahead);
    free = free || info.free_actions > 0 || (info.timed_faults & run.left) != 0;
    free = free ||
           (blocked && (info.free_while_blocked > 0 || (info.timed_while_blocked & run.left) != 0));
    if (setting_.latency_ms == 0)  // else see list_actions()
      free_actions += info.free_actions + info.free_while_blocked;
  }
  if (free) consider(run.ahead);  // by itself nothing turns there
  std::int64_t next = run.ahead.horizon_ms;
  if (count == 0) return next;
  const Id all =
      free ? grid_.all({to_come.data(), setting_.processes}, free_actions, run.timeouts, pauses)
           : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t point = grid_.first_point(*parts[i], all);
    if (next == 0 || point < next) next = point;
  }
  for (unsigned p = 0; splits && p < setting_.processes; ++p)
    if (const std::int64_t work_ms = processes_.info(state[p]).split_ms; work_ms > 0)
      next = grid_.first_pause({parts.data(), count}, work_ms, all, next);
  return next;
}

/// Lets time pass; true if the tokens that the world mentions may have changed.
bool World::advance(Id* state, std::int64_t ms, Facts& facts) {
  if (ms > kFarthestMs * kFarBeyond) setting_.passes_years = true;
  bool tokens_changed = false;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    Id& id = state[setting_.node_slot(n)];
    const Nodes::Aged aged = nodes_.aged(id, ms);
    tokens_changed = tokens_changed || aged.tokens_changed;
    if (aged.leases_expired)
      judges_.witness_expiry(state, nodes_.aged_keyspace(id, ms).expired, facts);
    id = aged.id;
    for (unsigned p = 0; aged.unlisted != 0 && p < setting_.processes; ++p)
      state[p] = processes_.unlisted(state[p], static_cast<std::uint8_t>(n), aged.unlisted);
  }
  for (unsigned p = 0; p < setting_.processes; ++p) state[p] = processes_.aged(state[p], ms);
  state[setting_.run_slot()] = runs_.aged(state[setting_.run_slot()], ms);
  return replicate(state, state, Action::Kind::pass) || tokens_changed;
}

bool World::looks_at_time() const {
  const Knowledge& known = setting_.needs;
  return known.clocks || known.absolute || !known.lefts.empty();
}

std::string World::time_gap() const {
  const Knowledge& known = setting_.needs;
  if (setting_.clock_goes_on)
    return "a script or transaction looks at a clock more than once, which in Redis 7.0 goes on "
           "meanwhile";
  if (setting_.turns_within_ms) return "something turns by the microseconds that TIME tells";
  if (setting_.whole_micros && setting_.each_micro)
    return "the microseconds that TIME tells are rounded in one place and not in another";
  if (setting_.missed_turns) return "something turns with a clock more often than was found out";
  if (setting_.passes_years && looks_at_time())
    return "time passes by more than ten years, and a client or script looks at a clock";
  if (setting_.countless) return "messages take time, and a client sends more than are counted";
  if (setting_.sampled)
    return "there are too many: its durations have too little in common, or too much may happen at "
           "any time";
  if (setting_.scaled_clocks)
    return "what is sent or waited for is worked out from a clock, and is no sum with it";
  if (setting_.durations_as_data) return "a duration that is worked out from a clock becomes data";
  if (setting_.unexplained_turns) return "something turns at a time whose origin was not found";
  if (setting_.fences_by_time) return "a fencing token is made of what a clock shows";
  if (setting_.judges_numbers && setting_.keeps_times)
    return "an invariant looks at a number that comes from a clock";
  if (setting_.drifts && setting_.knowledge.absolute)
    return "clocks drift, and something looks at the absolute time";
  if (setting_.budget(Fault::freeze) > 0 && setting_.knowledge.absolute)
    return "a clock stands still, and something looks at the absolute time";
  if (setting_.waits_add_up)
    return "clocks drift, and parts of a ms add up over several waits of a client";
  if (setting_.waits_by_clock)
    return "a request waits at its node for a time, by a clock that may drift";
  if (setting_.shows_ended &&
      (setting_.asks_replicas || setting_.judges_keys || setting_.budget(Fault::failover) > 0))
    return "a replica whose clock is behind may still show what has ended at its master";
  if (setting_.forgets_gone)
    return "a master notices in a minute who has gone, between the instants that were tried";
  if (setting_.mixes_drifting)
    return "clocks drift, and what one shows is put together with something else";
  if (setting_.splits_anyhow ||
      (known.splits_work && (setting_.loose_tasks || known.blocks || processes_.any_watching() ||
                             !setting_.computed.empty())))
    return "a pause stops work while another thread goes on";
  return "";
}

}  // namespace lockstep::sim
