// Time in the interned world: what is urgent, the next point of the grid, and ageing.
#include <algorithm>
#include <array>

#include "sim/world/expand.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

/// Whether something has to happen before time passes (on): `began` is where it began to pass, and
/// nothing had to happen there. Time alone leaves connections where they are, so that what was
/// asked again when the pass began is found again in its place.
bool World::urgent(const Id* state, const Id* began) {
  for (unsigned p = 0; p < setting_.processes; ++p) {
    if (state != began && state[p] == began[p]) continue;  // as little urgent as it was then
    const ProcessInfo& info = processes_.info(state[p]);
    if (info.urgent) return true;
    const ProcessInfo& before = processes_.info(began[p]);
    if (before.asks_again && hears_otherwise(state, began, p)) return true;
    if (!info.executes) continue;
    for (const auto& action : info.actions) {
      if (action.kind != Action::Kind::execute || !action.urgent) continue;
      if (!reachable(state, action.node)) continue;
      const auto polled = [&](const LocalAction& was) {
        return was.kind == Action::Kind::execute && was.index == action.index &&
               waits_for_time(began, p, was);
      };
      if (std::ranges::none_of(before.actions, polled)) return true;
    }
  }
  return false;
}

/// Whether time may pass before it, because its task has been answered so before at this instant.
bool World::waits_for_time(const Id* state, unsigned process, const LocalAction& action) {
  if (!action.repeats) return false;  // it may be the resource's, which is no node
  return processes_.waits_for_time(
      state[process], action, nodes_.info(state[setting_.node_slot(action.node)]).value.keyspace);
}

/// Whether all that waits for time was asked in a loop: whoever hears the same again asks again.
/// Then each point is also reached by hearing it at the points before, and a pass need not know
/// more of them than its first, and the deadlines.
bool World::asked_in_loops(const Id* state) {
  if (!setting_.needs.polls) return true;  // nothing does
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    if (!info.asks_again) continue;
    for (unsigned a = 0; a < info.actions.size(); ++a)
      if (waits_for_time(state, p, info.actions[a]) && !is_loop(state, p, a)) return false;
  }
  return true;
}

/// Whether hearing the same again leads a client to where it is now.
bool World::is_loop(const Id* state, unsigned process, unsigned a) {
  const ProcessInfo& info = processes_.info(state[process]);
  Buffer next;
  copy_state(state, next);
  const auto follow_only = [&](unsigned at, const LocalAction& action) {
    const auto steps = results(next.data(), process, at, action);
    if (steps.size() != 1) return false;
    const Changes changes = steps.front().changes;
    changes.apply_to(next.data(), process);
    return true;
  };
  if (!follow_only(a, info.actions[a])) return false;
  if (info.actions[a].kind == Action::Kind::execute) {
    const auto& actions = processes_.info(next[process]).actions;
    const auto heard = std::ranges::find_if(actions, [&](const LocalAction& action) {
      return action.kind == Action::Kind::deliver && action.index == info.actions[a].index;
    });
    if (heard == actions.end()) return false;
    if (!follow_only(static_cast<unsigned>(heard - actions.begin()), *heard)) return false;
  }
  return processes_.info(next[process]).value.program == info.value.program;
}

/// Whether the process, which asked again and again when the pass began, would hear something else
/// by now: a key of the node is gone, or one of its clock readings has come to an age that turns
/// something.
bool World::hears_otherwise(const Id* state, const Id* began, unsigned process) {
  const ProcessInfo& before = processes_.info(began[process]);
  const Process& now = processes_.info(state[process]).value;
  const auto keys = [&](const Id* then, std::uint8_t node) {
    const Id keyspace = nodes_.info(then[setting_.node_slot(node)]).value.keyspace;
    return tables_.keyspace(keyspace).keys;
  };
  const Rate& rate = setting_.rate_of(now.index);
  const auto has_turned = [&](std::int64_t threshold) {
    for (std::size_t i = 0; i < now.instants.size(); ++i)
      if (rate.true_ms(threshold, before.value.instants[i].age) > 0 &&
          rate.true_ms(threshold, now.instants[i].age) <= 0)
        return true;
    return false;
  };
  return std::ranges::any_of(before.actions, [&](const LocalAction& action) {
    if (!waits_for_time(began, process, action)) return false;
    const std::uint8_t node = before.value.connections[action.index].node;
    return keys(state, node) != keys(began, node) ||
           std::ranges::any_of(setting_.knowledge.ages, has_turned);
  });
}

