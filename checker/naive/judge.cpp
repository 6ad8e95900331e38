// When a property is violated in a naive world: section 5 of docs/semantics.md.
#include <algorithm>

#include "checker/naive/belongings.hpp"
#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/model/invariants.hpp"
#include "sim/model/world_view.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Effect;
using sim::Entry;
using sim::Keyspace;
using sim::Maker;
using sim::maker_of;
using sim::Property;
using sim::Wait;

/// Only a property that is asked for counts; of several violated ones the first in the table, and
/// of several violations of that one the first.
void Rules::violated(Facts& facts, Violation violation) const {
  if (!model_.properties.contains(violation.property)) return;
  if (facts.violation && facts.violation->property <= violation.property) return;
  facts.violation = std::move(violation);
}

bool Rules::holds_lease(const World& world, std::uint8_t p, const std::string& lease_key,
                        Modes modes) const {
  if (p >= world.processes.size()) return false;
  for (const auto& [holding, held] : world.processes[p].holdings) {
    if (modes == Modes::exclusive && sim::is_shared(model_.processes[p], holding.second)) continue;
    const std::string& lock = model_.processes[p].lock_keys[holding.second];
    const std::vector<std::string> keys = model_.program->lease_keys(lock);
    if (std::find(keys.begin(), keys.end(), lease_key) != keys.end()) return true;
  }
  return false;
}

/// A lease key of this lock, on this node, of which `wanted(belongings, maker)` is so.
std::optional<std::string> Rules::lease_key_on(const Node& node, std::uint8_t p, std::uint8_t lock,
                                               const Wanted& wanted, LeaseKeys which) const {
  for (const std::string& key : model_.program->lease_keys(model_.processes[p].lock_keys[lock])) {
    const LeaseKeys kind =
        permanent_keys_.contains(key) ? LeaseKeys::permanent : LeaseKeys::passing;
    if (which != LeaseKeys::all && which != kind) continue;
    for (const int database : databases_of(node.keyspace))
      if (wanted(Belongings(node.keyspace.find(database, key)), maker_of(p))) return key;
  }
  return std::nullopt;
}

/// Such a key on enough nodes with a master that is up. A node with several has it on any of them,
/// or only if it is on all.
std::optional<std::string> Rules::lease_key_with(const World& world, std::uint8_t p,
                                                 std::uint8_t lock, const Wanted& wanted,
                                                 On masters, LeaseKeys which) const {
  std::set<std::uint8_t> found_on, lacking_on;
  std::optional<std::string> found;
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    const Node& node = world.nodes[n];
    if (!node.up || node.follows) continue;
    const std::optional<std::string> key = lease_key_on(node, p, lock, wanted, which);
    (key ? found_on : lacking_on).insert(servers_.group_of(n));
    if (!found) found = key;
  }
  if (masters == On::all_masters && servers_.spare == 0)
    for (const std::uint8_t group : lacking_on) found_on.erase(group);
  return enough(found_on) ? found : std::nullopt;
}

bool Rules::enough(const std::set<std::uint8_t>& nodes) const { return nodes.size() >= quorum_; }

bool Rules::has_lease(const World& world, std::uint8_t p, std::uint8_t lock, LeaseKeys which,
                      On masters) const {
  const auto anything = [](const Belongings& key, Maker maker) { return key.has_anything(maker); };
  return lease_key_with(world, p, lock, anything, masters, which).has_value();
}

bool Rules::has_what_should_go(const World& world, std::uint8_t p, std::uint8_t lock) const {
  return has_lease(world, p, lock, LeaseKeys::passing, On::all_masters) &&
         !has_lease(world, p, lock, LeaseKeys::permanent);
}

/// Whether the process holds a lock that shares a lease key with this one, or another task is
/// inside an operation on such a lock.
bool Rules::key_in_use(const World& world, std::uint8_t p, sim::TaskId task,
                       std::uint8_t lock) const {
  const Process& process = world.processes[p];
  const auto keys_of = [&](std::uint8_t index) {
    return model_.program->lease_keys(model_.processes[p].lock_keys[index]);
  };
  const std::vector<std::string> keys = keys_of(lock);
  const auto shares_key = [&](std::uint8_t other) {
    const std::vector<std::string> others = keys_of(other);
    return std::find_first_of(keys.begin(), keys.end(), others.begin(), others.end()) != keys.end();
  };
  return std::any_of(process.holdings.begin(), process.holdings.end(),
                     [&](const auto& held) { return shares_key(held.first.second); }) ||
         std::any_of(process.waits.begin(), process.waits.end(), [&](const Wait& wait) {
           return wait.task != task && wait.in_operation && shares_key(wait.lock);
         });
}

