// What becomes of acquire() and release(): what is claimed by it, what of the holdings.
#include <algorithm>

#include "sim/world/infos.hpp"
#include "sim/world/process_step.hpp"

namespace lockstep::sim {

/// What acquire() has done is a claim of nobody who holds the lock.
void ProcessStep::refused(TaskId task, std::uint8_t lock) {
  const Operation& operation = process_.operation(task);
  const auto with_given = static_cast<NodeSet>(operation.made | operation.given);
  if (setting_.enough(operation.made) || (setting_.enough(with_given) && !key_in_use(task, lock)))
    report_.claims.refused_made |= only<LockSet>(lock);
  keeps_alive_in_vain(operation, setting_.sharing[lock]);
}

/// An error of the program's own says no.
void ProcessStep::failed_by_itself(const Effect& effect, std::uint8_t lock) {
  if (!effect.in_release) return refused(effect.task, lock);
  const Operation& operation = process_.operation(effect.task);
  if (operation.releasing && setting_.enough(operation.freed))
    report_.claims.denied |= only<LockSet>(lock);
}

/// Who does not get the lock keeps no lease of others alive, of who holds one of these.
void ProcessStep::keeps_alive_in_vain(const Operation& operation, LockSet locks) {
  if (operation.prolonged == 0) return;
  for (Maker maker = 1; maker <= setting_.processes; ++maker)
    for (std::uint8_t other = 0; other < setting_.locks.size(); ++other)
      if (has_maker(operation.prolonged, maker) && has(locks, other))
        report_.leases.push_back({LeaseChange::Kind::extended, other, maker});
}

void ProcessStep::acquired(const Effect& effect, std::uint8_t lock) {
  for (const auto& holding : process_.holdings)
    if (setting_.permits == 1 && holding.task != effect.task &&
        has(setting_.conflicting[lock], holding.lock))
      report_.facts.violated |= only(Property::mutual_exclusion);
  bool owned = setting_.enough(process_.operation(effect.task).made);
  if (!owned) {
    reads_.owned = true;
    owned = has(around_.owned, lock);
  }
  still_inside_other_mode(effect.task, lock);
  process_.holdings.push_back({effect.task, lock, owned});
  if (setting_.waits_for_free) report_.claims.turned |= setting_.with_key[lock];
  if (setting_.overtakes) report_.entered.push_back(lock);
  LockSet& given_up = process_.operation(effect.task).given_up;
  given_up = without(given_up, lock);
  report_.facts.witnessed |= only(Witness::acquired);
  if (owned) report_.facts.witnessed |= only(Witness::owned);
  if (process_.index < setting_.processes)
    report_.facts.acquired_by |= only<ProcessSet>(process_.index);
  report_.claims.acquired |= only<LockSet>(lock);
  end_operation(effect.task);
}

void ProcessStep::released(const Effect& effect, std::uint8_t lock) {
  const Operation& operation = process_.operation(effect.task);
  const bool freed = setting_.enough(operation.freed);
  if (effect.silent || effect.ok) still_inside_other_mode(effect.task, lock);
  if (effect.silent ? operation.owned && !freed : !effect.ok)
    report_.claims.kept_on |= only<LockSet>(lock);
  if (effect.silent) {
    if (freed || !operation.owned) report_.facts.witnessed |= only(Witness::released);
  } else if (effect.ok) {
    report_.facts.witnessed |= only(Witness::released);
    if (operation.owned && !freed && !operation.stayed && !in_other_mode(effect.task, lock))
      report_.claims.unfreed |= only<LockSet>(lock);
    if (!operation.succeeded && !key_in_use(effect.task, lock)) {
      report_.claims.outside |= only<LockSet>(lock);
      if (operation.counted) report_.claims.discounted |= only<LockSet>(lock);
    }
  } else if (freed) {
    report_.claims.denied |= only<LockSet>(lock);
  }
  end_operation(effect.task);
}

void ProcessStep::stop_holding(TaskId task, std::uint8_t lock) {
  if (owns(task, lock)) report_.claims.ended |= only<LockSet>(lock);
  if (setting_.waits_for_free) {
    report_.claims.turned |= setting_.with_key[lock];
    if (setting_.counts_doings(process_.index)) Doings::count(process_.doings.starts);
  }
  std::erase_if(process_.holdings,
                [&](const Holding& h) { return h.task == task && h.lock == lock; });
}

void ProcessStep::end_operation(TaskId task, Outlived of_given_up) {
  Operation& operation = process_.operation(task);
  operation.made = operation.given = operation.freed = 0;
  operation.keeps_mode = false;
  operation.releasing = operation.counted = operation.owned = operation.succeeded =
      operation.stayed = operation.wrote = false;
  operation.prolonged = 0;
  operation.answered.clear();
  std::erase_if(process_.waiting, [&](const Waiting& waiting) { return waiting.task == task; });
  std::erase_if(process_.returns,
                [&](const Return& given_back) { return given_back.task == task; });
  for (auto& connection : process_.connections) {
    const auto note = [of_given_up](Outlived& outlived) {
      if (outlived == Outlived::no) outlived = of_given_up;
    };
    if (connection.task == task && !connection.open) note(connection.outlived);
    for (auto& message : connection.messages)
      if (connection.shared() && message.task == task && (message.unheard || !connection.open))
        note(message.outlived);
  }
}

/// Whether the process holds, by a task, a lock that has a lease key in common with this one, or
/// another task is inside an operation on one.
bool ProcessStep::key_in_use(TaskId task, std::uint8_t lock) const {
  for (const auto& holding : process_.holdings)
    if (has(setting_.sharing[lock], holding.lock)) return true;
  for (const auto& wait : automaton_.state(process_.program).tasks) {
    if (wait.task == task || !wait.in_operation) continue;
    if (has(setting_.sharing[lock], setting_.lock_of(process_.index, wait.lock))) return true;
  }
  return false;
}

/// Whether the process had something of the lock's keys when the task acquired it.
bool ProcessStep::owns(TaskId task, std::uint8_t lock) const {
  return std::any_of(process_.holdings.begin(), process_.holdings.end(),
                     [&](const Holding& h) { return h.task == task && h.lock == lock && h.owned; });
}

/// The task is told so. Of a lock that has never shown in its keys nothing can be said.
void ProcessStep::still_inside(TaskId task, std::uint8_t lock) {
  if (owns(task, lock)) report_.claims.inside |= only<LockSet>(lock);
}

/// What the task holds in the other mode of the key; null: nothing.
const Holding* ProcessStep::in_other_mode(TaskId task, std::uint8_t lock) const {
  const auto other = std::ranges::find_if(process_.holdings, [&](const Holding& holding) {
    return holding.task == task && holding.lock != lock &&
           has(setting_.with_key[lock], holding.lock);
  });
  return other == process_.holdings.end() ? nullptr : &*other;
}

/// The task is told so of what it holds in the other mode.
void ProcessStep::still_inside_other_mode(TaskId task, std::uint8_t lock) {
  if (const Holding* other = in_other_mode(task, lock)) still_inside(task, other->lock);
}

/// Who sleeps before it asks again does not get the lock; one of many may have joined them.
void ProcessStep::judge_sleeps(const std::vector<Wait>& tasks) {
  for (Operation& operation : process_.operations) {
    if (operation.prolonged == 0) continue;
    const auto wait = std::ranges::find(tasks, operation.task, &Wait::task);
    if (wait == tasks.end() || !wait->in_acquire || wait->kind != Wait::Kind::sleep || !wait->fresh)
      continue;
    const std::uint8_t lock = setting_.lock_of(process_.index, wait->lock);
    const LockSet many = has(setting_.shared, lock) ? setting_.shared : LockSet{0};
    if (setting_.permits == 1)
      keeps_alive_in_vain(operation, static_cast<LockSet>(setting_.sharing[lock] & ~many));
    operation.prolonged = 0;
  }
}

}  // namespace lockstep::sim
