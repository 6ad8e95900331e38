// What a main task does with its locks: the workload, step by step. This half of Run is the person
// who uses the lock; the protocol's code is called from operate() only.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/client/run.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::sim::program {
namespace {

constexpr std::string_view kRead = "READ", kWrite = "WRITE";

Holding* find(Work& work, std::uint8_t lock) {
  for (Holding& holding : work.held) {
    if (holding.lock == lock) return &holding;
  }
  return nullptr;
}

bool runs_script(const std::string& name) {
  return is_name(name, "eval") || is_name(name, "evalsha") || is_name(name, "fcall");
}

/// Nor is "" a part of a name.
bool is_digits(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

void Run::lock_event(Effect::Kind kind, const Task& task, std::uint8_t lock, bool ok) {
  Effect effect;
  effect.kind = kind;
  effect.task = task.id;
  effect.lock = lock;
  effect.ok = ok;
  emit(std::move(effect));
}

void Run::begin_round(Task& task) {
  LOCKSTEP_CHECK(task.main && task.work.phase == Work::Phase::idle);
  task.work.phase = Work::Phase::between;
}

void Run::end_round(Task& task) {
  Work& work = task.work;
  if (setup_.rounds > 0) ++work.rounds_done;
  work.position = 0;
  work.mode = Work::Mode::normal;
  const bool done = setup_.rounds > 0 && work.rounds_done >= setup_.rounds;
  work.phase = done ? Work::Phase::done : Work::Phase::idle;
  start_wait(task, done ? Wait::Kind::done : Wait::Kind::idle, 0);
}

/// Carries on from one wait to the next.
void Run::go_on(Task& task) {
  while (!vm_.stopped() && advance(task)) {
  }
}

/// Does the next step; true if it is over already.
bool Run::advance(Task& task) {
  Work& work = task.work;
  if (work.mode == Work::Mode::ending && !work.held.empty())
    return operate(task, true, work.held.back().lock);
  if (work.mode == Work::Mode::normal) {
    for (Holding& holding : work.held) {
      if (holding.lost == Holding::Lost::no) continue;
      give_up(task, holding);
      break;
    }
  }
  if (work.mode == Work::Mode::ending || work.position == setup_.workload.size()) {
    end_round(task);
    return false;
  }
  return do_step(task, setup_.workload[work.position]);
}

bool Run::do_step(Task& task, const WorkStep& step) {
  Work& work = task.work;
  const bool unlock = step.kind == WorkStep::Kind::unlock;
  const bool skipped = unlock ? find(work, step.lock) == nullptr : work.mode == Work::Mode::lost;
  if (skipped) {
    ++work.position;
    return true;
  }
  switch (step.kind) {
    case WorkStep::Kind::lock:
      return operate(task, false, step.lock);
    case WorkStep::Kind::unlock:
      return operate(task, true, step.lock);
    case WorkStep::Kind::work:
      return start_work(task);
    case WorkStep::Kind::sleep:
      work.phase = Work::Phase::sleeping;
      start_wait(task, Wait::Kind::sleep, step.ms);
      return false;
    case WorkStep::Kind::call:
      work.phase = Work::Phase::calling;
      return call(task, step.method.c_str(), step.lock);
  }
  return false;
}

// ---- acquire() and release(), or those of the shared mode ----

const char* Run::method_of(const Work& work) const {
  if (is_shared(setup_, work.lock)) return work.releasing ? "release_shared" : "acquire_shared";
  return work.releasing ? "release" : "acquire";
}

bool Run::operate(Task& task, bool releasing, std::uint8_t lock) {
  Work& work = task.work;
  LOCKSTEP_CHECK(lock < setup_.lock_keys.size());
  const bool given_up = work.mode == Work::Mode::lost && work.lost_lock == lock;
  if (releasing && find(work, lock)->depth == 1)
    lock_event(Effect::Kind::releasing, task, lock, !given_up);
  work.phase = Work::Phase::operation;
  work.releasing = releasing;
  work.lock = lock;
  return call(task, method_of(work), lock);
}

/// Calls a function of the protocol; true if it is over already.
bool Run::call(Task& task, const char* method, std::uint8_t lock) {
  module_.push_class();
  lua_getfield(lua_, -1, method);
  task.body = Task::Body::call;
  task.function = keep(lua_, -1);
  task.arguments = {object_of(lock)};
  lua_pop(lua_, 2);
  start(task);
  return task.work.phase == Work::Phase::between;
}

void Run::operation_ended(Task& task, bool success, bool silent, std::string fencing) {
  const bool called = task.work.phase == Work::Phase::calling;
  task.work.phase = Work::Phase::between;
  if (called) {
    ++task.work.position;
  } else if (task.work.releasing) {
    end_release(task, success, silent);
  } else {
    end_acquire(task, success, std::move(fencing));
  }
}

void Run::end_acquire(Task& task, bool success, std::string fencing) {
  Work& work = task.work;
  if (!success) {
    lock_event(Effect::Kind::refused, task, work.lock);
    work.mode = Work::Mode::ending;
    return;
  }
  ++work.position;
  Effect effect;
  effect.kind = Effect::Kind::acquired;
  effect.task = task.id;
  effect.lock = work.lock;
  if (Holding* holding = find(work, work.lock)) {
    effect.kind = Effect::Kind::reentered;
    effect.depth = static_cast<std::uint8_t>(++holding->depth);
    emit(std::move(effect));
    return;
  }
  effect.fencing = fencing;
  emit(std::move(effect));
  work.held.push_back({work.lock, 1, Holding::Lost::no, std::move(fencing)});
  if (is_left_at_once(work)) {
    work.phase = Work::Phase::interrupted;
    start_wait(task, Wait::Kind::runnable, 0);
  }
}

/// Whether the workload releases what was just acquired. However short a critical section is,
/// others may be in theirs meanwhile.
bool Run::is_left_at_once(const Work& work) const {
  if (work.position == setup_.workload.size()) return false;
  const WorkStep& next = setup_.workload[work.position];
  return next.kind == WorkStep::Kind::unlock && next.lock == work.lock;
}

void Run::end_release(Task& task, bool success, bool silent) {
  Work& work = task.work;
  Holding* holding = find(work, work.lock);
  if (work.mode != Work::Mode::ending) ++work.position;
  Effect effect;
  effect.task = task.id;
  effect.lock = work.lock;
  effect.ok = success;
  effect.silent = silent;
  if (--holding->depth > 0) {
    effect.kind = Effect::Kind::left;
    effect.depth = static_cast<std::uint8_t>(holding->depth);
    emit(std::move(effect));
    return;
  }
  work.held.erase(work.held.begin() + (holding - work.held.data()));
  if (work.mode == Work::Mode::lost && work.lost_lock == work.lock) work.mode = Work::Mode::normal;
  effect.kind = Effect::Kind::released;
  emit(std::move(effect));
}

/// Whether something hears now that it gets no answer to a request that may have made, or freed,
/// what there is of the lock: a script may have put its key together.
bool Run::leaves_open(std::uint8_t lock) const {
  const std::vector<std::string> keys = module_.lease_keys(setup_.lock_keys.at(lock));
  return std::any_of(unanswered_.begin(), unanswered_.end(), [&](const Request& request) {
    const bool scripted = runs_script(request.at(0));
    return is_name(request.at(0), "exec") ||
           std::any_of(request.begin() + 1, request.end(), [&](const std::string& word) {
             return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
               return word == key ||
                      (scripted && !is_digits(word) && key.find(word) != std::string::npos);
             });
           });
  });
}

