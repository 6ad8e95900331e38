// Where a naive world has come to rest, and what is judged there: section 5 of docs/semantics.md.
#include <algorithm>

#include "checker/naive/belongings.hpp"
#include "checker/naive/rules.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Entry;
using sim::Property;
using sim::Wait;

/// Whether all servers are up, and nobody has to hear any more which ones are the masters.
bool Rules::servers_settled(const World& world) const {
  if (migrates(world)) return false;
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n)
    if (!world.nodes[n].up || world.nodes[n].loading || world.nodes[n].full ||
        world.nodes[n].lags || world.nodes[n].syncing || !is_in_line(world, n) ||
        !world.nodes[n].keyspace.unnoticed.empty())
      return false;
  if (servers_.replicas == 0) return true;
  return std::ranges::none_of(world.processes, [&](const Process& process) {
    const bool spawned_lives = std::ranges::any_of(
        process.waits, [&](const Wait& wait) { return wait.task >= process.rounds_begun.size(); });
    return spawned_lives && process.knows != world.newest;
  });
}

/// Nothing is on its way that a main task waits for. What nobody hears may wait at its node without
/// an end, with others behind it; that of a spawned task for a key.
bool Rules::stands(const Process& process, const Connection& connection) {
  std::size_t first_without_end = connection.messages.size();
  for (std::size_t i = connection.messages.size(); i-- > 0;)
    if (connection.messages[i].blocked && !connection.messages[i].blocked_left_ms)
      first_without_end = i;
  for (std::size_t i = 0; i < connection.messages.size(); ++i) {
    const Message& message = connection.messages[i];
    const bool of_spawned = message.sender >= process.rounds_begun.size();
    if (connection.open && !message.unheard && !of_spawned) return false;
    const bool for_key = connection.open && of_spawned && message.in_queue > 0;
    if (i < first_without_end && !for_key) return false;
  }
  return true;
}

bool Rules::rests(const World& world, std::size_t p) const {
  const Process& process = world.processes[p];
  const bool locks = sim::ever_locks(model_.processes[p]);  // else it may still give something
  return process.life != Life::paused && process.holdings.empty() && process.unreached.empty() &&
         process.unheard.empty() &&
         std::ranges::all_of(process.connections,
                             [&](const Connection& c) { return stands(process, c); }) &&
         std::ranges::all_of(process.waits, [&](const Wait& wait) {
           const bool spawned = wait.task >= process.rounds_begun.size();
           return spawned || wait.kind == Wait::Kind::done ||
                  (locks && wait.kind == Wait::Kind::idle);
         });
}

bool Rules::quiet(const World& world) const {
  if (!servers_settled(world)) return false;
  for (std::size_t p = 0; p < world.processes.size(); ++p)
    if (!rests(world, p)) return false;
  return true;
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
      for (const int database : databases_of(node.keyspace)) {
        const Entry* entry = node.keyspace.find(database, key);
        if (node.up && !node.follows && entry && !entry->expires && !permanent_keys_.contains(key))
          return key;
      }
    }
  }
  return std::nullopt;
}

bool Rules::has_ended(const World& world) {
  const std::vector<Action> actions = enabled(world);
  return !time_may_pass(world) && std::ranges::all_of(actions, [](const Action& action) {
    return sim::is_fault(action.kind);
  });
}

bool Rules::hangs_in_release(const World& world) {
  const auto releases = [](const Process& process) {
    return std::ranges::any_of(process.waits,
                               [](const Wait& w) { return w.in_operation && !w.in_acquire; });
  };
  const auto holds = [](const Process& process) { return !process.holdings.empty(); };
  return undisturbed(world) && std::ranges::none_of(world.processes, holds) &&
         std::ranges::any_of(world.processes, releases) && has_ended(world) &&
         std::ranges::any_of(locks_, [&](const auto& lock_and_like) {
           return probe(world, lock_and_like.first) == Probe::fails;
         });
}

/// Deadlock and leak, which are judged where an action leaves the world quiet.
void Rules::judge_rest(const World& world, const Action& action, Facts& facts) {
  if (facts.violation && facts.violation->property < Property::deadlock) return;
  if (!quiet(world)) return;
  if (model_.properties.contains(Property::deadlock) && !facts.ended_nothing) {
    for (const auto& [lock, like] : locks_) {
      const Probe result = probe(world, lock);
      if (result == Probe::fails)
        violated(facts, {Property::deadlock, action.process, like, lock.key, lock.shared});
      if (result == Probe::endless) facts.probe_endless = true;
    }
  }
  if (!nothing_to_come(world) || only_spawned_go_on(world)) return;
  if (const std::optional<std::string> key = lasting_lease_key(world)) {
    violated(facts, {Property::leak, action.process, action.process, *key});
  }
}

}  // namespace lockstep::checker::naive