/// Whether others hold, acquire or release the lock in shared mode.
bool Rules::shared_beside(const World& world, std::uint8_t p, std::uint8_t lock) const {
  if (!sim::is_shared(model_.processes[p], lock)) return false;
  for (std::size_t q = 0; q < world.processes.size(); ++q) {
    if (q == p) continue;
    const auto is_it = [&](std::uint8_t other) {
      return sim::is_shared(model_.processes[q], other) &&
             model_.processes[q].lock_keys[other] == model_.processes[p].lock_keys[lock];
    };
    const Process& process = world.processes[q];
    if (std::ranges::any_of(process.holdings,
                            [&](const auto& held) { return is_it(held.first.second); }) ||
        std::ranges::any_of(
            process.waits, [&](const Wait& wait) { return wait.in_operation && is_it(wait.lock); }))
      return true;
  }
  return false;
}

void Rules::judge_acquired(const World& world, std::uint8_t p, const Effect& effect,
                           Facts& facts) const {
  const std::string& lock = model_.processes[p].lock_keys[effect.lock];
  std::vector<std::uint8_t> others;  // who holds it as well, by task
  for (std::size_t other = 0; other < world.processes.size(); ++other) {
    for (const auto& [holding, held] : world.processes[other].holdings) {
      if (other == p && holding.first == effect.task) continue;
      if (model_.processes[other].lock_keys[holding.second] != lock) continue;
      if (sim::is_shared(model_.processes[other], holding.second) &&
          sim::is_shared(model_.processes[p], effect.lock))
        continue;
      others.push_back(static_cast<std::uint8_t>(other));
    }
  }
  if (std::ssize(others) >= model_.program->permits())
    violated(facts, {Property::mutual_exclusion, p, others.front(), lock});
}

/// Who does not get the lock keeps no lease of others alive, who hold it in such a mode.
void Rules::judge_prolonged(const World& world, std::uint8_t p, sim::TaskId task,
                            std::uint8_t lock_index, Modes modes, Facts& facts) const {
  const std::string& lock = model_.processes[p].lock_keys[lock_index];
  for (const Maker maker : world.processes[p].tasks.at(task).prolonged) {
    const auto owner = static_cast<std::uint8_t>(maker - 1);
    for (const std::string& key : model_.program->lease_keys(lock))
      if (holds_lease(world, owner, key, modes))
        violated(facts, {Property::foreign_extend, p, owner, key});
  }
}

/// Who sleeps before it asks again does not get the lock; one of many may have joined them.
void Rules::judge_sleep(World& world, std::uint8_t p, const Wait& wait, Facts& facts) const {
  const bool shared = sim::is_shared(model_.processes[p], wait.lock);
  if (model_.program->permits() == 1)
    judge_prolonged(world, p, wait.task, wait.lock, shared ? Modes::exclusive : Modes::all, facts);
  world.processes[p].tasks.at(wait.task).prolonged.clear();
}

void Rules::judge_refused(const World& world, std::uint8_t p, const Effect& effect,
                          Facts& facts) const {
  judge_prolonged(world, p, effect.task, effect.lock, Modes::all, facts);
  const TaskState& task = world.processes[p].tasks.at(effect.task);
  std::set<std::uint8_t> with_given = task.given;
  with_given.insert(task.made.begin(), task.made.end());
  // What was given is no more its own than another task's that is still there.
  if (!enough(task.made) && (!enough(with_given) || key_in_use(world, p, effect.task, effect.lock)))
    return;
  // A number that others count in, or that stays by design, is there for all, whoever has set it.
  // A field of its own beside those of others says that it waits, unless it is named by a token.
  const auto of_refused = [](bool stays) {
    return [stays](const Belongings& left, Maker maker) {
      const bool for_all =
          left.is_string() && (left.others_share(maker) || (stays && left.is_number()));
      const bool waits = left.is_hash() && !left.all_of(maker) && !left.has_named_part(maker);
      return (left.has_part(maker) && !for_all && !waits) ||
             (left.is_string() && left.has_share(maker) && left.all_of(maker));
    };
  };
  const auto left = [&](bool stays) {
    return lease_key_with(world, p, effect.lock, of_refused(stays), On::all_masters,
                          stays ? LeaseKeys::permanent : LeaseKeys::passing);
  };
  auto key = left(false);
  if (!key) key = left(true);
  if (key) violated(facts, {Property::honest_result, p, p, *key});
}

