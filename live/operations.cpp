// Calls, and what they claim; see the header.
#include "live/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/token.hpp"
#include "sim/client/program.hpp"
#include "sim/client/servers.hpp"

namespace lockstep::live {

namespace {

using EffectKind = sim::Effect::Kind;
using sim::maker_of;
using sim::Property;

}  // namespace

LeaseKeys::LeaseKeys(const sim::Model& model) {
  std::map<std::string, std::uint8_t> lock_numbers;
  for (const auto& setup : model.processes) {
    auto& by_lock = of_.emplace_back();
    for (const auto& lock : setup.lock_keys) {
      auto& numbers = by_lock.emplace_back();
      const auto next = static_cast<std::uint8_t>(lock_numbers.size());
      const std::uint8_t lock_number = lock_numbers.emplace(lock, next).first->second;
      for (const auto& name : model.program->lease_keys(lock)) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        const auto number = static_cast<std::size_t>(found - names_.begin());
        if (found == names_.end()) {
          names_.push_back(name);
          const auto permanent = model.program->permanent_keys(lock);
          may_stay_.push_back(std::ranges::find(permanent, name) != permanent.end());
          locks_of_.emplace_back();
        }
        numbers.push_back(number);
        if (std::ranges::count(locks_of_[number], lock_number) == 0)
          locks_of_[number].push_back(lock_number);
      }
    }
  }
}

const std::vector<std::uint8_t>* LeaseKeys::locks_of(const std::string& name) const {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? nullptr
                               : &locks_of_[static_cast<std::size_t>(found - names_.begin())];
}

Operations::Operations(const sim::Model& model, const LeaseKeys& leases)
    : model_(model),
      leases_(leases),
      processes_(model.processes.size()),
      judges_calls_(sim::servers_of(model).nodes == 1) {
  for (const auto& setup : model.processes) {
    threads_.push_back(setup.threads);
    auto& kept = kept_on_purpose_.emplace_back();
    for (const auto& lock : setup.lock_keys)
      kept.push_back(!model.program->permanent_keys(lock).empty());
  }
}

// ---- what the clients do ----

void Operations::did(std::uint8_t process, const sim::Effect& effect, Stamp now,
                     std::uint64_t moment, const Ledger& ledger) {
  auto& self = processes_[process];
  const std::pair holding{effect.task, effect.lock};
  switch (effect.kind) {
    case EffectKind::send:  // a main task asks the server only inside an operation
      if (effect.node != sim::kResource && effect.task < threads_[process] &&
          !under_way(self, effect.task))
        begin(self, effect.task, now);
      break;
    case EffectKind::acquired: {
      const bool made = end(self, effect.task, now).made;
      self.holdings[holding] = {now, made || has_any(process, effect.lock, ledger.keys())};
      break;
    }
    case EffectKind::releasing: {
      const bool owned = self.holdings[holding].owned;
      self.holdings.erase(holding);
      end(self, effect.task, now);
      begin(self, effect.task, now);
      under_way(self, effect.task)->owned = owned;
      under_way(self, effect.task)->releasing = true;
      break;
    }
    case EffectKind::reentered:
    case EffectKind::refused:
    case EffectKind::left:
    case EffectKind::released:
      end_with_claim(process, effect, now, moment, ledger);
      break;
    case EffectKind::failed:
      std::erase_if(self.holdings,
                    [&](const auto& held) { return held.first.first == effect.task; });
      if (effect.leaves_open) {
        end(self, effect.task, now);
      } else {
        end_with_claim(process, effect, now, moment, ledger);
      }
      break;
    case EffectKind::exited:
      self.holdings.clear();
      self.under_way.clear();
      break;
    case EffectKind::lost:
      self.holdings.erase(holding);
      self.lost = now;
      break;
    default:
      break;
  }
}

