// When a property is violated in a naive world: section 5 of docs/semantics.md.
#include <algorithm>

#include "checker/naive/world.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Effect;
using sim::Entry;
using sim::Keyspace;
using sim::Maker;
using sim::maker_of;
using sim::Property;
using sim::Wait;

namespace {

const Entry* entry_of(const Keyspace& keyspace, const std::string& key) {
  const auto found = keyspace.keys.find(key);
  return found == keyspace.keys.end() ? nullptr : &found->second;
}

/// Whether a task is inside acquire() or release(), also an inner one.
bool operating(const Process& process, sim::TaskId task) {
  return std::any_of(process.waits.begin(), process.waits.end(),
                     [&](const Wait& wait) { return wait.task == task && wait.in_operation; });
}

/// Whether `a` expires before `b`; no expiry is later than any.
bool sooner(const std::optional<sim::WallTime>& a, const std::optional<sim::WallTime>& b) {
  if (!a) return false;
  return !b || *a < *b;
}

}  // namespace

/// Only a property that is asked for counts; of several violated ones the first in the table, and
/// of several violations of that one the first.
void Rules::violated(Facts& facts, Violation violation) const {
  if (!model_.properties.contains(violation.property)) return;
  if (facts.violation && facts.violation->property <= violation.property) return;
  facts.violation = std::move(violation);
}

bool Rules::holds_lease(const World& world, std::uint8_t p, const std::string& lease_key) const {
  if (p >= world.processes.size()) return false;
  for (const auto& [holding, fencing] : world.processes[p].holdings) {
    const std::string& lock = model_.processes[p].lock_keys[holding.second];
    const std::vector<std::string> keys = model_.program->lease_keys(lock);
    if (std::find(keys.begin(), keys.end(), lease_key) != keys.end()) return true;
  }
  return false;
}

/// A lease key of this lock that this process made, on a node that is up.
std::optional<std::string> Rules::own_lease_key(const World& world, std::uint8_t p,
                                                std::uint8_t lock) const {
  for (const Node& node : world.nodes) {
    for (const std::string& key : model_.program->lease_keys(model_.processes[p].lock_keys[lock])) {
      const Entry* entry = entry_of(node.keyspace, key);
      if (node.up && entry && entry->maker == maker_of(p)) return key;
    }
  }
  return std::nullopt;
}

/// Whether another task of the process holds the lock, or is inside acquire() of it.
bool Rules::wanted_by_another_task(const World& world, std::uint8_t p, sim::TaskId task,
                                   std::uint8_t lock) const {
  const Process& process = world.processes[p];
  return std::any_of(process.holdings.begin(), process.holdings.end(),
                     [&](const auto& held) {
                       return held.first.first != task && held.first.second == lock;
                     }) ||
         std::any_of(process.waits.begin(), process.waits.end(), [&](const Wait& wait) {
           return wait.task != task && wait.in_operation && wait.lock == lock;
         });
}

void Rules::judge_acquired(const World& world, std::uint8_t p, const Effect& effect,
                           Facts& facts) const {
  const std::string& lock = model_.processes[p].lock_keys[effect.lock];
  for (std::size_t other = 0; other < world.processes.size(); ++other) {
    for (const auto& [holding, fencing] : world.processes[other].holdings) {
      if (other == p && holding.first == effect.task) continue;
      if (model_.processes[other].lock_keys[holding.second] != lock) continue;
      violated(facts, {Property::mutual_exclusion, p, static_cast<std::uint8_t>(other), lock});
    }
  }
}

void Rules::judge_refused(const World& world, std::uint8_t p, const Effect& effect,
                          Facts& facts) const {
  if (!world.processes[p].tasks.at(effect.task).made) return;
  const std::optional<std::string> key = own_lease_key(world, p, effect.lock);
  if (key) violated(facts, {Property::honest_result, p, p, *key});
}

void Rules::judge_released(const World& world, std::uint8_t p, const Effect& effect,
                           Facts& facts) const {
  const bool freed = world.processes[p].tasks.at(effect.task).freed;
  if (effect.ok == freed) return;
  if (freed && own_lease_key(world, p, effect.lock)) return;  // not all is removed yet
  violated(facts, {Property::honest_result, p, p, model_.processes[p].lock_keys[effect.lock]});
}

/// Who is inside the lock needs a key of its own; who has left it for the last time keeps none.
void Rules::judge_reentrancy(const World& world, std::uint8_t p, const Effect& effect,
                             Facts& facts) const {
  const std::optional<std::string> key = own_lease_key(world, p, effect.lock);
  const bool believed = effect.kind == Effect::Kind::reentered || effect.ok;
  const bool inside = effect.kind != Effect::Kind::released;
  if (!believed || inside == key.has_value()) return;
  if (!inside && (world.processes[p].tasks.at(effect.task).overtaken ||
                  wanted_by_another_task(world, p, effect.task, effect.lock)))
    return;
  violated(facts,
           {Property::reentrancy, p, p, key.value_or(model_.processes[p].lock_keys[effect.lock])});
}