namespace {

/// Of a hash, other fields may outlive one who shares it.
bool keeps(const Belongings& key, Maker maker) {
  return key.has_part(maker) && (!key.is_hash() || key.all_of(maker));
}

bool keeps_a_share(const Belongings& key, Maker maker) {
  return key.has_share(maker) && key.all_of(maker);
}

}  // namespace

void Rules::judge_released(const World& world, std::uint8_t p, const Effect& effect,
                           Facts& facts) const {
  const TaskState& task = world.processes[p].tasks.at(effect.task);
  const bool freed = enough(task.freed);
  const bool released = effect.silent ? freed || !task.owned : effect.ok;
  if (!released) note_kept_on(world, p, effect.lock, facts);
  if (effect.silent || effect.ok) judge_other_mode(world, p, effect, facts);
  if (effect.silent || effect.ok == freed) return;
  if (effect.ok &&
      (!task.owned || task.stayed || !other_mode(world.processes[p], p, effect).empty() ||
       has_lease(world, p, effect.lock, LeaseKeys::permanent)))
    return;
  if (!effect.ok) return judge_denied(world, p, effect, facts);
  violated(facts, {Property::honest_result, p, p, model_.processes[p].lock_keys[effect.lock]});
}

/// release() said no, in whichever way: its key is not gone then, or not all of it.
void Rules::judge_denied(const World& world, std::uint8_t p, const Effect& effect,
                         Facts& facts) const {
  if (!enough(world.processes[p].tasks.at(effect.task).freed)) return;
  const bool keeps_some = lease_key_with(
                              world, p, effect.lock,
                              [](const Belongings& key, Maker maker) {
                                return keeps(key, maker) || keeps_a_share(key, maker);
                              },
                              On::all_masters, LeaseKeys::passing)
                              .has_value();
  if (keeps_some) return;  // not all is removed yet
  violated(facts, {Property::honest_result, p, p, model_.processes[p].lock_keys[effect.lock]});
}

/// Who is inside the lock needs something of it.
void Rules::judge_inside(const World& world, std::uint8_t p, const Effect& effect,
                         Facts& facts) const {
  const auto held = world.processes[p].holdings.find({effect.task, effect.lock});
  if (held == world.processes[p].holdings.end() || !held->second.owned) return;
  if (has_lease(world, p, effect.lock)) return;
  violated(facts, {Property::reentrancy, p, p, model_.processes[p].lock_keys[effect.lock]});
}

/// The locks that the task holds in the other mode of the same key.
std::vector<std::uint8_t> Rules::other_mode(const Process& process, std::uint8_t p,
                                            const Effect& effect) const {
  std::vector<std::uint8_t> locks;
  for (const auto& [holding, held] : process.holdings)
    if (holding.first == effect.task && holding.second != effect.lock &&
        model_.processes[p].lock_keys[holding.second] == model_.processes[p].lock_keys[effect.lock])
      locks.push_back(holding.second);
  return locks;
}

void Rules::judge_other_mode(const World& world, std::uint8_t p, const Effect& effect,
                             Facts& facts) const {
  for (const std::uint8_t lock : other_mode(world.processes[p], p, effect)) {
    Effect other = effect;
    other.lock = lock;
    judge_inside(world, p, other, facts);
  }
}