/// What the function answers is its caller's business; an error ends the round.
void Run::call_failed(Task& task, const std::string& text) {
  Effect effect;
  effect.kind = Effect::Kind::log;
  effect.task = task.id;
  effect.text = setup_.workload[task.work.position].method + "() ended in an error: " + text;
  emit(std::move(effect));
  task.work.mode = Work::Mode::ending;
  task.work.phase = Work::Phase::between;
}

/// An error ends the round. A lock whose release failed is not released again; the others are.
void Run::operation_failed(Task& task, std::string text, bool of_request) {
  Work& work = task.work;
  if (work.phase == Work::Phase::calling) return call_failed(task, text);
  Effect effect;
  effect.kind = Effect::Kind::failed;
  effect.task = task.id;
  effect.lock = work.lock;
  effect.in_release = work.releasing;
  effect.leaves_open = (of_request && work.releasing) || leaves_open(work.lock);
  effect.text = std::move(text);
  emit(std::move(effect));
  if (work.releasing)
    std::erase_if(work.held, [&](const Holding& holding) { return holding.lock == work.lock; });
  work.mode = Work::Mode::ending;
  work.phase = Work::Phase::between;
}

// ---- work ----

/// Begins a `work` step. Work without a lock does not touch the resource.
bool Run::start_work(Task& task) {
  if (task.work.held.empty()) {
    after_read(task, true);
    return task.work.phase == Work::Phase::between;
  }
  touch_resource(task, kRead);
  task.work.phase = Work::Phase::reading;
  return false;
}

