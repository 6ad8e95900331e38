// Time in the interned world: what is urgent, the next point of the grid, and ageing.
#include <algorithm>

#include "sim/world/world.hpp"

namespace lockstep::sim {

/// Whether something has to happen before time passes (on). Time alone leaves connections where
/// they are, so that a message that polled when the pass began is found again in its place.
bool World::urgent(const Id* state, const Id* began) {
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    if (info.urgent) return true;
    const std::vector<LocalAction>& before = processes_.info(began[p]).actions;
    for (const auto& action : info.actions) {
      if (action.kind != Action::Kind::execute || !reachable(state, action.node)) continue;
      const bool polled = std::any_of(before.begin(), before.end(), [&](const LocalAction& was) {
        return was.repeats && was.index == action.index && polls(began, p, was);
      });
      if (!polled) return true;
    }
  }
  return false;
}

/// Whether the points of the grid that are no deadlines count: a free action, or a fault within
/// budget, is possible.
bool World::all_points_count(const Id* state) const {
  const FaultSet left = run_of(state).left;
  // A save is possible only then, too.
  if ((left & (only(Fault::node_crash) | only(Fault::power_loss))) != 0) return true;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    if (info.free || (info.faults & left) != 0) return true;
  }
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& info = nodes_.info(state[setting_.node_slot(n)]);
    if (!info.value.up || (info.has_expiry && (left & only(Fault::jump)) != 0)) return true;
  }
  return false;
}

/// How far ahead the next point of the grid lies, in ms; 0 if there is none.
std::int64_t World::next_point(const Id* state) const {
  const bool all = all_points_count(state);
  std::int64_t next = 0;
  const auto consider = [&](const Ahead& ahead) {
    const std::vector<std::int64_t>& points = all ? ahead.points : ahead.deadlines;
    if (!points.empty() && (next == 0 || points.front() < next)) next = points.front();
  };
  for (unsigned p = 0; p < setting_.processes; ++p) consider(processes_.info(state[p]).ahead);
  for (unsigned n = 0; n < setting_.nodes; ++n)
    consider(nodes_.info(state[setting_.node_slot(n)]).ahead);
  consider(run_of(state).ahead);
  return next;
}

/// Lets time pass; true if the tokens that the world mentions may have changed.
bool World::advance(Id* state, std::int64_t ms, Facts& facts) {
  bool tokens_changed = false;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    Id& id = state[setting_.node_slot(n)];
    const NodeInfo& before = nodes_.info(id);
    id = nodes_.aged(id, ms);
    tokens_changed = tokens_changed || before.tokens.tokens != nodes_.info(id).tokens.tokens;
    if (before.value.up)
      judges_.witness_expiry(state, tables_.aged(before.value.keyspace, ms).expired, facts);
  }
  for (unsigned p = 0; p < setting_.processes; ++p) state[p] = processes_.aged(state[p], ms);
  state[setting_.run_slot()] = runs_.aged(state[setting_.run_slot()], ms);
  return tokens_changed;
}

}  // namespace lockstep::sim
