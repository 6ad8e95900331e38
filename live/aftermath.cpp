// A fresh client, or everybody going on without a trace; see the header.
#include "live/aftermath.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "live/probe.hpp"

namespace lockstep::live {

namespace {

using Outcome = Confirmation::Outcome;
using Processes = std::vector<std::unique_ptr<ReplayedProcess>>;

constexpr std::int64_t kLeasesOn = 3;  // how many leases later an endless task is looked for

/// The first process that can do this does it; false if none can.
bool any(const Processes& processes, bool (ReplayedProcess::*does)()) {
  return std::any_of(processes.begin(), processes.end(),
                     [does](const auto& process) { return ((*process).*does)(); });
}

std::optional<std::int64_t> next_timer_ms(const Processes& processes) {
  std::optional<std::int64_t> next_ms;
  for (const auto& process : processes)
    if (const auto due_ms = process->next_timer_ms())
      next_ms = std::min(next_ms.value_or(*due_ms), *due_ms);
  return next_ms;
}

/// Lets everything happen that happens by itself. False if nothing is left that could.
bool go_on(const Processes& processes, Pace& pace, std::int64_t going_ms) {
  const auto end_ms = pace.trace_ms() + going_ms;
  while (true) {
    if (any(processes, &ReplayedProcess::go_on)) continue;
    const auto next_ms = next_timer_ms(processes);
    if (!next_ms) return false;
    if (*next_ms > end_ms) return true;
    const auto wait_ms = std::max<std::int64_t>(0, *next_ms - pace.trace_ms());
    pace.wait_until(pace.real_ms() + wait_ms);
    pace.advance(wait_ms);
    any(processes, &ReplayedProcess::fire_due_timer);
  }
}

/// A client waits in acquire(), and goes on waiting whatever comes: a fresh one proves nothing.
void look_at_stuck(const Plan& plan, Stage& stage, const Processes& processes,
                   Confirmation& result) {
  const auto going_ms = kLeasesOn * plan.model.processes.front().lease_ms;
  go_on(processes, stage.pace, going_ms);
  stage.pace.wait_until(stage.pace.real_ms() + going_ms);
  go_on(processes, stage.pace, 0);
  const bool waits = any(processes, &ReplayedProcess::waits_in_acquire);
  result.detail = waits
                      ? fmt::format("a client still waited in acquire() {} ms later", going_ms)
                      : fmt::format("no client waited in acquire() any more {} ms later", going_ms);
  if (!waits) result.outcome = Outcome::differs;
}

}  // namespace

void look_at_aftermath(const Plan& plan, Stage& stage, const Processes& processes,
                       Confirmation& result) {
  if (!stage.nodes.all_up()) return;
  if (plan.stuck) return look_at_stuck(plan, stage, processes, result);
  if (plan.violated == sim::Property::deadlock) {
    const auto offset_ms = stage.epoch_ms + stage.pace.trace_ms() - unix_ms();
    const bool acquires =
        fresh_client_acquires({plan.model, stage.addresses(), offset_ms, plan.patience_ms});
    result.detail = acquires ? "a fresh client acquires the lock"
                             : "a fresh client could not acquire the lock either";
    if (acquires) result.outcome = plan.endless ? Outcome::open : Outcome::differs;
  }
  if (plan.violated == sim::Property::leak && plan.endless) {
    const auto going_ms = kLeasesOn * plan.model.processes.front().lease_ms;
    const auto alive = go_on(processes, stage.pace, going_ms);
    result.detail = alive ? fmt::format("a task was still at it {} ms later", going_ms)
                          : fmt::format("no task went on for {} ms", going_ms);
    if (!alive) result.outcome = Outcome::differs;
  }
}

}  // namespace lockstep::live
