// What has to happen before time passes, and what does not: the requests of a client that asks the
// same again and again (docs/semantics.md, section 4).
#include "sim/world/polling.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/world/expand.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

/// Nothing if something has to happen before time passes; else who polls.
std::optional<Polls> World::at_rest(const Id* state) {
  if (next_served(state) || notices(state)) return {};
  Polls polls;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& info = processes_.info(state[p]);
    if (info.urgent) return {};
    if (!info.executes && !info.asks_again) continue;
    for (unsigned a = 0; a < info.actions.size(); ++a) {
      const LocalAction& action = info.actions[a];
      const bool executes = action.kind == Action::Kind::execute;
      if (executes ? !action.urgent || !can_execute(state, p, action) : !action.repeats) continue;
      if (!action.repeats || !asked_before(state, p, action) || !comes_back(state, p, a)) return {};
      polls.push_back({p, action.kind, action.index});
    }
  }
  return polls;
}

/// Whether a node has to tell of a key that has expired.
bool World::notices(const Id* state) const {
  for (unsigned n = 0; n < setting_.nodes; ++n)
    if (nodes_.info(state[setting_.node_slot(n)]).urgent) return true;
  return false;
}

/// Whether the answer that it asks for, or that it is, is one that its task has had at this
/// instant.
bool World::asked_before(const Id* state, unsigned process, const LocalAction& action) {
  return processes_.waits_for_time(state[process], action,
                                   nodes_.info(state[setting_.node_slot(action.node)]).value);
}

/// Whether something has to happen since time has begun to pass at `began`, where nothing had to.
/// Time alone leaves connections where they are, so that what polled then is found again in its
/// place.
bool World::disturbed(const Id* state, const Id* began, const Polls& polls) {
  if (notices(state)) return true;
  for (unsigned p = 0; p < setting_.processes; ++p) {
    if (state[p] == began[p]) continue;  // as little urgent as it was then
    const ProcessInfo& info = processes_.info(state[p]);
    if (info.urgent) return true;
    if (!info.executes) continue;
    for (const LocalAction& action : info.actions)
      if (action.kind == Action::Kind::execute && action.urgent && can_execute(state, p, action) &&
          std::ranges::find(polls, Poll{p, action.kind, action.index}) == polls.end())
        return true;
  }
  return std::ranges::any_of(polls, [&](const Poll& poll) {
    const auto& actions = processes_.info(state[poll.process]).actions;
    const auto place = std::ranges::find_if(actions, [&](const LocalAction& action) {
      return action.kind == poll.kind && action.index == poll.connection;
    });
    LOCKSTEP_CHECK(place != actions.end());
    return !comes_back(state, poll.process, static_cast<unsigned>(place - actions.begin()));
  });
}

/// At the end of a pass: who asked again and again when it began has asked just now.
void World::end_pass(const Id* began, const Polls& polls, Id* next) {
  if (!setting_.needs.polls) return;  // nobody ever does
  for (unsigned p = 0; p < setting_.processes; ++p) {
    const ProcessInfo& before = processes_.info(began[p]);
    if (!before.asks_again) continue;
    std::uint64_t tasks = 0;
    for (const Poll& poll : polls)
      if (poll.process == p)
        tasks |= std::uint64_t{1} << before.value.connections[poll.connection].messages.back().task;
    next[p] = processes_.asked_again(next[p], began[p], tasks);
  }
}

/// What a task asks, and where it stands with that.
Asking World::asking(const Id* state, unsigned process, std::size_t connection) {
  const Process& asks = processes_.info(state[process]).value;
  const Connection& on = asks.connections[connection];
  const ProgramState& program = processes_.automaton().state(asks.program);
  const Node& node = nodes_.info(state[setting_.node_slot(on.node)]).value;
  return {on.messages.back().task,
          on.node,
          program.round,
          program.path.size(),
          tables_.normalised(on.messages.back(), on, asks.index),
          tables_.node_state(node, asks.index)};
}

/// Whether hearing the answer leads a client to where it is now: it asks the same again, of a node
/// that stores the same, and remembers nothing of it. An answer that it has not heard yet may be an
/// old one: to be as old as it, what it hears next must be the same.
bool World::comes_back(const Id* state, unsigned process, unsigned a) {
  if (setting_.nodes > 1) return follows_back(state, process, a);
  const std::uint64_t part = both(state[process], a);
  const std::uint64_t around = both(state[setting_.node_slot(0)], state[setting_.run_slot()]);
  return came_back_.find_or_add(part, around,
                                [&] { return follows_back(state, process, a) ? 1U : 0U; }) == 1;
}

bool World::follows_back(const Id* state, unsigned process, unsigned a) {
  const LocalAction& action = processes_.info(state[process]).actions[a];
  WayBack way{asking(state, process, action.index), action.kind == Action::Kind::deliver ? 2U : 1U,
              0};
  Buffer now;
  copy_state(state, now);
  return goes_round(now, process, way);
}

/// Goes on with what the task can do at this instant, by itself.
bool World::goes_round(const Buffer& now, unsigned process, WayBack& way) {
  static constexpr unsigned kMostSteps = 40;  // of all ways; a round has few
  using Kind = Action::Kind;
  const ProcessInfo& info = processes_.info(now[process]);
  const auto its_own = [&](const LocalAction& action) {
    if (action.kind == Kind::run || action.kind == Kind::timer)
      return action.index == way.start.task;
    if (action.kind != Kind::execute && action.kind != Kind::deliver) return false;
    const Connection& connection = info.value.connections[action.index];
    if (action.kind == Kind::execute && !can_execute(now.data(), process, action)) return false;
    return connection.open && connection.messages.back().task == way.start.task;
  };
  const auto next = std::ranges::find_if(info.actions, its_own);
  if (next == info.actions.end()) return false;
  const auto a = static_cast<unsigned>(next - info.actions.begin());
  std::vector<Changes> choices;
  for (const StepResult& step : results(now.data(), process, a, *next))
    choices.push_back(step.changes);
  for (const Changes& changes : choices) {
    if (++way.steps > kMostSteps) return false;
    Buffer then = now;
    changes.apply_to(then.data(), process);
    for (unsigned n = 0; n < setting_.nodes; ++n)  // somebody else comes first
      if (nodes_.info(then[setting_.node_slot(n)]).serves) return false;
    replicate(now.data(), then.data(), next->kind);
    WayBack rest = way;
    if (next->kind != Kind::execute && asks_anew(then.data(), process, way.start) &&
        --rest.needed == 0)
      return true;
    const bool back = goes_round(then, process, rest);
    way.steps = rest.steps;
    if (back) return true;
  }
  return false;
}

/// Whether it stands where it stood.
bool World::asks_anew(const Id* state, unsigned process, const Asking& start) {
  const Process& asks = processes_.info(state[process]).value;
  for (std::size_t c = 0; c < asks.connections.size(); ++c) {
    const Connection& connection = asks.connections[c];
    if (connection.open && connection.node == start.node && !connection.messages.empty() &&
        connection.messages.back().task == start.task &&
        connection.messages.back().stage == Stage::waiting)
      return asking(state, process, c) == start;
  }
  return false;
}

}  // namespace lockstep::sim
