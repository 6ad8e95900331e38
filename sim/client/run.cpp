// Tasks and their coroutines: how an observation reaches the guest, and what becomes of a task that
// ends or parks.
#include "sim/client/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/values.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim::program {
namespace {

constexpr std::size_t kMostTasks = 64;  ///< of one process

}  // namespace

Run::Run(Vm& vm, const Module& module, const ProcessSetup& setup)
    : vm_(vm), module_(module), setup_(setup), lua_(vm.state()) {
  lua_settop(lua_, 0);
  lua_createtable(lua_, 16, 0);  // the anchors
  vm_.run = this;
  lua_newtable(lua_);
  process_table = keep(lua_, -1);
  lua_pop(lua_, 1);
  for (const std::string& key : setup_.lock_keys) {
    if (std::ranges::find(object_keys, key) != object_keys.end()) continue;  // in another mode
    lua_createtable(lua_, 0, 6);
    push_string(lua_, key);
    lua_setfield(lua_, -2, "key");
    lua_pushinteger(lua_, setup_.lease_ms);
    lua_setfield(lua_, -2, "ttl_ms");
    push(lua_, process_table);
    lua_setfield(lua_, -2, "process");
    module_.push_instance_metatable();
    lua_setmetatable(lua_, -2);
    objects.push_back(keep(lua_, -1));
    object_keys.push_back(key);
    lua_pop(lua_, 1);
  }
  for (int id = 0; id < setup_.threads; ++id) {
    auto task = std::make_unique<Task>();
    task->id = static_cast<TaskId>(id);
    task->serial = id;
    task->main = true;
    tasks.push_back(std::move(task));
  }
}

Run::~Run() {
  vm_.run = nullptr;
  lua_settop(lua_, 0);
}

void Run::use_up_rounds(std::span<const int> rounds_done) {
  LOCKSTEP_CHECK(rounds_done.size() == tasks.size());
  for (std::size_t id = 0; id < tasks.size(); ++id) {
    Task& task = *tasks[id];
    task.work.rounds_done = rounds_done[id];
    if (setup_.rounds == 0 || rounds_done[id] < setup_.rounds) continue;
    task.work.phase = Work::Phase::done;
    task.wait = Wait::Kind::done;
  }
}

// ---- observations ----

void Run::feed(const Observation& observation) {
  vm_.reset_instructions();
  observation_ = &observation;
  answers_used_ = 0;
  ways_ = 1;
  instants_before_ = instants;
  compared_.clear();
  ordered_tokens_ = retries_within_ = false;
  effects_.clear();
  unanswered_.clear();
  freed_.clear();
  again_.reset();
  cuts_ = 0;
  cut_ = Cut::none;
  for (const auto& each : tasks) each->fresh = false;
  const bool lives = std::any_of(tasks.begin(), tasks.end(),
                                 [&](const auto& each) { return each->id == observation.task; });
  if (!is_sound(lives)) return;
  Task& observer = task(observation.task);
  const bool main = observer.main;
  observe(observer, observation);  // may end a spawned task, never a main one
  if (vm_.stopped() || strange_) return;
  if (main && observer.work.phase == Work::Phase::between) go_on(observer);
  if (!vm_.stopped() && !strange_ && !may_leave_answers)
    is_sound(answers_used_ == observation.answers.size());
  ++observed_;
}

/// What is observed follows from what was waited for, unless the path was changed by hand.
bool Run::is_sound(bool condition) {
  if (tolerates_strange_paths) {
    strange_ = strange_ || !condition;
  } else {
    LOCKSTEP_CHECK(condition);
  }
  return condition;
}

void Run::observe(Task& task, const Observation& observation) {
  switch (observation.kind) {
    case Observation::Kind::begin:
      if (!is_sound(task.main && task.wait == Wait::Kind::idle)) return;
      return begin_round(task);
    case Observation::Kind::run:
      if (!is_sound(task.wait == Wait::Kind::runnable || task.wait == Wait::Kind::interrupted))
        return;
      return run_task(task);
    case Observation::Kind::timer:
      if (!is_sound(task.wait == Wait::Kind::sleep || task.wait == Wait::Kind::work)) return;
      return timer(task);
    case Observation::Kind::reply:
    case Observation::Kind::broken:
    case Observation::Kind::timeout:
      if (!is_sound(task.wait == Wait::Kind::replies || task.wait == Wait::Kind::message)) return;
      return task.listens() ? hear(task, observation) : outcome(task, observation);
  }
}