void Operations::waits(std::uint8_t process, const std::vector<sim::Wait>& waits, Stamp now,
                       std::uint64_t moment) {
  auto& self = processes_[process];
  const auto slept_before = [&](sim::TaskId task) {
    return std::ranges::any_of(self.waits, [task](const sim::Wait& wait) {
      return wait.task == task && wait.kind == sim::Wait::Kind::sleep;
    });
  };
  for (const auto& wait : waits) {
    const bool known = under_way(self, wait.task) != nullptr;
    if (wait.in_operation && !known) begin(self, wait.task, now);
    if (!wait.in_operation && known) end(self, wait.task, now);
    if (wait.in_acquire && wait.kind == sim::Wait::Kind::sleep && !slept_before(wait.task))
      under_way(self, wait.task)
          ->sleeps.push_back({now, holders_slept_beside(process, wait.lock), moment});
  }
  self.waits = waits;
}

Operations::Operation* Operations::under_way(Process& process, sim::TaskId task) {
  const auto found = std::find_if(process.under_way.begin(), process.under_way.end(),
                                  [task](const Operation& o) { return o.task == task; });
  return found == process.under_way.end() ? nullptr : &*found;
}

void Operations::begin(Process& process, sim::TaskId task, Stamp now) {
  Operation operation;
  operation.task = task;
  operation.begun = now;
  process.under_way.push_back(operation);
  ++process.turns[task];
}

/// The operation of the task; one that asked nobody has begun just now.
Operations::Operation Operations::end(Process& process, sim::TaskId task, Stamp now) {
  if (!under_way(process, task)) begin(process, task, now);
  const auto at = process.under_way.begin() + (under_way(process, task) - process.under_way.data());
  Operation operation = *at;
  process.under_way.erase(at);
  ++process.turns[task];
  operation.ended = now;
  return operation;
}

void Operations::end_with_claim(std::uint8_t process, const sim::Effect& effect, Stamp now,
                                std::uint64_t moment, const Ledger& ledger) {
  auto& self = processes_[process];
  auto operation = end(self, effect.task, now);
  if (!judges_calls_) return;
  operation.end = effect;
  operation.wanted = key_in_use(process, effect);
  operation.beside = holders_beside(process, effect.lock);
  if (effect.kind == EffectKind::released)
    operation.shared_beside = shared_beside(process, effect.lock, operation.begun);
  const auto held = self.holdings.find({effect.task, effect.lock});
  if (held != self.holdings.end()) operation.owned = held->second.owned;
  operation.moment = moment;
  look(process, operation, ledger.keys());
  self.ended.push_back(std::move(operation));
}

/// The process holds another lock of which a key is a lease of this one too, or another of its
/// tasks holds this one, or is inside acquire() or release() of such a lock.
bool Operations::key_in_use(std::uint8_t process, const sim::Effect& effect) const {
  const auto& self = processes_[process];
  const auto& keys = leases_.of(process, effect.lock);
  const auto is_own = [&](sim::TaskId task, std::uint8_t lock) {
    return task == effect.task && lock == effect.lock;
  };
  return std::any_of(self.holdings.begin(), self.holdings.end(),
                     [&](const auto& held) {
                       return !is_own(held.first.first, held.first.second) &&
                              shares_key(process, held.first.second, keys);
                     }) ||
         std::any_of(self.waits.begin(), self.waits.end(), [&](const sim::Wait& wait) {
           return wait.task != effect.task && wait.in_operation &&
                  shares_key(process, wait.lock, keys);
         });
}

bool Operations::shares_key(std::uint8_t process, std::uint8_t lock,
                            const std::vector<std::size_t>& keys) const {
  const auto& others = leases_.of(process, lock);
  return std::find_first_of(keys.begin(), keys.end(), others.begin(), others.end()) != keys.end();
}

/// The other processes that hold a lock with a lease key of this one.
sim::Makers Operations::holders_beside(std::uint8_t process, std::uint8_t lock) const {
  sim::Makers makers = 0;
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const auto other = static_cast<std::uint8_t>(p);
    if (other == process) continue;
    for (const auto& [holding, held] : processes_[p].holdings)
      if (shares_key(other, holding.second, leases_.of(process, lock)))
        makers |= sim::only_maker(maker_of(other));
  }
  return makers;
}

