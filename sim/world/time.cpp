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
      if (action.kind != Action::Kind::execute || !action.urgent) continue;
      if (!reachable(state, action.node)) continue;
      const bool polled = std::any_of(before.begin(), before.end(), [&](const LocalAction& was) {
        return was.repeats && was.index == action.index && polls(began, p, was);
      });
      if (!polled) return true;
    }
  }
  return false;
}

/// What the run may still have, if a free action is possible here; no free actions if none is. Only
/// then the points of the grid that are no deadlines count: everything else happens at once, or
/// when something is due.
ToCome World::to_come(const Id* state) {
  const RunInfo& run = run_of(state);
  bool possible = false;
  ToCome to_come{run.free_actions, 0, 0};
  unsigned starts = 0;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    possible = possible || info.free || (info.timed_faults & run.left) != 0;
    to_come.free_actions += info.free_actions;
    to_come.ways += info.ways;
    starts += info.starts;
    to_come.works = grid_.both_works(to_come.works, info.works);
  }
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& info = nodes_.info(state[setting_.node_slot(n)]);
    possible = possible || info.free || (info.timed_faults & run.left) != 0;
    to_come.free_actions += info.free ? 1 : 0;
  }
  if (!possible) return {};
  // Where every message has an instant of its own, only what begins to last leads from one to
  // another: it still is at one (an edge into its beginning), and is not any more at another one.
  if (setting_.latency_ms > 0) to_come.free_actions = run.free_actions + 2 * starts;
  return to_come;
}

/// How far ahead the next point of the grid lies, in ms; 0 if there is none.
std::int64_t World::next_point(const Id* state) {
  std::int64_t next = run_of(state).ahead.horizon_ms;
  const auto consider = [&](std::int64_t point) {
    if (next == 0 || point < next) next = point;
  };
  const auto for_each_part = [&](const auto& look_at) {
    for (unsigned p = 0; p < setting_.processes; ++p) look_at(processes_.info(state[p]).ahead);
    for (unsigned n = 0; n < setting_.nodes; ++n)
      look_at(nodes_.info(state[setting_.node_slot(n)]).ahead);
    look_at(run_of(state).ahead);
  };
  for_each_part([&](const Ahead& ahead) {
    if (!ahead.deadlines.empty()) consider(ahead.deadlines.front());
  });
  const ToCome ahead_of_it = next == 0 ? ToCome{} : to_come(state);
  if (ahead_of_it == ToCome{}) return next;
  for_each_part([&](const Ahead& ahead) {
    for (const std::int64_t deadline : ahead.deadlines)
      consider(grid_.first_point(deadline, ahead_of_it));
  });
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

std::string World::time_gap() const {
  if (sampled()) return "its durations have too little in common";
  if (setting_.unexplained_turns) return "something turns at a time whose origin was not found";
  if (setting_.splits_work) return "a pause stops work while another thread goes on";
  return "";
}

}  // namespace lockstep::sim