void Run::run_task(Task& task) {
  if (task.main && task.work.phase == Work::Phase::interrupted) {
    task.work.phase = Work::Phase::between;
  } else if (!task.unsent.empty()) {
    send_unsent(task);
  } else if (task.thread == nullptr) {
    start(task);
  } else {
    resume(task, 0);
  }
}

void Run::timer(Task& task) {
  if (task.thread != nullptr) return resume(task, 0);
  if (task.listens()) return subscribe(task);
  if (task.body == Task::Body::timer) return remove(task);
  if (!task.main || in_protocol(task.work)) return start(task);
  if (task.work.phase == Work::Phase::working) return write(task);
  LOCKSTEP_CHECK(task.work.phase == Work::Phase::sleeping);
  ++task.work.position;
  task.work.phase = Work::Phase::between;
}

void Run::outcome(Task& task, const Observation& observation) {
  if (task.main && task.work.phase == Work::Phase::reading) {
    return after_read(
        task, observation.kind == Observation::Kind::reply && !observation.reply->is_error());
  }
  if (task.main && task.work.phase == Work::Phase::writing) {
    ++task.work.position;
    task.work.phase = Work::Phase::between;
    return;
  }
  bool found = false, pending = false;
  for (Call& call : task.calls) {
    if (call.outcome != Call::Outcome::pending) continue;
    if (observation.kind == Observation::Kind::timeout) {
      call.outcome = Call::Outcome::timeout;
      found = true;
    } else if (call.node == observation.node && !found) {
      const bool reply = observation.kind == Observation::Kind::reply;
      call.outcome = reply ? Call::Outcome::reply : Call::Outcome::broken;
      call.reply = observation.reply;
      found = true;
    }
    pending = pending || call.outcome == Call::Outcome::pending;
  }
  if (!is_sound(found) || (pending && !task.hears_each)) return;
  for (const Call& call : task.calls)
    if (call.outcome == Call::Outcome::broken || call.outcome == Call::Outcome::timeout)
      unanswered_.push_back(call.request);
  for (const auto& each : tasks)  // what a spawned task asks is asked for every operation
    if (each->main && (!task.main || each->id == task.id))
      each->work.unheard.insert(each->work.unheard.end(), unanswered_.begin(), unanswered_.end());
  resume(task, 0);
}

// ---- coroutines ----

/// A coroutine with the task's function on its stack, for its arguments to come.
void Run::open_thread(Task& task) {
  task.thread = lua_newthread(lua_);
  task.thread_anchor = keep(lua_, -1);
  lua_pop(lua_, 1);
  task.iteration_waited = false;
  task.work.unheard.clear();
  push(task.thread, task.function);
}

void Run::start(Task& task) {
  if (task.latch != 0) leave(task, latch_of(task));
  open_thread(task);
  if (task.body == Task::Body::call) {
    for (const Anchor argument : task.arguments) push(task.thread, argument);
  }
  resume(task, task.body == Task::Body::call ? static_cast<int>(task.arguments.size()) : 0);
}

void Run::resume(Task& task, int arguments) {
  current_ = &task;
  int results = 0;
  const int status = vm_.resume(task.thread, arguments, &results);
  current_ = nullptr;
  if (vm_.stopped()) return;
  if (status == LUA_OK) return finished(task, results);
  if (status != LUA_YIELD) return died(task);
  if (task.stopped) return remove(task);
  if (!std::exchange(task.parking, false)) return;
  drop_thread(task);
  iteration_over(task);
}

void Run::drop_thread(Task& task) {
  if (task.thread == nullptr) return;
  lua_pushnil(lua_);
  lua_rawseti(lua_, kAnchors, task.thread_anchor);
  task.thread = nullptr;
  task.calls.clear();
}