/// Who has left it for the last time keeps nothing.
void Rules::judge_outside(const World& world, std::uint8_t p, const Effect& effect,
                          Facts& facts) const {
  const TaskState& task = world.processes[p].tasks.at(effect.task);
  if (task.overtaken || key_in_use(world, p, effect.task, effect.lock)) return;
  const auto surely = [](const Belongings& left, Maker maker) { return left.has_surely(maker); };
  if (shared_beside(world, p, effect.lock) &&
      !lease_key_with(world, p, effect.lock, surely, On::some_master))
    return;  // what it has set may stand for the others
  const std::optional<std::string> key = lease_key_with(
      world, p, effect.lock,
      [&](const Belongings& left, Maker maker) {
        return keeps(left, maker) || (task.counted && keeps_a_share(left, maker));
      },
      On::all_masters, LeaseKeys::passing);
  if (key) violated(facts, {Property::reentrancy, p, p, *key});
}

/// What is left, where a holder's critical section ends, of the lease keys in which it has
/// something: until there are too few nodes with one. If there are already, its lease has ended
/// before.
void Rules::note_slack(const World& world, std::uint8_t p, const Effect& effect,
                       Facts& facts) const {
  const bool failed = effect.kind == Effect::Kind::failed;  // ends all that the task holds
  if (!failed && effect.kind != Effect::Kind::releasing && effect.kind != Effect::Kind::lost)
    return;
  for (const auto& [holding, held] : world.processes[p].holdings) {
    if (!held.owned || holding.first != effect.task) continue;
    if (failed || holding.second == effect.lock) note_left(world, p, holding.second, facts);
  }
}

void Rules::note_left(const World& world, std::uint8_t p, std::uint8_t lock, Facts& facts) const {
  if (!has_lease(world, p, lock)) facts.slack.note(sim::Slack::kEnded);
  std::map<std::uint8_t, std::int64_t> end_at;  // by group: of two masters the later one's
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    const Node& node = world.nodes[n];
    if (!node.up || node.follows) continue;
    std::set<std::int64_t> left;
    for (const std::string& key : model_.program->lease_keys(model_.processes[p].lock_keys[lock])) {
      for (const int database : databases_of(node.keyspace)) {
        const Entry* entry = node.keyspace.find(database, key);
        if (!entry || !entry->expires || !Belongings(entry).has_anything(maker_of(p))) continue;
        left.insert(lifetime_left(world, node, *entry).ms);
      }
    }
    if (left.empty()) continue;
    std::int64_t& end = end_at.try_emplace(servers_.group_of(n), *left.begin()).first->second;
    // Of two nodes of a cluster each has keys of its own.
    end = servers_.spare > 0 ? std::min(end, *left.begin()) : std::max(end, *left.begin());
  }
  std::multiset<std::int64_t> ends;
  for (const auto& [group, end] : end_at) ends.insert(end);
  if (ends.size() >= quorum_)
    facts.slack.note(*std::next(ends.rbegin(), static_cast<int>(quorum_) - 1));
}

void Rules::judge_waits(const World& world, Facts& facts) const {
  for (std::uint8_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    for (const Wait& wait : process.waits) {
      const std::optional<std::int64_t>& wait_ms = process.tasks.at(wait.task).wait_ms;
      if (wait_ms && *wait_ms > model_.waits_ms)
        violated(facts, {Property::waits, p, p, model_.processes[p].lock_keys[wait.lock]});
    }
  }
}

