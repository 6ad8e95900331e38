// Requests of one call: how they leave, one after the other.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/client/run.hpp"

namespace lockstep::sim::program {

void Run::call(const std::vector<std::pair<std::uint8_t, Request>>& requests,
               std::int64_t timeout_ms, bool each) {
  Task& task = *current_;
  if (is_deciding()) return;
  task.calls.clear();
  for (const auto& [node, request] : requests) {
    Effect effect;
    effect.kind = Effect::Kind::send;
    effect.task = task.id;
    effect.node = node;
    effect.request = request;
    effect.line.number = vm_.noted_line();
    task.unsent.push_back(std::move(effect));
    task.calls.push_back({node, Call::Outcome::pending, {}, request});
  }
  task.timeout_ms = timeout_ms;
  task.hears_each = each;
  task.iteration_waited = true;
  send_unsent(task);
}

void Run::leave_call() {
  current_->decides = false;
  const auto is_pending = [](const Call& call) { return call.outcome == Call::Outcome::pending; };
  if (std::ranges::none_of(current_->calls, is_pending)) return;
  Effect effect;
  effect.kind = Effect::Kind::gave_up;
  effect.task = current_->id;
  emit(std::move(effect));
}

/// They leave one after the other. The call waits for replies once the last has left.
void Run::send_unsent(Task& task) {
  for (std::size_t sent = 0; sent < task.unsent.size(); ++sent) {
    if (cut_here(sent > 0 ? Cut::request : Cut::access)) {
      task.unsent.erase(task.unsent.begin(),
                        task.unsent.begin() + static_cast<std::ptrdiff_t>(sent));
      return start_wait(task, cut_wait(), 0);
    }
    emit(task.unsent[sent]);
  }
  task.unsent.clear();
  start_wait(task, Wait::Kind::replies, task.timeout_ms);
}

}  // namespace lockstep::sim::program
