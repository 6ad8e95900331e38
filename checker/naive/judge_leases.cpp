// What an executed request has done to lease keys, and to whom: section 5 of docs/semantics.md.
#include <algorithm>

#include "checker/naive/belongings.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Effect;
using sim::Entry;
using sim::Keyspace;
using sim::Maker;
using sim::maker_of;
using sim::Property;
using sim::Wait;

namespace {

/// Whether `a` expires before `b`; no expiry is later than any.
bool sooner(const std::optional<sim::WallTime>& a, const std::optional<sim::WallTime>& b) {
  if (!a) return false;
  return !b || *a < *b;
}

bool has_same_text(const Entry& was, const Entry& is) {
  const auto* before = std::get_if<std::string>(&was.value);
  const auto* after = std::get_if<std::string>(&is.value);
  return before != nullptr && after != nullptr && *before == *after;
}

/// Whether the key is the sender's, too, which may let it live on. With several permits a count is
/// of those who hold one.
bool is_entitled(const Belongings& key, Maker sender, int permits) {
  return key.has_part(sender) || ((key.is_hash() || permits > 1) && key.has_share(sender));
}

/// A mark that may be one of all who share the lock.
bool is_for_all(const Belongings& before, const Belongings& after) {
  return before.is_common() && after.is_common();
}

/// Whether a token of these words stands in the key's text.
bool stands_in(const Entry* key, const std::vector<std::string>& words) {
  if (!key) return false;
  std::string text;
  if (const auto* string = std::get_if<std::string>(&key->value)) text = *string;
  if (const auto* hash = std::get_if<sim::Hash>(&key->value))
    for (const auto& [name, field] : *hash) text += field.value + "\n";
  const auto standing = sim::scan_tokens(text).tokens;
  for (const std::string& word : words)
    for (const sim::Token token : sim::scan_tokens(word).tokens)
      if (std::ranges::count(standing, token) > 0) return true;
  return false;
}

}  // namespace

/// A key by a lease's name that no release() has put into another database is a lease there.
void Rules::note_lease_databases(const Keyspace& before, Keyspace& after, Maker sender) const {
  for (int database = 1; database < sim::kDatabases; ++database)
    for (const std::string& key : lease_keys_)
      if (Belongings(before.find(database, key))
              .made(Belongings(after.find(database, key)), sender))
        after.has_leases_in(database);
}

void Rules::judge_execution(const World& world, std::uint8_t p, const Author& by,
                            const Keyspace& before, const Keyspace& after, Facts& facts) const {
  const Maker sender = by.sender;
  for (const std::string& key : lease_keys_) {
    for (const int database : databases_of(after)) {
      const Entry* was = before.find(database, key);
      const Entry* is = after.find(database, key);
      const Belongings had(was), left(is);
      const bool entitled = is_entitled(left, sender, model_.program->permits()) ||
                            (sender == 0 && stands_in(is, by.words));
      const bool counts = left.has_share(sender);  // of a string: of readers
      for (const Maker maker : had.owners()) {
        const auto owner = static_cast<std::uint8_t>(maker - 1);
        if (maker == sender || !holds_lease(world, owner, key)) continue;
        const bool too_soon = is != nullptr && sooner(is->expires, relies_until(*was, maker));
        if (had.took_from(left, sender, maker) || too_soon) {
          // Among readers, what one has written over stands for the other, too.
          if (had.only_wrote_over(left, sender, maker) && !too_soon &&
              !holds_lease(world, owner, key, Modes::exclusive))
            continue;
          violated(facts, {Property::foreign_release, p, owner, key});
          if (is != nullptr && was->maker == maker && is->maker == sender &&
              has_same_text(*was, *is) && sooner(was->expires, is->expires))
            violated(facts, {Property::foreign_extend, p, owner, key});
        } else if (sooner(was->expires, is->expires) && !entitled &&
                   ((!counts && !is_for_all(had, left)) ||
                    holds_lease(world, owner, key, Modes::exclusive))) {
          violated(facts, {Property::foreign_extend, p, owner, key});
        }
      }
    }
  }
}

