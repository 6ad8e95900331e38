// The hot part of the interned world: all steps from a state, by table look-ups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/world/world.hpp"

namespace lockstep::sim {

template <class Sink>
void World::expand(const Id* state, std::size_t passes, Sink&& sink) {
  const RunInfo& run = run_of(state);
  if (const auto served = next_served(state)) {
    expand_part(state, served->process, run, sink, served->action);
    return expand_lags(state, run, sink);
  }
  for (unsigned slot = 0; slot < setting_.run_slot(); ++slot) expand_part(state, slot, run, sink);
  if (passes == 0) return;
  if (const auto polls = at_rest(state)) expand_time(state, *polls, passes, sink);
}

/// The stream of a replica may end before what somebody is served.
template <class Sink>
void World::expand_lags(const Id* state, const RunInfo& run, Sink& sink) {
  for (unsigned slot = setting_.processes; slot < setting_.run_slot(); ++slot) {
    const std::vector<LocalAction>& actions = nodes_.info(state[slot]).actions;
    for (unsigned a = 0; a < actions.size(); ++a)
      if (actions[a].kind == Action::Kind::lag) expand_part(state, slot, run, sink, a);
  }
}

template <class Sink>
void World::expand_part(const Id* state, unsigned slot, const RunInfo& run, Sink& sink,
                        std::optional<unsigned> only) {
  const bool process = slot < setting_.processes;
  const std::vector<LocalAction>& actions =  // stay: the list is made once
      process ? processes_.info(state[slot]).actions : nodes_.info(state[slot]).actions;
  const unsigned actor = process ? slot : slot - setting_.processes;
  for (unsigned a = 0; a < actions.size(); ++a) {
    const LocalAction& action = actions[a];
    if (only && a != *only) continue;
    if (action.within != 0 && (run.left & action.within) == 0) continue;
    if (action.kind == Action::Kind::execute && !can_execute(state, actor, action)) continue;
    const bool gets_all =
        action.kind == Action::Kind::catch_up || action.kind == Action::Kind::receive;
    if (gets_all && !can_catch_up(state, actor)) continue;
    Candidate candidate{action.kind, static_cast<std::uint8_t>(actor),
                        static_cast<std::uint16_t>(a), Reports::kNothing, 0};
    for (const StepResult& step : results(state, slot, a, action)) {
      Buffer next;
      copy_state(state, next);
      if (action.spends != LocalAction::kFree) next[setting_.run_slot()] = run.spent[action.spends];
      step.changes.apply_to(next.data(), slot);
      Facts facts;
      if (step.report != Reports::kNothing)
        follow(state, actor, reports_[step.report], next.data(), facts);
      candidate.report = step.report;
      forget_unserved(next.data());
      const bool replicated = replicate(state, next.data(), candidate.kind);
      const bool forgot = forget_images(next.data());
      finish(next.data(), candidate, facts, step.tokens_changed || replicated || forgot, sink,
             action.kind != Action::Kind::crash_begin || !processes_.has_rested(state[slot]));
    }
  }
}

/// All that can come of an action of the part at `slot`.
inline std::span<const StepResult> World::results(const Id* state, unsigned slot, unsigned a,
                                                  const LocalAction& action) {
  if (action.alone) return {&action.only_result, 1};
  if (action.kind == Action::Kind::execute) return {&executions_.step(state[slot], a, state), 1};
  if (slot < setting_.processes) return processes_.steps(state[slot], a, around(state, slot));
  if (is_migration(action.kind)) {
    const unsigned other = setting_.node_slot(slot == setting_.node_slot(0) ? 1 : 0);
    return {&nodes_.migration(state[slot], a, state[other], other), 1};
  }
  return {&nodes_.step(state[slot], a), 1};
}

template <class Sink>
void World::finish(Id* next, const Candidate& candidate, Facts facts, bool tokens_changed,
                   Sink& sink, bool probes) {
  if (setting_.wakeups) forget_returns(next);
  if (alike_after_ms_ > 0) forget_date(next);
  if (tokens_changed) make_canonical(next);
  judges_.judge_rest(next, facts, probes);
  if (setting_.wakeups && judges_.is_wakeup_lost(next) && at_rest(next))
    facts.violated |= only(Property::lost_wakeup);
  if (invariants_.any() && invariants_.broken(next)) facts.violated |= only(Property::invariant);
  sink(next, candidate, facts);
}

template <class Sink>
void World::expand_time(const Id* state, const Polls& polls, std::size_t passes, Sink& sink) {
  Buffer now;
  copy_state(state, now);
  Candidate candidate;
  Facts facts;
  bool tokens_changed = false;  // since `state`, whose tokens are canonical
  for (std::size_t points = 0; points < passes; ++points) {
    const std::int64_t step = next_point(now.data());
    if (step == 0) return;
    if (points == kMostPoints) {
      setting_.sampled = true;
      return;
    }
    tokens_changed = advance(now.data(), step, facts) || tokens_changed;
    candidate.amount_ms += step;
    const bool overdue = setting_.too_long_ms > 0 && judges_.judge_waits(now.data(), facts);
    Buffer next;
    copy_state(now.data(), next);
    end_pass(state, polls, next.data());
    finish(next.data(), candidate, facts, tokens_changed, sink, true);
    if (overdue || disturbed(now.data(), state, polls)) return;
  }
}

}  // namespace lockstep::sim