/// Whether who holds it is alone with the resource.
bool Run::excludes(const Holding& holding) const {
  return module_.permits() == 1 && !is_shared(setup_, holding.lock);
}

void Run::touch_resource(Task& task, std::string_view verb) {
  Effect effect;
  effect.kind = Effect::Kind::send;
  effect.task = task.id;
  effect.node = kResource;
  effect.request = {std::string(verb)};
  for (std::size_t i = task.work.held.size(); i > 0; --i) {  // the one acquired last comes first
    const Holding& holding = task.work.held[i - 1];
    if (verb == kWrite && !excludes(holding)) continue;
    if (effect.request.size() == 1) effect.request.push_back(holding.fencing);
    effect.request.push_back(setup_.lock_keys[holding.lock]);
  }
  emit(std::move(effect));
  start_wait(task, Wait::Kind::replies, 0);
}

void Run::after_read(Task& task, bool accepted) {
  Work& work = task.work;
  if (!accepted && work.held.back().lost == Holding::Lost::no)  // only a holder asks
    work.held.back().lost = Holding::Lost::refused;
  bool lost = false;
  for (const Holding& holding : work.held) lost = lost || holding.lost != Holding::Lost::no;
  if (lost) {  // what comes next finds out
    ++work.position;
    work.phase = Work::Phase::between;
    return;
  }
  work.phase = Work::Phase::working;
  start_wait(task, Wait::Kind::work, setup_.workload[work.position].ms);
}

void Run::write(Task& task) {
  const auto excludes_nobody = [this](const Holding& holding) { return !excludes(holding); };
  if (std::ranges::all_of(task.work.held, excludes_nobody)) {
    ++task.work.position;
    task.work.phase = Work::Phase::between;
    return;
  }
  touch_resource(task, kWrite);
  task.work.phase = Work::Phase::writing;
}

// ---- lost locks ----

void Run::tell_lost(const std::string& key) {
  for (const auto& each : tasks) {
    if (!each->main) continue;
    bool concerned = false;
    for (Holding& holding : each->work.held) {
      if (setup_.lock_keys[holding.lock] != key) continue;
      holding.lost = Holding::Lost::told;
      concerned = true;
    }
    if (!concerned) continue;
    if (each->work.phase != Work::Phase::working) continue;
    each->work.phase = Work::Phase::interrupted;
    start_wait(*each, Wait::Kind::runnable, 0);
  }
}

/// The workload handles *lost*: everything up to the lock's release is skipped.
void Run::give_up(Task& task, Holding& holding) {
  Work& work = task.work;
  const bool told = std::exchange(holding.lost, Holding::Lost::no) == Holding::Lost::told;
  work.mode = Work::Mode::lost;
  work.lost_lock = holding.lock;
  lock_event(Effect::Kind::lost, task, holding.lock, told);
}

}  // namespace lockstep::sim::program