/// Of these, those whom who sleeps before it asks again may not keep alive: one of many may have
/// joined them.
sim::Makers Operations::holders_slept_beside(std::uint8_t process, std::uint8_t lock) const {
  if (model_.program->permits() > 1) return 0;
  sim::Makers makers = holders_beside(process, lock);
  if (!sim::is_shared(model_.processes[process], lock)) return makers;
  for (std::size_t p = 0; p < processes_.size(); ++p)
    for (const auto& [holding, held] : processes_[p].holdings)
      if (sim::is_shared(model_.processes[p], holding.second))
        makers &= ~sim::only_maker(maker_of(static_cast<std::uint8_t>(p)));
  return makers;
}

/// Whether others have held, acquired or released the lock in shared mode since then.
bool Operations::shared_beside(std::uint8_t process, std::uint8_t lock, Stamp since) const {
  if (!sim::is_shared(model_.processes[process], lock)) return false;
  const std::string& key = model_.processes[process].lock_keys[lock];
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const sim::ProcessSetup& setup = model_.processes[p];
    const auto is_it = [&](std::uint8_t other) {
      return sim::is_shared(setup, other) && setup.lock_keys[other] == key;
    };
    const Process& other = processes_[p];
    if (p != process &&
        (std::ranges::any_of(other.holdings,
                             [&](const auto& held) { return is_it(held.first.second); }) ||
         std::ranges::any_of(
             other.waits,
             [&](const auto& wait) { return wait.in_operation && is_it(wait.lock); }) ||
         std::any_of(std::ranges::upper_bound(other.ended, since, {}, &Operation::ended),
                     other.ended.end(), [&](const auto& o) { return is_it(o.end.lock); })))
      return true;
  }
  return false;
}

bool Operations::has_any(std::uint8_t process, std::uint8_t lock, const KeyStates& keys) const {
  const auto& numbers = leases_.of(process, lock);
  return std::any_of(numbers.begin(), numbers.end(), [&](std::size_t number) {
    return sim::has_maker(keys[number].own.any, maker_of(process));
  });
}

std::uint64_t Operations::turn(std::uint8_t process, sim::TaskId task) const {
  const auto& turns = processes_[process].turns;
  const auto found = turns.find(task);
  return found == turns.end() ? 0 : found->second;
}

std::vector<Holder> Operations::holders(Stamp since) const {
  std::vector<Holder> holders;
  for (std::size_t p = 0; p < processes_.size(); ++p)
    for (const auto& [holding, held] : processes_[p].holdings)
      if (held.since < since) holders.push_back({static_cast<std::uint8_t>(p), holding.second});
  return holders;
}

bool Operations::may_have_used_lock(const Entry& entry) const {
  const auto& self = processes_[entry.process];
  const auto meanwhile = [&](const Operation& operation) {
    return operation.has_within(entry) != Throughout::no;
  };
  return !self.holdings.empty() || self.lost > entry.sent ||
         std::ranges::any_of(self.under_way, meanwhile) ||
         std::ranges::any_of(self.ended, meanwhile);
}

// ---- what has become of their requests ----

/// Whose the key is, as far as what the call says depends on it.
sim::Makers Operations::claimed(const Operation& operation, const sim::Belongings& own) {
  switch (operation.end.kind) {
    case EffectKind::refused:
      return own.refused;
    case EffectKind::released:
      return own.left | (operation.counted || !operation.end.ok ? own.counting : 0);
    default:
      return own.any;
  }
}

void Operations::look(std::uint8_t process, Operation& operation, const KeyStates& keys) const {
  const auto& numbers = leases_.of(process, operation.end.lock);
  const bool released = operation.end.kind == EffectKind::released;
  const bool own = std::any_of(numbers.begin(), numbers.end(), [&](std::size_t number) {
    return !(released && leases_.may_stay(number)) &&
           sim::has_maker(claimed(operation, keys[number].own), maker_of(process));
  });
  (own ? operation.seen_own : operation.seen_none) = true;
  operation.seen_sure =
      operation.seen_sure || std::ranges::any_of(numbers, [&](std::size_t number) {
        return sim::has_maker(keys[number].own.sure, maker_of(process));
      });
}

