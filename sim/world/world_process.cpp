// A process's own steps in the interned world: feeding observations to its program and applying the
// effects.
#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/world/world.hpp"

namespace lockstep::sim {

namespace {

constexpr unsigned kRecycledTokens = 9;  // one digit each, so that renaming never changes a length

const Wait* wait_of(const std::vector<Wait>& tasks, TaskId task) {
  const auto place =
      std::find_if(tasks.begin(), tasks.end(), [&](const Wait& w) { return w.task == task; });
  return place == tasks.end() ? nullptr : &*place;
}

}  // namespace

Id World::normalised(Id request, std::uint8_t node, std::uint8_t process) {
  Request normal = rename_tokens(requests_[request], [&](Token token) {
    return token.process == process ? Token{process, 0} : token;
  });
  normal.push_back(std::to_string(node));
  return intern_request(normal);
}

std::uint16_t World::used_tokens(const Id* state, std::uint8_t process) const {
  std::uint16_t used = 0;
  const auto mark = [&](const std::vector<Token>& tokens) {
    for (const Token token : tokens)
      if (token.process == process) used |= static_cast<std::uint16_t>(1U << (token.number - 1U));
  };
  for (unsigned p = 0; p < processes_; ++p) mark(process_infos_[state[p]].tokens);
  for (unsigned n = 0; n < nodes_; ++n) mark(node_infos_[state[processes_ + n]].tokens);
  return used;
}

std::uint8_t World::nodes_up(const Id* state) const {
  std::uint8_t up = 0;
  for (unsigned n = 0; n < nodes_; ++n)
    if (node_infos_[state[processes_ + n]].value.up) up |= static_cast<std::uint8_t>(1U << n);
  return up;
}

const World::Memo::Case& World::outcomes(Id process, unsigned action, const Id* state) {
  ProcessInfo& info = process_infos_[process];
  Memo& memo = info.memos[action];
  const Id run = state[processes_ + nodes_];
  const auto context_of = [&] {
    std::uint64_t context = 0;
    if (memo.uses_tokens && knowledge_.recycles_tokens)
      context |= used_tokens(state, info.value.index);
    if (memo.sends) context |= static_cast<std::uint64_t>(nodes_up(state)) << 16;
    if (memo.uses_now) context |= static_cast<std::uint64_t>(run_infos_[run].value.now_ms) << 32;
    return context;
  };
  if (memo.known) {
    const std::uint64_t context = context_of();
    for (const auto& found : memo.cases)
      if (found.context == context) return found;
  }

  std::vector<Outcome> found;
  std::vector<std::vector<std::uint8_t>> open{{}};  // prefixes of choices still to be tried
  while (!open.empty()) {
    StepContext context;
    context.used_tokens = used_tokens(state, info.value.index);
    context.up = nodes_up(state);
    context.now_ms = run_infos_[run].value.now_ms;
    context.choices = open.back();
    open.pop_back();
    Process next = info.value;
    act(next, info.actions[action], context);
    memo.uses_tokens = memo.uses_tokens || context.uses_tokens;
    memo.sends = memo.sends || (context.sends && nodes_fail_);
    memo.uses_now = memo.uses_now || context.uses_now;
    if (context.open_choice > 0) {
      for (int choice = context.open_choice; choice >= 1; --choice) {
        open.push_back(context.choices);
        open.back().push_back(static_cast<std::uint8_t>(choice));
      }
      continue;
    }
    Outcome outcome;
    outcome.process = intern(next);
    outcome.flags = context.flags;
    outcome.lock = context.lock;
    outcome.told = context.told;
    if (!outcome.told.empty()) outcome.flags |= kTold;
    outcome.tokens_changed = process_infos_[outcome.process].tokens != info.tokens;
    outcome.choices = context.choices;
    found.push_back(std::move(outcome));
  }
  memo.known = true;
  if (found.size() == 1 && !memo.uses_tokens && !memo.sends && !memo.uses_now) {
    LocalAction& local = info.actions[action];
    local.quick = true;
    local.tokens_changed = found[0].tokens_changed;
    local.lock = found[0].lock;
    local.told = found[0].told;
    local.flags = found[0].flags;
    local.process = found[0].process;
  }
  memo.cases.push_back({context_of(), static_cast<std::uint32_t>(outcomes_.size()),
                        static_cast<std::uint32_t>(found.size())});
  for (auto& outcome : found) outcomes_.push_back(std::move(outcome));
  return memo.cases.back();
}

void World::act(Process& process, const LocalAction& action, StepContext& context) {
  using Kind = Action::Kind;
  Observation observation;
  observation.task = action.index;
  switch (action.kind) {
    case Kind::begin:
      if (process.life == Life::dead) {
        process.life = Life::up;
        process.program = automaton_.initial(setup_of_[process.index], process.rounds);
      }
      ++process.rounds[action.index];
      observation.kind = Observation::Kind::begin;
      return feed(process, observation, context);
    case Kind::run:
      observation.kind = Observation::Kind::run;
      return feed(process, observation, context);
    case Kind::timer: {
      const Wait* wait = wait_of(automaton_.state(process.program).tasks, action.index);
      const bool timeout = wait != nullptr && wait->kind == Wait::Kind::replies;
      if (timeout) process.abandon(action.index);
      observation.kind = timeout ? Observation::Kind::timeout : Observation::Kind::timer;
      return feed(process, observation, context);
    }
    case Kind::deliver: {
      Connection& connection = process.connections[action.index];
      const Message message = connection.messages.front();
      connection.messages.erase(connection.messages.begin());
      observation.task = connection.task;
      observation.node = connection.node;
      if (message.stage == Stage::broken) {
        observation.kind = Observation::Kind::broken;
        connection.open = false;
        std::erase_if(connection.messages,
                      [](const Message& m) { return m.stage != Stage::waiting; });
      } else {
        observation.kind = Observation::Kind::reply;
        observation.reply = replies_[message.reply];
        if (connection.node != kResource) {
          std::vector<Id>& answered = process.operation(connection.task).answered;
          const Id request = normalised(message.request, connection.node, process.index);
          const auto place = std::lower_bound(answered.begin(), answered.end(), request);
          if (place == answered.end() || *place != request) answered.insert(place, request);
        }
      }
      process.drop_empty_connections();
      return feed(process, observation, context);
    }
    case Kind::pause:
      process.life = Life::paused;
      process.pause_left_ms = model_.pause_max_ms > 0 ? rounded(model_.pause_max_ms) : 0;
      return;
    case Kind::resume:
      process.life = Life::up;
      process.pause_left_ms = 0;
      return;
    case Kind::delay:
      process.connections[action.index].messages.front().held = true;
      return;
    case Kind::release:
      process.connections[action.index].messages.front().held = false;
      return;
    case Kind::lose: {
      Message broken;
      broken.stage = Stage::broken;
      process.connections[action.index].messages = {broken};
      return;
    }
    case Kind::crash:
      return crash(process);
    case Kind::jump_process:
      for (auto& instant : process.instants)
        if (instant.wall) instant.age_ms += model_.jumps_ms[action.jump];
      if (knowledge_.absolute) process.clock_offset_ms += model_.jumps_ms[action.jump];
      return;
    default:
      LOCKSTEP_CHECK(!"an action of a process");
  }
}

void World::crash(Process& process) {
  process.life = Life::dead;
  process.program = 0;
  process.pause_left_ms = 0;
  process.timers.clear();
  process.instants.clear();
  process.holdings.clear();
  process.operations.clear();
  for (auto& connection : process.connections) {
    connection.open = false;
    connection.former = true;
    std::erase_if(connection.messages, [](const Message& m) { return m.stage != Stage::waiting; });
  }
  process.drop_empty_connections();
}

void World::feed(Process& process, Observation observation, StepContext& context) {
  for (;;) {
    const Transition& transition = automaton_.advance(process.program, observation);
    if (transition.query) {
      const Query query = *transition.query;
      if (query.kind == Query::Kind::choice && context.chosen == context.choices.size()) {
        context.open_choice = query.choices;
        return;
      }
      observation.answers.push_back(answer(process, query, context));
      continue;
    }
    for (const auto& effect : transition.effects) apply(process, effect, context);
    start_timers(process, transition.tasks);
    if (transition.rebased) {
      std::vector<Instant> instants;
      for (const std::uint16_t old : transition.instants)
        instants.push_back(process.instants.at(old));
      process.instants = std::move(instants);
    }
    process.program = transition.next;
    process.drop_empty_operations();
    if (!transition.again) return;
    observation = Observation{};
    observation.kind = Observation::Kind::run;
    observation.task = *transition.again;
  }
}

std::string World::answer(Process& process, const Query& query, StepContext& context) {
  // An instant that this very step has read is not among the process's yet: it is now.
  const auto age_ms = [&](std::uint16_t instant) {
    return instant < process.instants.size() ? process.instants[instant].age_ms : 0;
  };
  switch (query.kind) {
    case Query::Kind::token: {
      context.uses_tokens = true;
      if (!knowledge_.recycles_tokens) {
        ++process.tokens_used;
        return token_text({process.index, process.tokens_used});
      }
      for (unsigned number = 1; number <= kRecycledTokens; ++number) {
        if ((context.used_tokens >> (number - 1) & 1) != 0) continue;
        context.used_tokens |= static_cast<std::uint16_t>(1U << (number - 1));
        return token_text({process.index, static_cast<std::uint8_t>(number)});
      }
      throw BadInput(
          model_.program->folder().string() + "/protocol.lua: more than " +
          std::to_string(kRecycledTokens) +
          " lock tokens of one process are in use at once; the checker follows at most that many");
    }
    case Query::Kind::choice:
      return std::to_string(context.choices[context.chosen++]);
    case Query::Kind::difference:
      return std::to_string(age_ms(query.second) - age_ms(query.first));
    case Query::Kind::absolute:
      needs_.absolute = true;
      context.uses_now = true;
      context.flags |= kLooked;
      return std::to_string(kEpoch.ms + context.now_ms + process.clock_offset_ms -
                            age_ms(query.first));
  }
  LOCKSTEP_CHECK(!"a kind of query");
  return {};
}

void World::send(Process& process, const Effect& effect, StepContext& context) {
  context.sends = true;
  Message message;
  message.request = intern_request(effect.request);
  if (effect.node != kResource && (context.up >> effect.node & 1) == 0)
    message.stage = Stage::broken;
  if (effect.node == kResource && effect.request[0] == "WRITE") {
    message.basis = process.operation(effect.task).basis;
    process.operation(effect.task).basis = Basis::none;
  }
  const auto place = std::find_if(process.connections.begin(), process.connections.end(),
                                  [&](const Connection& c) {
                                    return c.open && c.task == effect.task && c.node == effect.node;
                                  });
  if (place != process.connections.end()) {
    place->messages.push_back(message);
  } else {
    process.connections.push_back({effect.task, effect.node, true, false, {message}});
  }
}

/// Whether a task other than `task` holds the lock or is inside an operation on it.
bool World::used_by_another_task(const Process& process, TaskId task, std::uint8_t lock) const {
  for (const auto& holding : process.holdings)
    if (holding.task != task && holding.lock == lock) return true;
  for (const auto& wait : automaton_.state(process.program).tasks) {
    if (wait.task == task || !wait.in_operation) continue;
    const bool ours = process.index < processes_;
    if ((ours ? lock_of_[process.index].at(wait.lock) : wait.lock) == lock) return true;
  }
  return false;
}

void World::apply(Process& process, const Effect& effect, StepContext& context) {
  using Kind = Effect::Kind;
  const std::uint8_t lock =
      process.index < processes_ ? lock_of_[process.index].at(effect.lock) : effect.lock;
  const auto stop_holding = [&] {
    std::erase_if(process.holdings,
                  [&](const Holding& h) { return h.task == effect.task && h.lock == lock; });
  };
  const auto lock_bit = static_cast<std::uint8_t>(1U << lock);
  const auto end_operation = [&] {
    Operation& operation = process.operation(effect.task);
    operation.releasing = operation.made = operation.freed = operation.succeeded = false;
    operation.answered.clear();
  };
  switch (effect.kind) {
    case Kind::send:
      return send(process, effect, context);
    case Kind::instant:
      process.instants.push_back({effect.wall, 0});
      return;
    case Kind::acquired:
      for (const auto& holding : process.holdings)
        if (holding.lock == lock) context.flags |= kSelfOverlap;
      process.holdings.push_back({effect.task, lock});
      context.flags |= kAcquired;
      context.lock = lock;
      return end_operation();
    case Kind::reentered:
      context.told.nested |= lock_bit;
      return end_operation();
    case Kind::left:
      if (effect.ok) context.told.nested |= lock_bit;
      return end_operation();
    case Kind::refused:
      context.flags |= kRefused;
      if (process.operation(effect.task).made) context.flags |= kRefusedMade;
      context.lock = lock;
      return end_operation();
    case Kind::releasing:
      stop_holding();
      process.operation(effect.task).releasing = true;
      process.operation(effect.task).freed = process.operation(effect.task).succeeded = false;
      return;
    case Kind::released:
      if (effect.ok) context.flags |= kReleased;
      if (effect.ok && !process.operation(effect.task).freed) context.flags |= kDishonestRelease;
      if (!effect.ok && process.operation(effect.task).freed) context.told.denied |= lock_bit;
      if (effect.ok && !process.operation(effect.task).succeeded &&
          !used_by_another_task(process, effect.task, lock))
        context.told.released |= lock_bit;
      return end_operation();
    case Kind::failed:
      if (first_failure_.empty()) first_failure_ = effect.text;
      std::erase_if(process.holdings, [&](const Holding& h) { return h.task == effect.task; });
      return end_operation();
    case Kind::lost:
      context.flags |= kLost;
      stop_holding();
      return;
    case Kind::log:
      return;
  }
}

void World::start_timers(Process& process, const std::vector<Wait>& tasks) {
  const auto gone = [&](TaskId task) { return wait_of(tasks, task) == nullptr; };
  for (const auto& connection : std::vector<Connection>(process.connections))
    if (connection.open && gone(connection.task)) process.abandon(connection.task);
  std::erase_if(process.operations, [&](const Operation& o) { return gone(o.task); });

  std::vector<Timer> timers;
  for (const auto& wait : tasks) {
    const bool replies = wait.kind == Wait::Kind::replies;
    if (!replies && wait.kind != Wait::Kind::sleep && wait.kind != Wait::Kind::work) continue;
    if (!wait.fresh) {
      if (const Timer* timer = process.timer(wait.task)) timers.push_back(*timer);
      continue;
    }
    std::int64_t ms = wait.ms;
    if (replies && ms <= 0) {
      const bool at_resource = std::any_of(
          process.connections.begin(), process.connections.end(), [&](const Connection& c) {
            return c.open && c.task == wait.task && c.node == kResource;
          });
      if (at_resource || model_.request_timeout_ms <= 0) continue;
      ms = model_.request_timeout_ms;
    }
    use_duration(ms);
    timers.push_back({wait.task, rounded(std::max<std::int64_t>(ms, 0))});
  }
  process.timers = std::move(timers);
}

}  // namespace lockstep::sim