/// Somebody waits to be told that a lock is given back, and nothing is under way that could do so.
void Rules::judge_wakeups(const World& world, Facts& facts) {
  if (!model_.properties.contains(Property::lost_wakeup)) return;
  struct Asleep {
    std::string lock;
    std::uint8_t process = 0, by = 0;
  };
  std::vector<Asleep> asleep;
  std::set<std::string> awake;  // inside whose acquire() or release() somebody does something
  for (std::uint8_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    for (const Connection& connection : process.connections)
      if (!stands(process, connection) &&
          std::ranges::any_of(connection.messages,
                              [](const Message& m) { return m.in_queue == 0; }))
        return;
    if (process.life == Life::dead) continue;
    if (process.life == Life::paused || !process.unreached.empty() || !process.unheard.empty())
      return;
    const bool reminded = std::ranges::any_of(process.waits, [&](const Wait& wait) {
      return wait.task >= process.rounds_begun.size() && wait.kind == Wait::Kind::sleep &&
             !wait.told;
    });
    for (const Wait& wait : process.waits) {
      if (!wait.in_operation) continue;
      const std::string& lock = model_.processes[p].lock_keys[wait.lock];
      const bool to_be_told = wait.told || wait.kind == Wait::Kind::replies;
      if (!wait.in_acquire || reminded || !to_be_told) {
        awake.insert(lock);
      } else if (const auto by = process.tasks.at(wait.task).given_back_by) {
        asleep.push_back({lock, p, *by});
      }
    }
  }
  std::erase_if(asleep, [&](const Asleep& one) {
    return awake.contains(one.lock) || !is_free(world, one.lock, one.by, Down::is_not_free);
  });
  if (asleep.empty()) return;
  const std::vector<Action> possible = enabled(world);
  if (std::ranges::none_of(possible, [&](const Action& a) { return urgent(world, a); }))
    violated(facts, {Property::lost_wakeup, asleep[0].process, asleep[0].process, asleep[0].lock});
}

/// Each critical section that the action has begun passes those over who are inside acquire() of
/// the same key, but for readers beside a reader.
void Rules::judge_fairness(World& world, std::uint8_t p, Facts& facts) const {
  const std::optional<unsigned> most = sim::judged_overtakes(model_);
  if (!most) return;
  for (const sim::Effect& effect : facts.effects) {
    if (effect.kind != sim::Effect::Kind::acquired) continue;
    const std::string& lock = model_.processes[p].lock_keys[effect.lock];
    for (std::uint8_t q = 0; q < world.processes.size(); ++q) {
      for (const Wait& wait : world.processes[q].waits) {
        TaskState& task = world.processes[q].tasks.at(wait.task);
        const bool both_share = sim::is_shared(model_.processes[p], effect.lock) &&
                                sim::is_shared(model_.processes[q], wait.lock);
        if (!wait.in_acquire || !task.wait_ms || both_share) continue;
        if (model_.processes[q].lock_keys[wait.lock] != lock) continue;
        if (++task.times_passed > *most) violated(facts, {Property::fairness, q, p, lock});
      }
    }
  }
}

/// A release() that did not release, although there was something to release.
void Rules::note_kept_on(const World& world, std::uint8_t p, std::uint8_t lock,
                         Facts& facts) const {
  facts.kept_on = facts.kept_on || has_what_should_go(world, p, lock);
}

/// Who is told that its lock is lost should have nothing of it any more, but for what stays by
/// design.
void Rules::judge_lost(const World& world, std::uint8_t p, const Effect& effect,
                       Facts& facts) const {
  const auto held = world.processes[p].holdings.find({effect.task, effect.lock});
  if (!effect.ok || held == world.processes[p].holdings.end() || !held->second.owned) return;
  if (!has_what_should_go(world, p, effect.lock)) return;
  violated(facts, {Property::lost_told, p, p, model_.processes[p].lock_keys[effect.lock]});
}

/// What the protocol itself claims of every world.
void Rules::judge_invariants(const World& world, const Action& action, Facts& facts) const {
  if (facts.violation || !model_.properties.contains(Property::invariant)) return;
  if (!sim::states_invariants(model_)) return;
  std::vector<std::string> nodes, clients;
  for (const Node& node : world.nodes) nodes.push_back(sim::node_view(node.up, node.keyspace));
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    const bool dead = process.life == Life::dead;
    sim::ClientView client{static_cast<unsigned>(p), dead ? "dead" : "up", {}, {}, ""};
    if (process.life == Life::paused) client.life = "paused";
    for (const auto& [holding, held] : process.holdings)
      ++(sim::is_shared(model_.processes[p], holding.second)
             ? client.shares
             : client.holds)[model_.processes[p].lock_keys[holding.second]];
    if (!dead)
      client.belief =
          model_.program->belief(model_.processes[p], process.snapshot, process.history);
    clients.push_back(sim::client_view(client));
  }
  if (const auto broken = sim::broken_invariant(model_, sim::world_view(nodes, clients)))
    violated(facts, {Property::invariant, action.process, action.process, *broken});
}

}  // namespace lockstep::checker::naive