/// A call that has ended is judged by the first request that was sent after it. Until then each
/// request may have been executed before its end or after it, unless its reply was heard before.
std::vector<Finding> Operations::take(const Posting& posting) {
  std::vector<Finding> findings;
  if (!judges_calls_) return findings;
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const auto process = static_cast<std::uint8_t>(p);
    const auto closes = [&](const Operation& o) { return o.ended < posting.entry.sent; };
    for (auto* operations : {&processes_[p].under_way, &processes_[p].ended})
      for (auto& operation : *operations)
        judge_sleeps(process, operation, posting.entry.sent, findings);
    for (auto& operation : processes_[p].ended) {
      if (!closes(operation)) continue;
      look(process, operation, posting.before);
      const auto found = judged(process, operation);
      findings.insert(findings.end(), found.begin(), found.end());
    }
    std::erase_if(processes_[p].ended, closes);
  }
  note_made_and_freed(posting);
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const auto process = static_cast<std::uint8_t>(p);
    for (auto& operation : processes_[p].ended) {
      if (posting.entry.heard < operation.ended)
        operation.seen_own = operation.seen_none = false;
      else
        look(process, operation, posting.before);
      look(process, operation, posting.after);
    }
  }
  return findings;
}

sim::Makers Operations::lives_on_for_all(const sim::PartsChange& change) const {
  return change.common && model_.program->is_shared() ? change.extended : 0;
}

void Operations::note_made_and_freed(const Posting& posting) {
  const auto& entry = posting.entry;
  sim::PartsChange all;
  for (const auto& change : posting.changes) {
    all.made = all.made || change.made;
    all.freed = all.freed || change.freed;
    all.replaced = all.replaced || change.replaced;
    all.given |= change.given;
    all.counted = all.counted || change.counted;
    all.prolonged |= change.prolonged | lives_on_for_all(change);
  }
  sim::Makers holders = 0;
  for (const auto& holder : entry.holders) holders |= sim::only_maker(maker_of(holder.process));
  all.prolonged &= holders;
  note_given(entry, all);
  if (model_.program->is_shared()) note_mark(posting);
  if (!all.made && !all.freed && !all.replaced && all.prolonged == 0) return;
  auto& process = processes_[entry.process];
  for (auto& operation : process.under_way) note(operation, entry, all);
  for (auto& operation : process.ended) note(operation, entry, all);
}

/// A mark that may be one of all who share the lock, where a request of an operation was executed.
void Operations::note_mark(const Posting& posting) {
  const auto& entry = posting.entry;
  if (entry.process >= processes_.size()) return;  // nobody's: it only looks
  if (std::ranges::none_of(posting.after, [](const auto& key) { return key.own.common; })) return;
  auto& process = processes_[entry.process];
  for (Operation& operation : process.under_way)
    if (operation.has_within(entry) != Throughout::no) operation.seen_mark = true;
  auto& ended = process.ended;  // as they have ended: thousands, of which one or two matter
  for (auto at = std::ranges::lower_bound(ended, entry.sent, {}, &Operation::ended);
       at != ended.end(); ++at) {
    if (at->has_within(entry) != Throughout::no)
      at->seen_mark = true;
    else if (at->task == entry.task)
      break;
  }
}

Throughout Operations::Operation::has_within(const Entry& entry) const {
  const bool over = ended != 0;
  if (entry.heard < begun || (over && entry.sent > ended)) return Throughout::no;
  const bool inside = entry.sent > begun && (!over || entry.heard < ended);
  return inside ? Throughout::yes : Throughout::unclear;
}