/// The task's function has returned; its results are on top of the coroutine's stack.
void Run::finished(Task& task, int results) {
  lua_State* thread = task.thread;
  lua_settop(thread, lua_gettop(thread) - results + std::min(results, 2));
  lua_settop(thread, lua_gettop(thread) + 2 - std::min(results, 2));  // exactly two
  const bool gives_up = is_give_up(thread, -2);
  const bool success = lua_toboolean(thread, -2) != 0 && !gives_up;
  const bool stop = lua_isboolean(thread, -2) && !success;
  const bool again = task.body == Task::Body::retry && !success && !gives_up;
  if (again && task.latch != 0 && !is_longest_wait(thread, -1, task.most_ms))
    vm_.complain_at(line_of(task.function), longest_wait_expected(thread, -1));
  std::string fencing;
  const bool acquired = task.work.phase == Work::Phase::operation && !task.work.releasing;
  if (task.main && success && acquired) fencing = fencing_token(task, thread, -1);
  drop_thread(task);
  if (vm_.stopped()) return;
  if (again) return iteration_over(task);
  if (task.main) return operation_ended(task, success, results == 0, std::move(fencing));
  if (task.body == Task::Body::listen && !stop) return start_wait(task, Wait::Kind::message, 0);
  if (task.body != Task::Body::every || stop) return remove(task);
  start_wait(task, Wait::Kind::sleep, task.pause_ms);
}

std::string Run::fencing_token(const Task& task, lua_State* thread, int index) {
  if (lua_isnil(thread, index)) return "";
  if (const auto number = whole_number(thread, index)) return std::to_string(*number);
  if (lua_type(thread, index) == LUA_TSTRING) return std::string(string_at(thread, index));
  module_.push_class();
  lua_getfield(lua_, -1, method_of(task.work));
  const Anchor acquire = keep(lua_, -1);
  lua_pop(lua_, 2);
  vm_.complain_at(
      line_of(acquire),
      fmt::format(
          "acquire's second result, the fencing token, is {}; expected a string or a whole number",
          text_of(thread, index)));
  return "";
}

/// The task's function has ended in an error, which is on top of the coroutine's stack.
void Run::died(Task& task) {
  std::string text = text_of(task.thread, -1);
  const bool unanswered = tells_of_no_answer(task.thread, -1);
  if (unanswered)  // it may have been caught before
    unanswered_.insert(unanswered_.end(), task.work.unheard.begin(), task.work.unheard.end());
  const bool of_request = unanswered || is_answered_error(task.thread, -1);
  drop_thread(task);
  if (task.main) return operation_failed(task, std::move(text), of_request);
  Effect effect;
  effect.kind = Effect::Kind::log;
  effect.task = task.id;
  effect.text = "ended by an uncaught error: " + text;
  emit(std::move(effect));
  remove(task);
}

void Run::remove(const Task& task) {
  const int serial = task.serial;
  freed_.push_back(task.id);
  for (Mutex& each : mutexes_) std::erase(each.waiters, serial);
  for (Semaphore& each : semaphores_) std::erase(each.waiters, serial);
  const auto place = std::find_if(tasks.begin(), tasks.end(),
                                  [&](const auto& each) { return each.get() == &task; });
  drop_thread(**place);
  tasks.erase(place);
  for (const auto& each : tasks)
    if (std::erase(each->awaited, serial) > 0) {
      each->awaited.clear();
      wake(each->serial);
    }
}

// ---- for the client API ----

const std::string* Run::answer(const Query& query) {
  if (asks_too_much(query)) return nullptr;
  if (answers_used_ == observation_->answers.size()) {
    vm_.ask(query);
    return nullptr;
  }
  const std::string& said = observation_->answers[answers_used_];
  const bool number = !said.empty() && said.find_first_not_of("-0123456789") == said.npos;
  if (query.kind != Query::Kind::token && !number) {  // it is another question's
    LOCKSTEP_CHECK(tolerates_strange_paths);
    vm_.ask(query);
    return nullptr;
  }
  note_clock(query);
  ++answers_used_;
  return &said;
}

