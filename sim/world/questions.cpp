// What a search asks about a world beside its successors.
#include "sim/world/expand.hpp"

namespace lockstep::sim {

Action World::label(const Id* state, const Candidate& candidate) const {
  using Kind = Action::Kind;
  Action action;
  action.kind = candidate.kind;
  switch (candidate.kind) {
    case Kind::pass:
      action.amount_ms = candidate.amount_ms;
      return action;
    case Kind::jump_node:
      action.amount_ms = model_.jumps_ms[candidate.action];
      [[fallthrough]];
    case Kind::node_crash:
    case Kind::node_restart:
    case Kind::save:
      action.node = candidate.actor;
      return action;
    case Kind::power_loss:
      action.node = candidate.actor;
      action.image = static_cast<std::uint8_t>(candidate.action);
      return action;
    default:
      break;
  }
  const ProcessInfo& info = process_infos_[state[candidate.actor]];
  const LocalAction& local = info.actions[candidate.action];
  action.process = candidate.actor;
  switch (candidate.kind) {
    case Kind::begin:
    case Kind::run:
    case Kind::timer:
      action.task = local.index;
      break;
    case Kind::execute:
    case Kind::deliver:
    case Kind::delay:
    case Kind::release:
    case Kind::lose:
      action.connection = local.index;
      break;
    case Kind::jump_process:
      action.amount_ms = model_.jumps_ms[local.jump];
      break;
    default:
      break;
  }
  if (candidate.kind != Kind::execute) {
    const Memo& memo = info.memos[candidate.action];
    for (const auto& found : memo.cases)
      if (candidate.outcome < found.count)
        action.choices = outcomes_[found.first + candidate.outcome].choices;
  }
  return action;
}

unsigned World::faults_used(const Id* state, const Candidate& candidate) const {
  const Budget& left = run_infos_[state[processes_ + nodes_]].value.budget;
  unsigned used = is_fault(candidate.kind) ? 1 : 0;
  for (std::size_t fault = 0; fault < left.size(); ++fault)
    used += model_.budget[fault] - left[fault];
  return used;
}

std::uint8_t World::waiting(const Id* state) const {
  std::uint8_t bits = 0;
  for (unsigned p = 0; p < processes_; ++p)
    if (process_infos_[state[p]].waiting) bits |= static_cast<std::uint8_t>(1U << p);
  return bits;
}

bool World::stuck(const Id* state) {
  if (waiting(state) == 0) return false;
  bool leads_on = false;
  expand(state, true, [&](const Id*, const Candidate& candidate, const Facts&) {
    leads_on = leads_on || !is_fault(candidate.kind);
  });
  return !leads_on;
}

bool World::only_spawned(const Id* state) const {
  bool spawned = false;
  for (unsigned p = 0; p < processes_; ++p) {
    if ((process_rest_[state[p]] & kFinished) == 0) return false;
    spawned = spawned || process_infos_[state[p]].spawned;
  }
  return spawned;
}

}  // namespace lockstep::sim
