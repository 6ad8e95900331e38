// The client API inside a process: tasks, loops whose iterations are boundaries, mutexes.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/client/api_parts.hpp"

namespace lockstep::sim::program {
namespace {

// ---- tasks ----

/// The task sleeps from now on, and its handle is what the call answers.
int timer_starts(Run& run, lua_State* lua, Task& task, std::int64_t ms) {
  task.wait = Wait::Kind::sleep;
  task.wait_ms = ms;
  push_value(lua, HandleValue{task.serial});
  return done_or_cut(run, lua, Cut::timer);
}

/// spawn(sleep, ms) is a timer that runs from the call, as setTimeout()'s: its ms. 0: it is none.
std::int64_t timer_of(lua_State* lua) {
  if (lua_gettop(lua) != 2 || !is_sleep(lua, 1)) return 0;
  return whole_number(lua, 2).value_or(0);
}

const char* const kSpawn = "spawn";
int spawn(Vm& vm, Run& run, lua_State* lua) {
  if (!lua_isfunction(lua, 1))
    return refuse(vm, lua, fmt::format("spawn: expected a function, found {}", text_of(lua, 1)));
  const std::int64_t timer_ms = timer_of(lua);
  Task* task = spawn_task(vm, run, lua, timer_ms > 0 ? Task::Body::timer : Task::Body::call, 1);
  if (task == nullptr) return refused(lua);
  if (timer_ms > 0) return timer_starts(run, lua, *task, timer_ms);
  for (int index = 2; index <= lua_gettop(lua); ++index)
    task->arguments.push_back(run.keep(lua, index));
  push_value(lua, HandleValue{task->serial});
  return 1;
}

const char* const kEvery = "every";
int every(Vm& vm, Run& run, lua_State* lua) {
  const auto ms = whole_number(lua, 1);
  if (!ms || *ms < 1)
    return refuse(
        vm, lua,
        fmt::format("every: expected whole milliseconds of at least 1, found {} (use // to divide)",
                    text_of(lua, 1)));
  if (!lua_isfunction(lua, 2))
    return refuse(vm, lua, fmt::format("every: expected a function, found {}", text_of(lua, 2)));
  lua_settop(lua, 2);
  Task* task = spawn_task(vm, run, lua, Task::Body::every, 2);
  if (task == nullptr) return refused(lua);
  task->pause_ms = *ms;
  return timer_starts(run, lua, *task, *ms);
}

const char* const kStop = "stop";
int stop(Vm& vm, Run& run, lua_State* lua) {
  const HandleValue* handle = value_at<HandleValue>(lua, 1);
  if (handle == nullptr)
    return refuse(vm, lua, fmt::format("stop: expected a task handle, found {}", text_of(lua, 1)));
  run.stop(handle->serial);
  return run.current().stopped ? kWait : 0;
}

const char* const kAlive = "alive";
int alive(Vm& vm, Run& run, lua_State* lua) {
  const HandleValue* handle = value_at<HandleValue>(lua, 1);
  if (handle == nullptr)
    return refuse(vm, lua, fmt::format("alive: expected a task handle, found {}", text_of(lua, 1)));
  lua_pushboolean(lua, run.task_of(handle->serial) != nullptr);
  return 1;
}

/// The place, in the list of arguments, of the first task that has ended.
std::optional<int> first_ended(Run& run, lua_State* lua) {
  for (int index = 1; index <= lua_gettop(lua); ++index)
    if (run.task_of(value_at<HandleValue>(lua, index)->serial) == nullptr) return index;
  return std::nullopt;
}

int awaited(Vm& vm, lua_State* lua) {
  lua_pushinteger(lua, first_ended(*vm.run, lua).value());
  return 1;
}

const char* const kAwait = "await";
int await(Vm& vm, Run& run, lua_State* lua) {
  if (lua_gettop(lua) == 0) return refuse(vm, lua, "await: expected one task handle or more");
  std::vector<int> serials;
  for (int index = 1; index <= lua_gettop(lua); ++index) {
    const HandleValue* handle = value_at<HandleValue>(lua, index);
    if (handle == nullptr)
      return refuse(vm, lua,
                    fmt::format("await: expected a task handle, found {}", text_of(lua, index)));
    if (handle->serial == run.current().serial)
      return refuse(vm, lua, "await: this task would wait for its own end");
    serials.push_back(handle->serial);
  }
  if (first_ended(run, lua)) return awaited(vm, lua);
  run.current().awaited = std::move(serials);
  run.wait(Wait::Kind::blocked, 0);
  return kWait;
}

const char* const kTaskId = "task_id";
int task_id(Vm&, Run& run, lua_State* lua) {
  lua_pushinteger(lua, run.current().id);
  return 1;
}

const char* const kTaskLocal = "task_local";
int task_local(Vm&, Run& run, lua_State* lua) {
  Task& task = run.current();
  if (task.locals == 0) {
    lua_newtable(lua);
    task.locals = run.keep(lua, -1);
    lua_pop(lua, 1);
  }
  run.push(lua, task.locals);
  return 1;
}

/// retry() itself is Lua (below), so that its caller's frame is really gone after `return
/// retry(f)`.
int retry_begins(Vm& vm, lua_State* lua) {
  if (running(vm, lua, "retry") == nullptr) return refused(lua);
  if (!lua_isfunction(lua, 1))
    return refuse(vm, lua, fmt::format("retry: expected a function, found {}", text_of(lua, 1)));
  const bool at_latch = value_at<SemaphoreValue>(lua, 2) != nullptr;
  if (!at_latch && !lua_isnoneornil(lua, 2) && whole_number(lua, 2).value_or(0) < 1) {
    return refuse(vm, lua,
                  fmt::format("retry: expected a pause of at least 1 whole millisecond, or a "
                              "semaphore, found {}",
                              text_of(lua, 2)));
  }
  vm.run->current().iteration_waited = false;
  return 0;
}
/// Its arguments: the function, the pause, and the second result of the iteration.
int retry_ends(Vm& vm, lua_State* lua) {
  Run& run = *vm.run;
  const auto* latch = value_at<SemaphoreValue>(lua, 2);
  const std::int64_t pause_ms = whole_number(lua, 2).value_or(0);
  std::optional<std::int64_t> most_ms;
  if (latch != nullptr && !is_longest_wait(lua, 3, most_ms)) {
    vm.complain_at(run.line_of(run.keep(lua, 1)), longest_wait_expected(lua, 3));
    return refused(lua);
  }
  if (run.end_iteration(lua, pause_ms, most_ms)) return kWait;
  if (vm.stopped()) return refused(lua);
  if (latch != nullptr) return run.take_permit(run.current(), *latch, most_ms) ? 0 : kWait;
  if (pause_ms == 0) return 0;
  run.wait(Wait::Kind::sleep, pause_ms);
  return kWait;
}

int retry_goes_on(Vm& vm, lua_State* lua) {
  if (const auto* latch = value_at<SemaphoreValue>(lua, 2))
    vm.run->leave(vm.run->current(), *latch);
  return 0;
}

constexpr const char* kRetry = R"(
local begins, ends, give_up = ...
return function(f, pause)
  while true do
    begins(f, pause)
    local result, second = f()
    if result == give_up then return false end
    if result then return result, second end
    ends(f, pause, second)
  end
end)";

void add_retry(lua_State* lua) {
  LOCKSTEP_CHECK(luaL_loadbuffer(lua, kRetry, std::char_traits<char>::length(kRetry), "=retry") ==
                 LUA_OK);
  lua_pushcfunction(lua, native<retry_begins>);
  lua_pushcfunction(lua, (native<retry_ends, retry_goes_on>));
  push_give_up(lua);
  lua_call(lua, 3, 1);
  lua_setfield(lua, -2, "retry");
  push_give_up(lua);
  lua_setfield(lua, -2, "GIVE_UP");
}

// ---- mutexes ----

/// What a method is called on; null, with a complaint, if that is something else.
template <typename Value>
Value* self_of(Vm& vm, lua_State* lua, const char* method) {
  if (Value* value = value_at<Value>(lua, 1)) return value;
  const std::string_view type = kTypeName<Value>;
  vm.complain(lua, fmt::format("{0} is a {1}'s method; expected {2}:{0}()", method, type, type[0]));
  return nullptr;
}

const char* const kMutex = "mutex";
const char* const kMonitor = "monitor";

/// mutex(table): that table's own, in its field; made at once, however many threads ask for it.
int new_mutex(Vm& vm, Run& run, lua_State* lua) {
  const bool owned = !lua_isnoneornil(lua, 1);
  if (owned && !lua_istable(lua, 1))
    return refuse(vm, lua,
                  fmt::format("mutex: expected a table or nothing, found {}", text_of(lua, 1)));
  if (owned) {
    lua_pushstring(lua, kMonitor);
    lua_rawget(lua, 1);
    if (value_at<MutexValue>(lua, -1) != nullptr) return 1;
    lua_pop(lua, 1);
  }
  push_value(lua, MutexValue{run.new_mutex()});
  if (!owned) return 1;
  lua_pushstring(lua, kMonitor);
  lua_pushvalue(lua, -2);
  lua_rawset(lua, 1);
  return 1;
}

/// First come, first served.
int take_first(std::vector<int>& waiters) {
  const int first = waiters.front();
  waiters.erase(waiters.begin());
  return first;
}

int mutex_lock(Vm& vm, lua_State* lua) {
  const auto* self = self_of<MutexValue>(vm, lua, "lock");
  if (self == nullptr) return refused(lua);
  Mutex& mutex = vm.run->mutex(self->index);
  const int serial = vm.run->current().serial;
  if (mutex.owner == 0 || mutex.owner == serial + 1) {
    mutex.owner = serial + 1;
    ++mutex.depth;
    return 0;
  }
  mutex.waiters.push_back(serial);
  vm.run->wait(Wait::Kind::blocked, 0);
  return kWait;
}

int mutex_unlock(Vm& vm, lua_State* lua) {
  const auto* self = self_of<MutexValue>(vm, lua, "unlock");
  if (self == nullptr) return refused(lua);
  Mutex& mutex = vm.run->mutex(self->index);
  if (mutex.owner != vm.run->current().serial + 1)
    return raise_text(lua, "unlocks a mutex that this task has not locked");
  if (--mutex.depth > 0) return 0;
  mutex.owner = 0;
  if (mutex.waiters.empty()) return 0;
  const int next = take_first(mutex.waiters);
  mutex.owner = next + 1;
  mutex.depth = 1;
  vm.run->wake(next);
  return 0;
}

// ---- semaphores ----

const char* const kSemaphore = "semaphore";
int new_semaphore(Vm& vm, Run& run, lua_State* lua) {
  const auto permits = whole_number(lua, 1);
  if (!permits || *permits < 0)
    return refuse(
        vm, lua,
        fmt::format("semaphore: expected a whole number of permits of at least 0, found {}",
                    text_of(lua, 1)));
  push_value(lua, SemaphoreValue{run.add_semaphore(*permits)});
  return 1;
}

/// s:acquire() waits for a permit; s:acquire(ms) for at most so long. Whether it has one.
int semaphore_acquire(Vm& vm, lua_State* lua) {
  const auto* self = self_of<SemaphoreValue>(vm, lua, "acquire");
  if (self == nullptr) return refused(lua);
  std::optional<std::int64_t> most_ms;
  if (!is_longest_wait(lua, 2, most_ms))
    return refuse(vm, lua,
                  fmt::format("acquire: expected whole milliseconds (use // to divide), found {}",
                              text_of(lua, 2)));
  Run& run = *vm.run;
  if (!run.take_permit(run.current(), *self, most_ms)) return kWait;
  lua_pushboolean(lua, 1);
  return 1;
}

int semaphore_acquired(Vm& vm, lua_State* lua) {
  lua_pushboolean(lua, vm.run->leave(vm.run->current(), *value_at<SemaphoreValue>(lua, 1)) ? 1 : 0);
  return 1;
}

int semaphore_release(Vm& vm, lua_State* lua) {
  const auto* self = self_of<SemaphoreValue>(vm, lua, "release");
  if (self == nullptr) return refused(lua);
  Semaphore& semaphore = vm.run->semaphore(self->index);
  if (semaphore.waiters.empty()) {
    ++semaphore.permits;
    return 0;
  }
  const int next = take_first(semaphore.waiters);
  vm.run->task_of(next)->granted = true;
  vm.run->wake(next);
  return 0;
}

// ---- lost locks ----

const char* const kLost = "lost";
int lost(Vm& vm, Run& run, lua_State* lua) {
  if (lua_isnoneornil(lua, 1) && run.objects.size() == 1) {
    run.tell_lost(run.object_keys.front());
    return 0;
  }
  const auto lock_key = run.lock_key_at(lua, 1);
  if (!lock_key)
    return refuse(vm, lua, "lost: expected the protocol object whose lock is lost: lost(self)");
  run.tell_lost(*lock_key);
  return 0;
}

}  // namespace