/// A program that asks on and on would otherwise never come to its next wait.
bool Run::asks_too_much(const Query& query) {
  const ProgramLimits& limits = vm_.limits();
  if (query.kind == Query::Kind::choice) ways_ *= query.choices;
  std::string complaint;
  if (ways_ > limits.ways)
    complaint = fmt::format("choose: more than {} ways in one step", limits.ways);
  else if (answers_used_ >= limits.queries)
    complaint = fmt::format(
        "asked {} times for a clock, a token or a choice without waiting for "
        "anything",
        limits.queries);
  if (complaint.empty()) return false;
  vm_.complain(current_->thread, complaint);
  return true;
}

/// An instant of the step under way is now; one from before keeps what it is.
void Run::note_clock(const Query& query) {
  const auto is_now = [&](std::uint16_t instant) { return instant >= instants_before_ ? 1 : 0; };
  const bool absolute = query.kind == Query::Kind::absolute;
  if (!absolute && query.kind != Query::Kind::difference) return;
  const int slope = is_now(query.first) - (absolute ? 0 : is_now(query.second));
  const bool at_once = !absolute && slope == 0 && is_now(query.first) == 1;
  clock_answers_.push_back({observed_, answers_used_, absolute, slope, at_once});
}

void Run::show_operand(int place, bool right, Operand operand) {
  if (right)
    show_comparison(place, left_operands_[place], operand);
  else
    left_operands_[place] = std::move(operand);
}

void Run::show_comparison(int place, const Operand& left, const Operand& right) {
  add_compared(place, left, right, compared_);
  ordered_tokens_ = ordered_tokens_ || orders_tokens(place, left, right);
}

void Run::emit(Effect effect) { effects_.push_back(std::move(effect)); }

bool Run::cut_here(Cut place) {
  if (place == Cut::access && !observation_->by_access) return false;
  if (++cuts_ != observation_->cut) return false;
  cut_ = place;
  return true;
}

void Run::start_wait(Task& task, Wait::Kind kind, std::int64_t ms) {
  task.wait = kind;
  task.wait_ms = ms;
  task.fresh = true;
}

bool Run::is_deciding() {
  if (current_->decides) vm_.complain(current_->thread, "call_all: `enough` must not wait");
  return current_->decides;
}

void Run::wait(Wait::Kind kind, std::int64_t ms) {
  if (is_deciding()) return;
  start_wait(*current_, kind, ms);
  current_->iteration_waited = true;
}