/// What a request has handed over, to another process or to another task of its own: to whom it is
/// inside the acquire() of such a lock.
void Rules::note_given(World& world, std::uint8_t p, const Connection& connection,
                       const Message& asked, const Keyspace& before, const Keyspace& after) const {
  const bool of_main_task =
      !connection.former && asked.sender < world.processes[p].rounds_begun.size();
  const auto is_given = [&](std::uint8_t q, const std::string& key) {
    return std::ranges::any_of(databases_of(after), [&](int database) {
      const Belongings had(before.find(database, key)), has(after.find(database, key));
      if (q != p) return had.gave(has, maker_of(q));
      return of_main_task && had.replaced(has, maker_of(q));
    });
  };
  for (std::uint8_t q = 0; q < world.processes.size(); ++q) {
    Process& process = world.processes[q];
    for (const Wait& wait : process.waits) {
      if (!wait.in_acquire || (q == p && wait.task == asked.sender)) continue;
      const auto keys = model_.program->lease_keys(model_.processes[q].lock_keys[wait.lock]);
      if (std::ranges::any_of(keys, [&](const auto& key) { return is_given(q, key); }))
        process.tasks.at(wait.task).given.insert(servers_.group_of(connection.node));
    }
  }
}

/// Did the request make, or remove, a lease key of the process? It counts for the operation of its
/// own task; for every operation of the process if its task has none. To a release() of another
/// task, a lease key that an operation makes is the lock's next owner; so is what was sent for
/// nothing.
void Rules::note_made_and_freed(World& world, std::uint8_t p, std::uint8_t node,
                                const Message& asked, Sent sent, const Keyspace& before,
                                const Keyspace& after, Facts& facts) const {
  const bool of_main_task = asked.sender < world.processes[p].rounds_begun.size();
  bool made = false, freed = false, counted = false;
  for (const std::string& key : lease_keys_) {
    for (const int database : databases_of(after)) {
      const Belongings had(before.find(database, key)), has(after.find(database, key));
      made = made || had.made(has, maker_of(p)) || (of_main_task && had.marked(has, maker_of(p)));
      freed =
          freed || had.freed(has, maker_of(p)) || (of_main_task && had.replaced(has, maker_of(p)));
      counted = counted || had.freed_of_share(has, maker_of(p));
    }
  }
  Process& process = world.processes[p];
  for (const Wait& wait : process.waits) {
    TaskState& task = process.tasks.at(wait.task);
    const bool by_other = wait.task != asked.sender;
    if (of_main_task && (by_other || sent != Sent::now)) {
      if (made && task.releasing && (by_other || sent == Sent::for_nothing)) task.overtaken = true;
      continue;
    }
    if (freed) task.made.erase(node);
    if (made && wait.in_acquire) task.made.insert(node);
    if (wait.in_acquire)
      for (const std::string& key :
           model_.program->lease_keys(model_.processes[p].lock_keys[wait.lock]))
        task.prolonged.merge(holders_prolonged(world, p, key, before, after));
    const bool freed_before = enough(task.freed);
    if (freed && wait.in_operation && !wait.in_acquire) task.freed.insert(node);
    if (task.releasing && freed) facts.witnesses.insert(sim::Witness::freed);
    if (task.releasing && !freed_before && enough(task.freed))
      world.given_back.insert(model_.processes[p].lock_keys[wait.lock]);
    task.counted = task.counted || (counted && task.releasing);
    task.wrote = task.wrote || (task.releasing && !same_keys(before, after));
    task.stayed =
        task.stayed || (task.releasing && (stays_in(after, p, wait.lock) ||
                                           stands_for_others(world, after, p, wait.lock)));
  }
}

namespace {

constexpr double kFirstTime = 1e9;

/// Whether a member of a sorted set has a lease of its own: a score that is a time.
bool is_timed(const sim::Entry& entry, Maker maker) {
  const auto* set = std::get_if<sim::SortedSet>(&entry.value);
  return set && std::any_of(set->begin(), set->end(), [maker](const auto& member) {
           return member.second.maker == maker && member.second.score >= kFirstTime;
         });
}

}  // namespace

