// retry(): where an iteration ends, and what it waits for until the next one begins: a pause, or a
// permit of a semaphore.
#include <algorithm>
#include <utility>

#include "sim/client/run.hpp"
#include "sim/client/values.hpp"

namespace lockstep::sim::program {

bool Run::end_iteration(lua_State* lua, std::int64_t pause_ms,
                        std::optional<std::int64_t> most_ms) {
  const bool at_latch = value_at<SemaphoreValue>(lua, 2) != nullptr;
  lua_Debug below;  // level 0 is the C function that called us, level 1 is retry() itself
  if (lua_getstack(lua, 2, &below) != 0) {
    if (!current_->iteration_waited && pause_ms == 0 && !at_latch) {
      vm_.complain(
          lua,
          "retry: its function returned no true value and waited for nothing: an endless loop");
    }
    retries_within_ = true;
    return false;
  }
  current_->function = keep(lua, 1);
  current_->body = Task::Body::retry;
  current_->arguments.clear();
  current_->pause_ms = pause_ms;
  current_->latch = at_latch ? keep(lua, 2) : 0;
  current_->most_ms = most_ms;
  current_->parking = true;
  return true;
}

void Run::iteration_over(Task& task) {
  if (task.pause_ms > 0) return start_wait(task, Wait::Kind::sleep, task.pause_ms);
  if (task.latch != 0) {
    if (take_permit(task, latch_of(task), std::exchange(task.most_ms, {}))) go_round(task);
    return;
  }
  if (!task.iteration_waited) {
    vm_.complain_at(
        line_of(task.function),
        "retry: this function returned no true value and waited for nothing: an endless loop");
    return;
  }
  go_round(task);
}

/// The next iteration of retry() begins at once.
void Run::go_round(Task& task) {
  start_wait(task, Wait::Kind::runnable, 0);
  if (at_boundary()) {
    again_ = task.id;
  } else {
    start(task);
  }
}

SemaphoreValue Run::latch_of(const Task& task) {
  push(lua_, task.latch);
  const SemaphoreValue latch = *value_at<SemaphoreValue>(lua_, -1);
  lua_pop(lua_, 1);
  return latch;
}

bool Run::take_permit(Task& task, const SemaphoreValue& of, std::optional<std::int64_t> most_ms) {
  Semaphore& from = semaphore(of.index);
  if (from.permits > 0) {
    --from.permits;
    return true;
  }
  if (current_ == &task && is_deciding()) return false;
  from.waiters.push_back(task.serial);
  start_wait(task, most_ms ? Wait::Kind::sleep : Wait::Kind::blocked, most_ms.value_or(0));
  task.iteration_waited = true;
  return false;
}

bool Run::leave(Task& task, const SemaphoreValue& of) {
  const bool granted = std::exchange(task.granted, false);
  if (!granted) std::erase(semaphore(of.index).waiters, task.serial);
  return granted;
}

bool Run::waits_for_permit(const Task& task) const {
  return std::ranges::any_of(semaphores_, [&](const Semaphore& semaphore) {
    return std::ranges::count(semaphore.waiters, task.serial) != 0;
  });
}

}  // namespace lockstep::sim::program
