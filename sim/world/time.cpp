// Time in the interned world: what is urgent, the time grid, and ageing.
#include <algorithm>
#include <cstdlib>

#include "sim/world/world.hpp"

namespace lockstep::sim {

/// Whether something has to happen before time passes (on). Time alone leaves connections where
/// they are, so that a message that polled when the pass began is found again in its place.
bool World::urgent(const Id* state, const Id* began) const {
  for (unsigned p = 0; p < processes_; ++p) {
    const ProcessInfo& info = process_infos_[state[p]];
    if (info.urgent) return true;
    const std::vector<LocalAction>& before = process_infos_[began[p]].actions;
    for (const auto& action : info.actions) {
      if (action.kind != Action::Kind::execute) continue;
      const bool polled = std::any_of(before.begin(), before.end(), [&](const LocalAction& was) {
        return was.polling && was.index == action.index;
      });
      if (polled) continue;
      if (action.node == kResource || node_infos_[state[processes_ + action.node]].value.up)
        return true;
    }
  }
  return false;
}

/// Whether the points of the grid that are no deadlines count: a free action, or a fault within
/// budget, is possible.
bool World::all_points_count(const Id* state) const {
  const std::uint8_t left = run_infos_[state[processes_ + nodes_]].left;
  const auto can = [&](Fault fault) { return (left >> static_cast<unsigned>(fault) & 1) != 0; };
  if (can(Fault::node_crash) || can(Fault::power_loss))
    return true;  // a save is possible only then, too
  for (unsigned p = 0; p < processes_; ++p)
    if (process_infos_[state[p]].free || (process_infos_[state[p]].faults & left) != 0) return true;
  for (unsigned n = 0; n < nodes_; ++n) {
    const NodeInfo& info = node_infos_[state[processes_ + n]];
    if (!info.value.up || (info.has_expiry && can(Fault::jump))) return true;
  }
  return false;
}

/// How far ahead the next point of the grid lies, in ms; 0 if there is none.
std::int64_t World::next_point(const Id* state) const {
  const bool all = all_points_count(state);
  std::int64_t next = 0;
  const auto consider = [&](const std::vector<std::int64_t>& points) {
    if (!points.empty() && (next == 0 || points.front() < next)) next = points.front();
  };
  for (unsigned p = 0; p < processes_; ++p) {
    const ProcessInfo& info = process_infos_[state[p]];
    consider(all ? info.points : info.deadlines);
  }
  for (unsigned n = 0; n < nodes_; ++n) {
    const NodeInfo& info = node_infos_[state[processes_ + n]];
    consider(all ? info.points : info.deadlines);
  }
  const RunInfo& run = run_infos_[state[processes_ + nodes_]];
  consider(all ? run.points : run.deadlines);
  return next;
}

/// Lets time pass; true if the tokens that the world mentions may have changed.
bool World::advance(Id* state, std::int64_t ms, Facts& facts) {
  bool tokens_changed = false;
  for (unsigned n = 0; n < nodes_; ++n) {
    Id& id = state[processes_ + n];
    const Id before = id;
    id = aged_node(id, ms);
    tokens_changed = tokens_changed || node_infos_[before].tokens != node_infos_[id].tokens;
    if (!node_infos_[before].value.up) continue;
    for (const auto& change : aged_keyspace(node_infos_[before].value.keyspace, ms).expired)
      if ((process_infos_[state[change.maker - 1]].held >> change.lock & 1) != 0)
        facts.witnessed |= bit(Witness::expired_while_held);
  }
  for (unsigned p = 0; p < processes_; ++p) state[p] = aged_process(state[p], ms);
  if (knowledge_.absolute) state[processes_ + nodes_] = aged_run(state[processes_ + nodes_], ms);
  return tokens_changed;
}

const World::Aged& World::aged_keyspace(Id id, std::int64_t ms) {
  const Id place = age_keyspace_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    aged_keyspaces_.push_back(age_keyspace(id, ms));
    return static_cast<Id>(aged_keyspaces_.size() - 1);
  });
  return aged_keyspaces_[place];
}

World::Aged World::age_keyspace(Id id, std::int64_t ms) {
  const Keyspace& before = keyspaces_[id].value;
  Keyspace after = before;
  after.shift_expiry({-ms});
  after.purge(kEpoch);
  Aged aged;
  for (const auto& [name, lock] : leases_) {
    const auto entry = before.keys.find(name);
    if (entry != before.keys.end() && entry->second.maker != 0 &&
        entry->second.maker <= processes_ && !after.keys.contains(name))
      aged.expired.push_back({ChangeKind::taken, lock, entry->second.maker});
  }
  aged.id = intern(after);
  return aged;
}

Id World::aged_node(Id id, std::int64_t ms) {
  return age_node_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Node node = node_infos_[id].value;
    node.keyspace = aged_keyspace(node.keyspace, ms).id;
    for (auto& image : node.images) {
      image.keyspace = aged_keyspace(image.keyspace, ms).id;
      if (model_.persistence == Persistence::aof_everysec) image.age_ms += ms;
    }
    if (model_.persistence == Persistence::aof_everysec)
      std::erase_if(node.images, [](const Image& image) { return image.age_ms > 1000; });
    return intern(node);
  });
}

Id World::jumped_node(Id id, std::int64_t ms) {
  return jump_node_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Node node = node_infos_[id].value;
    node.keyspace = aged_keyspace(node.keyspace, ms).id;
    for (auto& image : node.images) image.keyspace = aged_keyspace(image.keyspace, ms).id;
    if (knowledge_.absolute) node.clock_offset_ms += ms;
    return intern(node);
  });
}

Id World::aged_process(Id id, std::int64_t ms) {
  return age_process_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Process process = process_infos_[id].value;
    for (auto& timer : process.timers) {
      bool stands_still = false;
      if (process.life == Life::paused)
        for (const auto& wait : automaton_.state(process.program).tasks)
          stands_still = stands_still || (wait.task == timer.task && wait.kind == Wait::Kind::work);
      if (!stands_still) timer.left_ms = std::max<std::int64_t>(0, timer.left_ms - ms);
    }
    if (process.life == Life::paused)
      process.pause_left_ms = std::max<std::int64_t>(0, process.pause_left_ms - ms);
    for (auto& instant : process.instants) instant.age_ms += ms;
    for (auto& operation : process.operations) operation.answered.clear();
    process.drop_empty_operations();
    return intern(process);
  });
}

/// The longest time after a look in which a timestamp may matter that came of it.
std::int64_t World::reach_ms() const {
  std::int64_t largest = 0;
  for (const std::int64_t jump : model_.jumps_ms) largest = std::max(largest, std::abs(jump));
  return patience_ms() + rounded(largest) * model_.budget[static_cast<std::size_t>(Fault::jump)];
}

Id World::looked(Id id) {
  RunInfo& info = run_infos_[id];
  if (!knowledge_.absolute) return id;  // the search starts again
  if (info.looked != FlatMap::kAbsent) return info.looked;
  Run run = info.value;
  run.outlook_ms = reach_ms();
  return info.looked = intern(run);
}

Id World::aged_run(Id id, std::int64_t ms) {
  return age_run_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Run run = run_infos_[id].value;
    run.now_ms += ms;
    run.outlook_ms = std::max<std::int64_t>(0, run.outlook_ms - ms);
    return intern(run);
  });
}

}  // namespace lockstep::sim