/// What is handed over to another process, or to another task of its own.
void Operations::note_given(const Entry& entry, const sim::PartsChange& change) {
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const bool own = p == entry.process;
    if (!(own ? change.replaced
              : sim::has_maker(change.given, maker_of(static_cast<std::uint8_t>(p)))))
      continue;
    for (auto* operations : {&processes_[p].under_way, &processes_[p].ended}) {
      for (Operation& operation : *operations) {
        if (own && operation.task == entry.task) continue;
        const Throughout within = operation.has_within(entry);
        operation.given = operation.given || within == Throughout::yes;
        operation.unclear = operation.unclear || within == Throughout::unclear;
      }
    }
  }
}

/// A request counts for the operation of its own task; for every operation of the process if its
/// task has none.
void Operations::note(Operation& operation, const Entry& entry, const sim::PartsChange& change) {
  const Throughout within = operation.has_within(entry);
  if (within == Throughout::no) return;
  const bool of_another = entry.task != operation.task;
  if (of_another && entry.operating != Throughout::no && change.made) operation.overtaken = true;
  if (of_another && entry.operating == Throughout::yes) return;
  if (within == Throughout::unclear || entry.operating == Throughout::unclear) {
    operation.unclear = true;
    return;
  }
  if (change.freed) operation.made = false;
  if (change.made) operation.made = true;
  operation.freed = operation.freed || change.freed || change.replaced;
  operation.counted = operation.counted || change.counted;
  operation.prolonged |= change.prolonged;
}

/// Who sleeps inside acquire() has got nothing by what it has sent.
void Operations::judge_sleeps(std::uint8_t process, Operation& operation, Stamp before,
                              std::vector<Finding>& findings) {
  std::erase_if(operation.sleeps, [&](const Sleep& sleep) {
    if (sleep.since >= before) return false;
    if (!operation.unclear && (operation.prolonged & sleep.beside) != 0)
      findings.push_back({Property::foreign_extend,
                          sim::process_name(process) +
                              " waits for the lock, and has extended the lease of who holds it",
                          process, sleep.moment});
    operation.prolonged = 0;
    return true;
  });
}

std::vector<Finding> Operations::judged(std::uint8_t process, const Operation& operation) const {
  std::vector<Finding> findings;
  const auto name = sim::process_name(process);
  const auto found = [&](Property property, const char* sentence) {
    findings.push_back({property, name + sentence, process, operation.moment});
  };
  const bool own = operation.seen_own && !operation.seen_none;
  const bool none = operation.seen_none && !operation.seen_own;
  const auto& end = operation.end;
  const bool released = end.kind == EffectKind::released;
  const bool for_others = operation.shared_beside && operation.seen_mark && !operation.seen_sure;
  if (!operation.unclear) {
    const bool failed = end.kind == EffectKind::failed;
    const bool refused = end.kind == EffectKind::refused || (failed && !end.in_release);
    if (refused && (operation.prolonged & operation.beside) != 0)
      found(Property::foreign_extend,
            " is told that it has no lock, and has extended the lease of who holds it");
    const bool given = operation.given && !operation.wanted;  // by whoever else of its process
    if (refused && (operation.made || given) && own)
      found(Property::honest_result, " is told that it has no lock, and has made the key");
    if (released && end.ok && operation.owned && !operation.freed && !for_others &&
        !kept_on_purpose_[process][end.lock])
      found(Property::honest_result,
            " is told that it has released, and removed no key of its own");
    const bool denied =
        (released && !end.ok && !end.silent) || (failed && end.in_release && operation.releasing);
    if (denied && operation.freed && none)
      found(Property::honest_result, " is told that it has not released, and has removed its key");
  }
  const bool left = end.kind == EffectKind::left;
  const bool inside = end.kind == EffectKind::reentered || (left && end.ok);
  if (inside && operation.owned && none)
    found(Property::reentrancy, " is told that it still holds the lock, and has no key of it");
  if (left && end.silent && operation.owned && operation.freed && none)
    found(Property::reentrancy, " still holds the lock, and has removed its key");
  if (released && end.ok && own && !operation.wanted && !operation.overtaken && !for_others)
    found(Property::reentrancy,
          " has released as often as it acquired, and its key is still there");
  return findings;
}

}  // namespace lockstep::live