/// At the end of a pass: who asked again and again when it began has asked just now.
void World::end_pass(const Id* began, Id* next) {
  if (!setting_.needs.polls) return;  // nobody ever did
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& before = processes_.info(began[p]);
    if (!before.asks_again) continue;
    std::vector<TaskId> tasks;
    for (const auto& action : before.actions) {
      if (!waits_for_time(began, p, action)) continue;
      const Connection& connection = before.value.connections[action.index];
      tasks.push_back(connection.messages.back().task);
    }
    next[p] = processes_.asked_again(next[p], began[p], tasks);
  }
}

/// How far ahead the next point of the grid lies, in ms; 0 if there is none. Points that are no
/// deadlines count only if a free action is possible: everything else happens at once, or when
/// something is due. What is possible, and still to come, is so at `began`: that a task asks again
/// is forgotten as soon as time has passed.
std::int64_t World::next_point(const Id* state, const Id* began) {
  const RunInfo& run = run_of(state);
  bool free = false;
  unsigned free_actions = run.free_actions;
  std::array<Id, kMaxProcesses> to_come;
  std::array<const Ahead*, kMaxWidth> parts;
  std::size_t count = 0;
  const auto consider = [&](const Ahead& ahead) {
    if (!ahead.deadlines.empty()) parts[count++] = &ahead;
  };
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(began[p]);
    consider(processes_.info(state[p]).ahead);
    free = free || info.free || (info.timed_faults & run.left) != 0;
    to_come[p] = info.to_come_number;
  }
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const NodeInfo& info = nodes_.info(state[setting_.node_slot(n)]);
    consider(info.ahead);
    free = free || info.free || (info.timed_faults & run.left) != 0;
    if (info.free && setting_.latency_ms == 0) ++free_actions;  // else see list_actions()
  }
  consider(run.ahead);
  std::int64_t next = run.ahead.horizon_ms;
  if (count == 0) return next;
  const Id all = free ? grid_.all({to_come.data(), setting_.processes}, free_actions) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t point = grid_.first_point(*parts[i], all);
    if (next == 0 || point < next) next = point;
  }
  return next;
}

/// Lets time pass; true if the tokens that the world mentions may have changed.
bool World::advance(Id* state, std::int64_t ms, Facts& facts) {
  bool tokens_changed = false;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    Id& id = state[setting_.node_slot(n)];
    const Nodes::Aged aged = nodes_.aged(id, ms);
    tokens_changed = tokens_changed || aged.tokens_changed;
    if (aged.leases_expired)
      judges_.witness_expiry(state, nodes_.aged_keyspace(id, ms).expired, facts);
    id = aged.id;
  }
  for (unsigned p = 0; p < setting_.processes; ++p) state[p] = processes_.aged(state[p], ms);
  state[setting_.run_slot()] = runs_.aged(state[setting_.run_slot()], ms);
  return tokens_changed;
}

std::string World::time_gap() const {
  if (setting_.fails_within_ms) return "a request fails by the microseconds that TIME tells";
  if (setting_.missed_turns) return "something turns with a clock more often than was found out";
  if (setting_.countless) return "messages take time, and a client sends more than are counted";
  if (setting_.sampled) return "its durations have too little in common";
  if (setting_.scaled_clocks)
    return "what is sent or waited for is worked out from a clock, and is no sum with it";
  if (setting_.durations_as_data) return "a duration that is worked out from a clock becomes data";
  if (setting_.unexplained_turns) return "something turns at a time whose origin was not found";
  if (setting_.fences_by_time) return "a fencing token is made of what a clock shows";
  if (setting_.judges_numbers && setting_.keeps_times)
    return "an invariant looks at a number that comes from a clock";
  if (setting_.drifts && setting_.knowledge.absolute)
    return "clocks drift, and something looks at the absolute time";
  if (setting_.mixes_drifting)
    return "clocks drift, and what one shows is put together with something else";
  if (setting_.splits_work) return "a pause stops work while another thread goes on";
  return "";
}

}  // namespace lockstep::sim
