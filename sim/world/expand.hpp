// The hot part of the interned world: all steps from a state, by table look-ups.
#pragma once

#include "sim/world/world.hpp"

namespace lockstep::sim {

template <class Sink>
void World::expand(const Id* state, bool with_pass, Sink&& sink) {
  for (unsigned slot = 0; slot < setting_.run_slot(); ++slot) expand_part(state, slot, sink);
  if (with_pass && !urgent(state, state)) expand_time(state, sink);
}

template <class Sink>
void World::expand_part(const Id* state, unsigned slot, Sink& sink) {
  const bool process = slot < setting_.processes;
  const std::vector<LocalAction>& actions =  // stay: the list is made once
      process ? processes_.info(state[slot]).actions : nodes_.info(state[slot]).actions;
  const unsigned actor = process ? slot : slot - setting_.processes;
  for (unsigned a = 0; a < actions.size(); ++a) {
    const LocalAction& action = actions[a];
    if (!possible(state, action)) continue;
    const Candidate candidate{action.kind, static_cast<std::uint8_t>(actor),
                              static_cast<std::uint16_t>(a), Reports::kNothing, 0};
    if (action.alone) {
      take(state, slot, candidate, action, action.only_result, sink);
    } else if (action.kind == Action::Kind::execute) {
      take(state, slot, candidate, action, executions_.step(state[slot], a, state), sink);
    } else if (process) {
      for (const StepResult& step : processes_.steps(state[slot], a, around(state, slot)))
        take(state, slot, candidate, action, step, sink);
    } else {
      take(state, slot, candidate, action, nodes_.step(state[slot], a), sink);
    }
  }
}

inline bool World::possible(const Id* state, const LocalAction& action) const {
  if (action.within != 0) return (run_of(state).left & action.within) != 0;
  return action.kind != Action::Kind::execute || action.node == kResource ||
         nodes_.info(state[setting_.node_slot(action.node)]).value.up;
}

template <class Sink>
void World::take(const Id* state, unsigned slot, Candidate candidate, const LocalAction& action,
                 const StepResult& step, Sink& sink) {
  Buffer next;
  copy_state(state, next);
  if (action.spends != LocalAction::kFree)
    next[setting_.run_slot()] = run_of(state).spent[action.spends];
  step.changes.apply_to(next.data(), slot);
  Facts facts;
  if (step.report != Reports::kNothing) {
    candidate.report = step.report;
    follow(state, candidate.actor, reports_[step.report], next.data(), facts);
  }
  finish(next.data(), candidate, facts, step.tokens_changed, sink);
}

template <class Sink>
void World::finish(Id* next, const Candidate& candidate, Facts facts, bool tokens_changed,
                   Sink& sink) {
  if (tokens_changed) make_canonical(next);
  judges_.judge_rest(next, facts);
  sink(next, candidate, facts);
}

template <class Sink>
void World::expand_time(const Id* state, Sink& sink) {
  Buffer now;
  copy_state(state, now);
  Candidate candidate;
  Facts facts;
  bool tokens_changed = false;  // since `state`, whose tokens are canonical
  for (;;) {
    const std::int64_t step = next_point(now.data());
    if (step == 0) return;
    tokens_changed = advance(now.data(), step, facts) || tokens_changed;
    candidate.amount_ms += step;
    Buffer next = now;
    finish(next.data(), candidate, facts, tokens_changed, sink);
    if (urgent(now.data(), state)) return;
  }
}

}  // namespace lockstep::sim