void Rules::judge_execution(const World& world, std::uint8_t p, Maker sender,
                            const Keyspace& before, const Keyspace& after, Facts& facts) const {
  for (const std::string& key : lease_keys_) {
    const Entry* was = entry_of(before, key);
    if (!was || was->maker == 0 || was->maker == sender) continue;
    const auto owner = static_cast<std::uint8_t>(was->maker - 1);
    if (!holds_lease(world, owner, key)) continue;
    const Entry* is = entry_of(after, key);
    if (!is || is->maker != was->maker || sooner(is->expires, was->expires)) {
      violated(facts, {Property::foreign_release, p, owner, key});
    } else if (sooner(was->expires, is->expires)) {
      violated(facts, {Property::foreign_extend, p, owner, key});
    }
  }
}

/// Did the request make, or remove, a lease key of the process? It counts for the operation of its
/// own task; for every operation of the process if its task has none. To a release() of another
/// task, a lease key that an operation makes is the lock's next owner.
void Rules::note_made_and_freed(World& world, std::uint8_t p, const Connection& connection,
                                const Keyspace& before, const Keyspace& after) const {
  bool made = false, freed = false;
  for (const std::string& key : lease_keys_) {
    const Entry* was = entry_of(before, key);
    const Entry* is = entry_of(after, key);
    const bool was_own = was && was->maker == maker_of(p);
    const bool is_own = is && is->maker == maker_of(p);
    made = made || (is_own && !was_own);
    freed = freed || (was_own && !is);
  }
  Process& process = world.processes[p];
  const bool of_operation = operating(process, connection.task);
  for (const Wait& wait : process.waits) {
    TaskState& task = process.tasks.at(wait.task);
    if (of_operation && wait.task != connection.task) {
      if (made && task.releasing) task.overtaken = true;
      continue;
    }
    if (freed) task.made = false;
    if (made && wait.in_acquire) task.made = true;
    task.freed = task.freed || (freed && task.releasing);
  }
}

bool Rules::quiet(const World& world) const {
  const bool nodes_up =
      std::all_of(world.nodes.begin(), world.nodes.end(), [](const Node& node) { return node.up; });
  return nodes_up &&
         std::all_of(world.processes.begin(), world.processes.end(), [](const Process& process) {
           return process.life != Life::paused && process.holdings.empty() &&
                  std::all_of(process.connections.begin(), process.connections.end(),
                              [](const Connection& c) { return c.messages.empty(); }) &&
                  std::all_of(process.waits.begin(), process.waits.end(), [](const Wait& wait) {
                    return wait.kind == Wait::Kind::idle || wait.kind == Wait::Kind::done;
                  });
         });
}

/// Every main task has ended all its rounds or not begun the first, or its process is dead.
bool Rules::nothing_to_come(const World& world) const {
  return std::all_of(world.processes.begin(), world.processes.end(), [](const Process& process) {
    return std::all_of(process.waits.begin(), process.waits.end(), [&](const Wait& wait) {
      const bool main = wait.task < process.rounds_begun.size();
      return !main || wait.kind == Wait::Kind::done || process.rounds_begun[wait.task] == 0;
    });
  });
}

bool Rules::only_spawned_go_on(const World& world) const {
  return nothing_to_come(world) &&
         std::any_of(world.processes.begin(), world.processes.end(), [](const Process& process) {
           return std::any_of(process.waits.begin(), process.waits.end(), [&](const Wait& wait) {
             return wait.task >= process.rounds_begun.size();
           });
         });
}

std::optional<std::string> Rules::lasting_lease_key(const World& world) const {
  for (const Node& node : world.nodes) {
    for (const std::string& key : lease_keys_) {
      const Entry* entry = entry_of(node.keyspace, key);
      if (node.up && entry && !entry->expires && !permanent_keys_.contains(key)) return key;
    }
  }
  return std::nullopt;
}

/// Deadlock and leak, which are judged where an action leaves the world quiet.
void Rules::judge_rest(const World& world, const Action& action, Facts& facts) {
  if (facts.violation && facts.violation->property < Property::deadlock) return;
  if (!quiet(world)) return;
  if (model_.properties.contains(Property::deadlock)) {
    for (const std::string& lock : locks_) {
      const Probe result = probe(world, lock);
      if (result == Probe::fails)
        violated(facts, {Property::deadlock, action.process, action.process, lock});
      if (result == Probe::endless) facts.probe_endless = true;
    }
  }
  if (!nothing_to_come(world)) return;
  if (const std::optional<std::string> key = lasting_lease_key(world)) {
    violated(facts, {Property::leak, action.process, action.process, *key});
  }
}

}  // namespace lockstep::checker::naive