std::optional<std::uint16_t> Run::read_clock(bool wall) {
  if (instants > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  Effect effect;
  effect.kind = Effect::Kind::instant;
  effect.task = current_->id;
  effect.wall = wall;
  emit(std::move(effect));
  return static_cast<std::uint16_t>(instants++);
}

Task* Run::spawn(Task::Body body) {
  if (tasks.size() >= kMostTasks) return nullptr;
  const auto taken = [&](TaskId id) {
    const auto has_id = [&](const auto& each) { return each->id == id; };
    return std::any_of(tasks.begin(), tasks.end(), has_id) ||
           std::find(freed_.begin(), freed_.end(), id) != freed_.end();
  };
  TaskId id = 0;
  while (taken(id)) ++id;
  const auto place =
      std::find_if(tasks.begin(), tasks.end(), [&](const auto& each) { return each->id > id; });
  auto task = std::make_unique<Task>();
  task->id = id;
  task->serial = next_serial();
  task->body = body;
  start_wait(*task, Wait::Kind::runnable, 0);
  return tasks.insert(place, std::move(task))->get();
}

void Run::stop(int serial) {
  Task* stopped = task_of(serial);
  if (stopped == nullptr) return;
  if (stopped == current_) {
    stopped->stopped = true;
  } else {
    remove(*stopped);
  }
}

Task* Run::task_of(int serial) {
  for (const auto& each : tasks) {
    if (each->serial == serial) return each.get();
  }
  return nullptr;
}

Task& Run::task(TaskId id) {
  for (const auto& each : tasks) {
    if (each->id == id) return *each;
  }
  fail("a live task is observed", __FILE__, __LINE__);
}

int Run::next_serial() { return serials_++; }

int Run::add_mutex(Mutex mutex) {
  mutexes_.push_back(std::move(mutex));
  return static_cast<int>(mutexes_.size()) - 1;
}

int Run::add_semaphore(std::int64_t permits) {
  semaphores_.push_back({permits, {}});
  return static_cast<int>(semaphores_.size()) - 1;
}

int Run::new_mutex() { return add_mutex({}); }

void Run::wake(int serial) {
  if (Task* woken = task_of(serial)) start_wait(*woken, Wait::Kind::runnable, 0);
}

std::optional<std::string> Run::lock_key_at(lua_State* lua, int index) {
  for (std::size_t at = 0; at < objects.size(); ++at) {
    push(lua, objects[at]);
    const bool same = lua_rawequal(lua, -1, index) != 0;
    lua_pop(lua, 1);
    if (same) return object_keys[at];
  }
  return std::nullopt;
}

const SettingValue* Run::setting(const std::string& name) const {
  const auto given = setup_.settings.find(name);
  if (given != setup_.settings.end()) return &given->second;
  const auto declared = module_.settings().find(name);
  return declared == module_.settings().end() ? nullptr : &declared->second;
}

Anchor Run::object_of(std::uint8_t lock) const {
  const auto key = std::ranges::find(object_keys, setup_.lock_keys.at(lock));
  return objects.at(static_cast<std::size_t>(key - object_keys.begin()));
}

int Run::line_of(Anchor function) {
  push(lua_, function);
  if (!lua_isfunction(lua_, -1)) {
    lua_pop(lua_, 1);
    return 0;
  }
  lua_Debug about;
  lua_getinfo(lua_, ">S", &about);
  return std::max(about.linedefined, 0);
}

Anchor Run::keep(lua_State* from, int index) {
  lua_pushvalue(from, index);
  if (from != lua_) lua_xmove(from, lua_, 1);
  lua_rawseti(lua_, kAnchors, ++anchors_);
  return anchors_;
}

void Run::push(lua_State* to, Anchor anchor) {
  lua_rawgeti(lua_, kAnchors, anchor);
  if (to != lua_) lua_xmove(lua_, to, 1);
}

// ---- what it came to ----

bool Run::at_boundary() const {
  return std::all_of(tasks.begin(), tasks.end(),
                     [](const auto& each) { return each->thread == nullptr; });
}

std::vector<int> Run::with_coroutine() const {
  std::vector<int> serials;
  for (const auto& each : tasks)
    if (each->thread != nullptr) serials.push_back(each->serial);
  return serials;
}

int Run::unfinished_line() const {
  for (const auto& each : tasks) {
    if (each->thread == nullptr) continue;
    if (const int line = Vm::line(each->thread)) return line;
  }
  return 0;
}

Step Run::report_stopped() {
  Step step;
  step.stopped = true;
  step.effects = std::move(effects_);
  step.compared = std::move(compared_);
  step.clock_answers = std::move(clock_answers_);
  return step;
}

Step Run::report() {
  Step step;
  step.effects = std::move(effects_);
  for (const auto& each : tasks) {
    Wait wait;
    wait.task = each->id;
    wait.kind = each->wait;
    wait.ms = each->wait_ms;
    wait.fresh = each->fresh;
    wait.subscribes = each->wait == Wait::Kind::replies && each->listens();
    wait.together = each->wait == Wait::Kind::replies && !each->listens() && !each->hears_each;
    wait.told = each->wait == Wait::Kind::blocked || each->body == Task::Body::timer ||
                waits_for_permit(*each);
    wait.in_operation = each->main && each->work.phase == Work::Phase::operation;
    wait.in_acquire = wait.in_operation && !each->work.releasing;
    if (wait.in_operation) wait.lock = each->work.lock;
    wait.in_call = each->main && each->work.phase == Work::Phase::calling;
    step.tasks.push_back(wait);
  }
  step.again = again_;
  step.cuts = cuts_;
  step.cut = cut_;
  step.compared = std::move(compared_);
  step.clock_answers = std::move(clock_answers_);
  step.ordered_tokens = ordered_tokens_;
  step.retries_within = retries_within_;
  if (at_boundary()) step.boundary = encode_snapshot(vm_, module_, *this, &step.instants);
  return step;
}

}  // namespace lockstep::sim::program