Task* spawn_task(Vm& vm, Run& run, lua_State* lua, Task::Body body, int function) {
  Task* task = run.spawn(body);
  if (task == nullptr)
    vm.complain(lua, "too many tasks in one process: they are started faster than they end");
  else
    task->function = run.keep(lua, function);
  return task;
}

void add_tasks(lua_State* lua) {
  add_type<MutexValue>(lua);
  lua_newtable(lua);
  set_function(lua, "lock", native<mutex_lock, nothing>);
  set_function(lua, "unlock", native<mutex_unlock>);
  lua_setfield(lua, -2, "__index");
  add_type<SemaphoreValue>(lua);
  lua_newtable(lua);
  set_function(lua, "acquire", native<semaphore_acquire, semaphore_acquired>);
  set_function(lua, "release", native<semaphore_release>);
  lua_setfield(lua, -2, "__index");
  add_type<HandleValue>(lua);
  lua_pop(lua, 3);
  set_function(lua, kSpawn, native<in_run<spawn, kSpawn>, result_before_cut>);
  set_function(lua, kEvery, native<in_run<every, kEvery>, result_before_cut>);
  set_function(lua, kStop, native<in_run<stop, kStop>, nothing>);
  set_function(lua, kAlive, native<in_run<alive, kAlive>>);
  set_function(lua, kAwait, native<in_run<await, kAwait>, awaited>);
  set_function(lua, kTaskId, native<in_run<task_id, kTaskId>>);
  set_function(lua, kTaskLocal, native<in_run<task_local, kTaskLocal>>);
  set_function(lua, kMutex, native<in_run<new_mutex, kMutex>>);
  set_function(lua, kSemaphore, native<in_run<new_semaphore, kSemaphore>>);
  set_function(lua, kLost, native<in_run<lost, kLost>>);
  add_retry(lua);
}

}  // namespace lockstep::sim::program
