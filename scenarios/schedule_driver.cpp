// Drives one run on; see the header.
#include "scenarios/schedule_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/error.hpp"

namespace lockstep::scenarios {

namespace {

using Do = sim::Action::Kind;

/// A client that has not come to the named event after so many actions never will.
constexpr int kMostActionsPerSentence = 500;

}  // namespace

ScheduleDriver::ScheduleDriver(const sim::Model& model)
    : walk_(model), clients_(static_cast<std::uint8_t>(model.processes.size())) {}

std::optional<checker::Option> ScheduleDriver::find(const Wanted& wanted) const {
  for (auto& option : walk_.enabled())
    if (wanted(option)) return option;
  return std::nullopt;
}

void ScheduleDriver::take_found(const Wanted& wanted) {
  const auto found = find(wanted);
  if (!found) fail("this cannot happen here");
  take(*found);
}

void ScheduleDriver::run_until(std::uint8_t client, const Event& done,
                               const std::function<void()>& look) {
  for (int taken = 0; taken < kMostActionsPerSentence; ++taken) {
    const auto next = next_of(client, taken == 0);
    if (violated()) return;
    if (!next) fail("the client has nothing left to do");
    const bool reached = done(take(*next));
    if (reached || violated()) return;
    look();
  }
  fail(fmt::format("not reached after {} actions", kMostActionsPerSentence));
}

void ScheduleDriver::run_until_possible(std::uint8_t client, const Wanted& wanted,
                                        const std::function<void()>& look) {
  for (int taken = 0; taken < kMostActionsPerSentence; ++taken) {
    if (const auto found = find(wanted)) {
      take(*found);
      return;
    }
    const auto next = next_of(client, taken == 0);
    if (violated()) return;
    if (!next) fail("the client has nothing left to do");
    take(*next);
    if (violated()) return;
    look();
  }
  fail(fmt::format("not reached after {} actions", kMostActionsPerSentence));
}

void ScheduleDriver::run_out(std::uint8_t client) {
  const auto may_begin = [&](const Option& option) {
    return option.action.kind == Do::begin && option.action.process == client;
  };
  const auto waits_for_us = [&](const Option& option) {
    const auto& action = option.action;
    return (action.kind == Do::resume || action.kind == Do::release) && action.process == client;
  };
  for (int taken = 0; taken < kMostActionsPerSentence; ++taken) {
    if (find(may_begin)) {
      if (taken == 0) fail("no round of the client is under way");
      return;
    }
    const auto next = next_of(client, false);
    if (!next && find(waits_for_us)) fail("it is paused, or a message of it is held back");
    if (!next) return;
    take(*next);
    if (violated()) return;
  }
  fail("it goes on for ever");
}

void ScheduleDriver::pass(std::int64_t amount_ms) {
  for (auto left_ms = amount_ms; left_ms > 0 && settle();) {
    const auto reach_ms = walk_.undisturbed_ms();
    if (reach_ms == 0) fail("time cannot pass here");
    const auto passed_ms = std::min(left_ms, reach_ms);
    take_time(passed_ms);
    left_ms -= passed_ms;
    if (violated()) return;
  }
}

void ScheduleDriver::pass_until(const Event& done, const std::string& otherwise) {
  for (int taken = 0; taken < kMostActionsPerSentence && settle(); ++taken) {
    const auto next = soonest_pass();
    if (!next) fail("time cannot pass here");
    const bool reached = done(take_time(next->action.amount_ms));
    if (violated() || reached) return;
  }
  if (!violated()) fail(otherwise);
}

/// Lets every client, and nodes that notice expired keys, do what does not need time. False: that
/// violated something.
bool ScheduleDriver::settle() {
  for (int taken = 0; taken < kMostActionsPerSentence && !violated(); ++taken) {
    std::optional<Option> next;
    for (std::uint8_t client = 0; client < clients_ && !next; ++client)
      next = own_next_of(client, false);
    if (!next) next = find([](const Option& o) { return o.action.kind == Do::notice; });
    if (!next) return true;
    take(*next);
  }
  if (!violated()) fail("somebody goes on for ever without time passing");
  return false;
}

/// What the client does next: a step of its own, else the execution of its request, else what it
/// does once time has passed.
std::optional<checker::Option> ScheduleDriver::next_of(std::uint8_t client, bool may_begin) {
  const auto taken = walk_.trace().steps.size();
  auto next = own_next_of(client, may_begin);
  while (!next && !violated() && settle()) {
    const auto pass = soonest_pass();
    if (!pass) break;
    take_time(pass->action.amount_ms);
    next = own_next_of(client, false);
  }
  // Time alone does not help the client: it has not passed.
  while (!next && !violated() && walk_.trace().steps.size() > taken) walk_.back();
  return next;
}

std::optional<checker::Option> ScheduleDriver::own_next_of(std::uint8_t client,
                                                           bool may_begin) const {
  std::vector<Do> kinds{Do::run, Do::deliver, Do::execute, Do::timer};
  if (may_begin) kinds.push_back(Do::begin);
  for (const auto kind : kinds)
    if (auto found = find(
            [&](const Option& o) { return o.action.kind == kind && o.action.process == client; }))
      return found;
  return std::nullopt;
}

/// Lets time pass, as one step with the passing before it where nothing stood between.
const checker::TraceStep& ScheduleDriver::take_time(std::int64_t amount_ms) {
  sim::Action pass;
  pass.kind = Do::pass;
  pass.amount_ms = amount_ms;
  const auto& steps = walk_.trace().steps;
  if (steps.empty() || steps.back().data.action.kind != Do::pass) return walk_.take(pass, place_);
  const auto before = steps.back().data.action;
  walk_.back();
  if (walk_.undisturbed_ms() >= before.amount_ms + amount_ms)
    pass.amount_ms += before.amount_ms;
  else
    walk_.take(before, place_);
  return walk_.take(pass, place_);
}

std::optional<checker::Option> ScheduleDriver::soonest_pass() const {
  std::optional<Option> soonest;
  for (const auto& option : walk_.enabled()) {
    const bool sooner = !soonest || option.action.amount_ms < soonest->action.amount_ms;
    if (option.action.kind == Do::pass && sooner) soonest = option;
  }
  return soonest;
}

void ScheduleDriver::fail(const std::string& what) const {
  std::vector<std::string> possible;
  for (const auto& option : walk_.enabled())
    possible.push_back(fmt::format("{} {}", option.step.prose.actor, option.step.prose.sentence));
  throw sim::BadInput(fmt::format("{}, after {} actions: {}; possible here: {}", place_,
                                  walk_.trace().steps.size(), what, fmt::join(possible, " | ")));
}

}  // namespace lockstep::scenarios