/// The holders for whom a request of the process has prolonged a lease key in which it has
/// something, too.
std::set<Maker> Rules::holders_prolonged(const World& world, std::uint8_t p, const std::string& key,
                                         const Keyspace& before, const Keyspace& after) const {
  std::set<Maker> makers;
  const Maker sender = maker_of(p);
  for (const int database : databases_of(after)) {
    const Entry *was = before.find(database, key), *is = after.find(database, key);
    if (!was || !is || !sooner(was->expires, is->expires)) continue;
    const Belongings had(was), has(is);
    const bool entitled = is_entitled(has, sender, model_.program->permits());
    const bool for_all = is_for_all(had, has) && !has.has_share(sender);  // or it counts for them
    for (const Maker maker : had.owners()) {
      const auto owner = static_cast<std::uint8_t>(maker - 1);
      const bool prolongs =
          entitled || (for_all && !holds_lease(world, owner, key, Modes::exclusive));
      if (maker != sender && prolongs && has.has_anything(maker) &&
          !had.took_from(has, sender, maker) && !is_timed(*is, maker) &&
          holds_lease(world, owner, key))
        makers.insert(maker);
    }
  }
  return makers;
}

/// Whether the process holds a lock with this lease key, or acquires or releases one.
bool Rules::uses_lease(const World& world, std::uint8_t p, const std::string& lease_key) const {
  if (holds_lease(world, p, lease_key)) return true;
  const std::vector<Wait>& waits = world.processes[p].waits;
  return std::any_of(waits.begin(), waits.end(), [&](const Wait& wait) {
    if (!wait.in_operation) return false;
    const auto keys = model_.program->lease_keys(model_.processes[p].lock_keys[wait.lock]);
    return std::find(keys.begin(), keys.end(), lease_key) != keys.end();
  });
}

/// What it has left in the key entitles nobody who neither holds such a lock nor asks for one.
void Rules::judge_prolonged_outside(const World& world, std::uint8_t p, Sent sent,
                                    const Keyspace& before, const Keyspace& after,
                                    Facts& facts) const {
  if (sent != Sent::now) return;
  for (const std::string& key : lease_keys_) {
    if (uses_lease(world, p, key)) continue;
    for (const Maker maker : holders_prolonged(world, p, key, before, after))
      violated(facts, {Property::foreign_extend, p, static_cast<std::uint8_t>(maker - 1), key});
  }
}

/// Who is inside the lock does not remove it by what another of its main tasks does, or by what it
/// has sent for an operation that is over.
void Rules::judge_own_removal(const World& world, std::uint8_t p, const Message& asked, Sent sent,
                              const Keyspace& before, const Keyspace& after, Facts& facts) const {
  const Process& process = world.processes[p];
  if (asked.sender >= process.rounds_begun.size()) return;
  for (const auto& [holding, held] : process.holdings) {
    if (!held.owned || (sent == Sent::now && holding.first == asked.sender)) continue;
    const std::string& lock = model_.processes[p].lock_keys[holding.second];
    const std::vector<std::string> keys = model_.program->lease_keys(lock);
    const bool freed = std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
      const std::set<int> databases = databases_of(after);
      return std::any_of(databases.begin(), databases.end(), [&](int database) {
        return Belongings(before.find(database, key))
            .freed(Belongings(after.find(database, key)), maker_of(p));
      });
    });
    if (freed && !has_lease(world, p, holding.second))
      violated(facts, {Property::reentrancy, p, p, lock});
  }
}

/// Others share the lock, and there is a mark here that may be theirs; the process has nothing
/// else.
bool Rules::stands_for_others(const World& world, const Keyspace& keyspace, std::uint8_t p,
                              std::uint8_t lock) const {
  if (!shared_beside(world, p, lock)) return false;
  bool mark = false;
  for (const std::string& key : model_.program->lease_keys(model_.processes[p].lock_keys[lock])) {
    for (const int database : databases_of(keyspace)) {
      const Belongings belongings(keyspace.find(database, key));
      if (belongings.has_surely(maker_of(p))) return false;
      mark = mark || belongings.is_common();
    }
  }
  return mark;
}

/// Whether the process has something in a lease key that stays by design.
bool Rules::stays_in(const Keyspace& keyspace, std::uint8_t p, std::uint8_t lock) const {
  for (const std::string& key : model_.program->lease_keys(model_.processes[p].lock_keys[lock]))
    for (const int database : databases_of(keyspace))
      if (permanent_keys_.contains(key) &&
          Belongings(keyspace.find(database, key)).has_anything(maker_of(p)))
        return true;
  return false;
}

}  // namespace lockstep::checker::naive
