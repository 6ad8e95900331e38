// The hot part of the interned world: all steps from a state, by table look-ups.
#pragma once

#include "sim/world/world.hpp"

namespace lockstep::sim {

template <class Sink>
void World::expand(const Id* state, bool with_pass, Sink&& sink) {
  for (unsigned p = 0; p < processes_; ++p) expand_process(state, p, sink);
  for (unsigned n = 0; n < nodes_; ++n) expand_node(state, n, sink);
  if (with_pass && !urgent(state, state)) expand_time(state, sink);
}

/// What an outcome shows by itself.
inline Facts World::facts_of(std::uint32_t flags, unsigned process) const {
  Facts facts;
  if (flags == 0) return facts;
  if ((flags & kAcquired) != 0) {
    facts.witnessed |= bit(Witness::acquired);
    facts.acquired_by = static_cast<std::uint8_t>(1U << process);
  }
  if ((flags & kRefused) != 0) facts.witnessed |= bit(Witness::refused);
  if ((flags & kReleased) != 0) facts.witnessed |= bit(Witness::released);
  if ((flags & kLost) != 0) facts.witnessed |= bit(Witness::lost);
  if ((flags & kSelfOverlap) != 0) facts.violated |= bit(Property::mutual_exclusion);
  if ((flags & kDishonestRelease) != 0) facts.violated |= bit(Property::honest_result);
  if ((flags & kStaleWrite) != 0) facts.violated |= bit(Property::no_lost_update);
  return facts;
}

/// Whether everything has come to rest, and then what that means.
inline void World::judge_quiet(const Id* state, Facts& facts) {
  std::uint8_t bits = kQuiet | kFinished;
  for (unsigned p = 0; p < processes_; ++p) {
    bits &= process_rest_[state[p]];
    if ((bits & kQuiet) == 0) return;
  }
  judge_rest(state, (bits & kFinished) != 0, facts);
}

template <class Sink>
void World::finish(Id* next, const Candidate& candidate, Facts facts, bool tokens_changed,
                   Sink& sink) {
  if (tokens_changed) make_canonical(next);
  judge_quiet(next, facts);
  sink(next, candidate, facts);
}

template <class Sink>
void World::expand_process(const Id* state, unsigned p, Sink& sink) {
  const ProcessInfo& info = process_infos_[state[p]];
  const RunInfo& run = run_infos_[state[processes_ + nodes_]];
  Buffer next;
  for (unsigned a = 0; a < info.actions.size(); ++a) {
    const LocalAction& action = info.actions[a];  // stays: the list is made once
    if (action.kind == Action::Kind::execute) {
      expand_execute(state, p, a, sink);
      continue;
    }
    if (action.fault != kNoFault && (run.left >> action.fault & 1) == 0) continue;
    copy_state(state, next);
    if (action.fault != kNoFault) {
      next[processes_ + nodes_] = run.spent[action.fault];
      if (action.kind == Action::Kind::crash)
        for (unsigned n = 0; n < nodes_; ++n)
          next[processes_ + n] = disowned(next[processes_ + n], static_cast<std::uint8_t>(p));
    }
    Candidate candidate{action.kind, static_cast<std::uint8_t>(p), static_cast<std::uint16_t>(a), 0,
                        0};
    const auto take = [&](Id* end, const auto& outcome) {
      end[p] = outcome.process;
      if ((outcome.flags & kLooked) != 0)
        end[processes_ + nodes_] = looked(end[processes_ + nodes_]);
      Facts facts = facts_of(outcome.flags, p);
      if (outcome.flags != 0) judge_overlap(state, p, outcome.flags, outcome.lock, facts);
      if ((outcome.flags & kTold) != 0) judge_told(state, p, outcome.told, facts);
      finish(end, candidate, facts, outcome.tokens_changed, sink);
    };
    if (action.quick) {
      take(next.data(), action);
      continue;
    }
    const Memo::Case found = outcomes(state[p], a, state);
    for (std::uint32_t o = 0; o < found.count; ++o) {
      const Outcome& outcome = outcomes_[found.first + o];
      Buffer end = next;
      candidate.outcome = static_cast<std::uint16_t>(o);
      take(end.data(), outcome);
    }
  }
}

template <class Sink>
void World::expand_execute(const Id* state, unsigned p, unsigned a, Sink& sink) {
  const unsigned run_at = processes_ + nodes_;
  const std::uint8_t node = process_infos_[state[p]].actions[a].node;
  const bool resource = node == kResource;
  if (!resource && !node_infos_[state[processes_ + node]].value.up) return;
  const Outcome& outcome = resource ? execute_at_resource(state[p], a, state[run_at])
                                    : execute(state[p], a, state[processes_ + node], state[run_at]);
  Facts facts = facts_of(outcome.flags, p);
  judge_changes(state, outcome, facts);
  const bool accepted = (outcome.flags & kAccepted) != 0, tokens_changed = outcome.tokens_changed;
  Buffer next;
  copy_state(state, next);
  next[p] = outcome.process;
  next[resource ? run_at : processes_ + node] = outcome.other;
  if ((outcome.flags & kLooked) != 0) next[run_at] = looked(next[run_at]);
  if (accepted)
    for (unsigned q = 0; q < processes_; ++q)
      if (q != p) next[q] = stale(next[q]);
  const Candidate candidate{Action::Kind::execute, static_cast<std::uint8_t>(p),
                            static_cast<std::uint16_t>(a), 0, 0};
  finish(next.data(), candidate, facts, tokens_changed, sink);
}

template <class Sink>
void World::expand_node(const Id* state, unsigned n, Sink& sink) {
  using Kind = Action::Kind;
  const unsigned run_at = processes_ + nodes_, at = processes_ + n;
  const std::uint8_t left = run_infos_[state[run_at]].left;
  const auto actor = static_cast<std::uint8_t>(n);
  Buffer next;
  const auto start = [&](int fault) {
    copy_state(state, next);
    if (fault >= 0) next[run_at] = run_infos_[state[run_at]].spent[static_cast<std::size_t>(fault)];
  };
  const auto can = [&](Fault fault) { return (left >> static_cast<int>(fault) & 1) != 0; };

  if (!node_infos_[state[at]].value.up) {
    start(-1);
    Node node = node_infos_[state[at]].value;
    node.up = true;
    next[at] = intern(node);
    finish(next.data(), {Kind::node_restart, actor, 0, 0, 0}, {}, false, sink);
    return;
  }
  if (can(Fault::jump) && (node_infos_[state[at]].has_expiry || knowledge_.absolute)) {
    for (unsigned j = 0; j < model_.jumps_ms.size(); ++j) {
      start(static_cast<int>(Fault::jump));
      next[at] = jumped_node(state[at], model_.jumps_ms[j]);
      finish(next.data(), {Kind::jump_node, actor, static_cast<std::uint16_t>(j), 0, 0}, {}, true,
             sink);
    }
  }
  const auto power_cut = [&](Fault fault, unsigned image) {
    start(static_cast<int>(fault));
    next[at] = after_power_cut(state[at], fault == Fault::power_loss, image);
    for (unsigned p = 0; p < processes_; ++p) next[p] = cut_off(next[p], actor);
    finish(next.data(),
           {fault == Fault::power_loss ? Kind::power_loss : Kind::node_crash, actor,
            static_cast<std::uint16_t>(image), 0, 0},
           {}, true, sink);
  };
  if (can(Fault::node_crash)) power_cut(Fault::node_crash, 0);
  if (can(Fault::power_loss)) {
    const std::size_t images = model_.persistence == Persistence::aof_everysec
                                   ? node_infos_[state[at]].value.images.size()
                                   : 0;
    for (unsigned image = 0; image <= images; ++image) power_cut(Fault::power_loss, image);
  }
  if (model_.persistence == Persistence::rdb &&
      (can(Fault::node_crash) || can(Fault::power_loss))) {
    const Id saved = without_scripts(node_infos_[state[at]].value.keyspace);
    if (node_infos_[state[at]].value.images[0].keyspace != saved) {
      start(-1);
      Node node = node_infos_[state[at]].value;
      node.images[0].keyspace = saved;
      next[at] = intern(node);
      finish(next.data(), {Kind::save, actor, 0, 0, 0}, {}, true, sink);
    }
  }
}

template <class Sink>
void World::expand_time(const Id* state, Sink& sink) {
  Buffer now;
  copy_state(state, now);
  Candidate candidate{Action::Kind::pass, 0, 0, 0, 0};
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
