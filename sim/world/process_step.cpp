// Feeds a process and does what its program does; see the header.
#include "sim/world/process_step.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/program.hpp"
#include "sim/world/infos.hpp"

namespace lockstep::sim {

namespace {

/// The largest number that a token can have.
constexpr std::uint16_t kMostTokens = std::numeric_limits<std::uint16_t>::max();

const Wait* wait_of(const std::vector<Wait>& tasks, TaskId task) {
  const auto place =
      std::find_if(tasks.begin(), tasks.end(), [&](const Wait& w) { return w.task == task; });
  return place == tasks.end() ? nullptr : &*place;
}

Observation observed(Observation::Kind kind, TaskId task) {
  Observation observation;
  observation.kind = kind;
  observation.task = task;
  return observation;
}

}  // namespace

ProcessStep::ProcessStep(Setting& setting, Tables& tables, Automaton& automaton, Process& process,
                         const Surroundings& around, std::vector<std::uint8_t> choices,
                         std::uint16_t cut)
    : setting_(setting),
      tables_(tables),
      automaton_(automaton),
      process_(process),
      rate_(setting.rate_of(process.index)),
      around_(around) {
  report_.choices = std::move(choices);
  report_.cut = cut;
}

void ProcessStep::act(const LocalAction& action) {
  if (!row(action.kind).fields.cut) return act(action.kind, action.index);
  by_access_ = action.kind == Action::Kind::preempt;
  act(action.step, action.index);
  if (cut_ == Cut::none) return;  // there is no such cut, or a choice is open
  if (action.kind == Action::Kind::crash_within) return crash();
  if (action.kind == Action::Kind::pause_within) stand_still();
  if (action.kind == Action::Kind::jump_within) jump(setting_.model.jumps_ms[action.jump]);
}

void ProcessStep::act(Action::Kind kind, std::uint8_t index) {
  using Kind = Action::Kind;
  switch (kind) {
    case Kind::begin:
      return begin(index);
    case Kind::run:
      return feed(observed(Observation::Kind::run, index));
    case Kind::timer:
      return fire_timer(index);
    case Kind::deliver:
      return deliver(process_.connections[index]);
    case Kind::pause:
      return stand_still();
    case Kind::resume:
      process_.life = Life::up;
      process_.pause_left_ms = 0;
      return start_waits(automaton_.state(process_.program).tasks);
    case Kind::delay:
      return hold(process_.connections[index].messages.front());
    case Kind::release:
      process_.connections[index].messages.front().held = false;
      return process_.drop_empty_connections();
    case Kind::lose:
      return lose(process_.connections[index]);
    case Kind::close:
      reconnect(process_.connections[index]);
      process_.connections[index].close(setting_);
      return process_.drop_empty_connections();
    case Kind::lose_late:
      return lose_late(process_.connections[index]);
    case Kind::crash_begin:
      ++process_.rounds[index];
      [[fallthrough]];
    case Kind::crash:
      return crash();
    case Kind::cut:
    case Kind::cut_requests:
    case Kind::cut_replies:
      if (kind != Kind::cut_replies) process_.unreached |= only<NodeSet>(index);
      if (kind != Kind::cut_requests) process_.unheard |= only<NodeSet>(index);
      return;
    case Kind::heal_late:
      for (Connection& connection : process_.connections)
        if (process_.waits_for_link(connection, static_cast<std::uint8_t>(index)))
          hold(connection.messages.front());
      [[fallthrough]];
    case Kind::heal:
      return heal(static_cast<std::uint8_t>(index));
    case Kind::learn:
      return learn(index);
    case Kind::jump_process:
      return jump(setting_.model.jumps_ms[index]);
    default:
      LOCKSTEP_CHECK(!"an action of a process");
  }
}

void ProcessStep::stand_still() {
  process_.life = Life::paused;
  process_.waiting.clear();
  process_.pause_left_ms =
      setting_.model.pause_max_ms > 0 ? setting_.rounded(setting_.model.pause_max_ms) : 0;
}

void ProcessStep::begin(TaskId task) {
  if (process_.life == Life::dead) {
    process_.life = Life::up;
    process_.program = automaton_.initial(setting_.setup_of[process_.index], process_.rounds);
  }
  if (process_.rounds[task] == 0 || !setting_.goes_on_for_ever(process_.index))
    ++process_.rounds[task];
  feed(observed(Observation::Kind::begin, task));
}

/// A wait by a clock that drifts lasts whole ms of true time here.
void ProcessStep::note_part_of_ms(std::int64_t waited_ms) {
  constexpr std::uint8_t kSeveral = 2;
  if (setting_.rate_of(process_.index).is_whole(waited_ms)) return;
  if (process_.waits_in_part < kSeveral) ++process_.waits_in_part;
  setting_.waits_add_up = setting_.waits_add_up || process_.waits_in_part == kSeveral;
}

void ProcessStep::fire_timer(TaskId task) {
  const Wait* wait = wait_of(automaton_.state(process_.program).tasks, task);
  const bool timeout = wait != nullptr && wait->kind == Wait::Kind::replies;
  const bool subscribes = timeout && wait->subscribes;
  if (wait != nullptr && wait->kind != Wait::Kind::work) note_part_of_ms(wait->ms);
  if (timeout) {
    if (setting_.counts_timeouts(process_.index)) Doings::count(process_.doings.timeouts);
    process_.abandon(task, true, subscribes);
  }
  if (wait != nullptr && wait->kind == Wait::Kind::sleep && is_of_program(*wait))
    setting_.note_slept(process_.index, setting_.timer_ms(process_.index, wait->ms),
                        process_.slept);
  feed(observed(timeout ? Observation::Kind::timeout : Observation::Kind::timer, task));
}

/// Who goes on for ever begins again, as often as it ends.
void ProcessStep::end_by_itself() {
  if (setting_.goes_on_for_ever(process_.index)) setting_.countless = true;
  crash();
}

void ProcessStep::crash() {
  report_.spread = Spread::disown;
  process_.life = Life::dead;
  process_.crashed = setting_.knowledge.hands_over;
  process_.program = 0;
  process_.pause_left_ms = 0;
  process_.timers.clear();
  process_.waiting.clear();
  process_.returns.clear();
  process_.instants.clear();
  if (setting_.waits_for_free)
    for (const auto& holding : process_.holdings)
      report_.claims.turned |= setting_.with_key[holding.lock];
  process_.holdings.clear();
  process_.operations.clear();
  for (auto& connection : process_.connections) {
    connection.open = false;
    connection.former = true;
    const bool on_network = connection.link == Link::made;
    std::erase_if(connection.messages,
                  [&](const Message& m) { return !on_network || m.stage != Stage::waiting; });
  }
  process_.drop_empty_connections();
}

void ProcessStep::jump(std::int64_t ms) {
  for (auto& instant : process_.instants)
    if (instant.wall) instant.age += ms * rate_.parts();
  if (setting_.knowledge.absolute) process_.clock_offset_ms += ms;
}

void ProcessStep::feed(Observation observation) {
  std::ptrdiff_t looks = 0;                  // at the wall clock
  for (std::uint16_t cut = report_.cut;;) {  // what is still to come of it
    observation.cut = cut;
    observation.by_access = by_access_;
    const Transition& transition = automaton_.advance(process_.program, observation);
    if (transition.query) {
      const Query query = *transition.query;
      if (query.kind == Query::Kind::choice && chosen_ == report_.choices.size()) {
        open_choice_ = query.choices;
        return;
      }
      observation.answers.push_back(answer(query));
      continue;
    }
    for (const auto& effect : transition.effects) apply(effect);
    if (std::ranges::any_of(transition.effects, ends_process)) return end_by_itself();
    looks += std::ranges::count_if(transition.effects, &Effect::wall);
    if (looks > 1 && setting_.budget(Fault::jump) > 0) setting_.needs.looks_twice = true;
    judge_sleeps(transition.tasks);
    start_timers(transition.tasks);
    start_waits(transition.tasks);
    if (transition.rebased) {
      std::vector<Instant> instants;
      for (const std::uint16_t old : transition.instants)
        instants.push_back(process_.instants.at(old));
      process_.instants = std::move(instants);
    }
    process_.program = transition.next;
    process_.drop_empty_operations();
    cut_ = transition.cut;
    if (transition.cuts > 0 && setting_.stops_within && !by_access_) setting_.needs.cuts = true;
    if (!transition.again) return;
    if (cut > 0) cut = static_cast<std::uint16_t>(cut - transition.cuts);
    observation = observed(Observation::Kind::run, *transition.again);
  }
}

std::string ProcessStep::answer(const Query& query) {
  // An instant that this very step has read is not among the process's yet: it is now.
  const auto age = [&](std::uint16_t instant) {
    return instant < process_.instants.size() ? process_.instants[instant].age : age_of_now();
  };
  switch (query.kind) {
    case Query::Kind::token:
      return fresh_token();
    case Query::Kind::choice:
      return std::to_string(report_.choices[chosen_++]);
    case Query::Kind::difference:
      return std::to_string((age(query.second) - age(query.first)) / rate_.parts());
    case Query::Kind::absolute:
      setting_.needs.absolute = true;
      reads_.now = true;
      report_.read_time = true;
      started();
      return std::to_string(
          kEpoch.ms + process_.clock_offset_ms +
          floor_quotient(rate_.shown_after(around_.now_ms) - age(query.first), rate_.parts()));
  }
  LOCKSTEP_CHECK(!"a kind of query");
  return {};
}

/// Of an instant that is read now: what of the ms that its clock shows is over already (in an
/// absolute run; in others it begins now).
std::int64_t ProcessStep::age_of_now() {
  if (!setting_.knowledge.absolute || !rate_.drifts()) return 0;
  reads_.now = true;
  return rate_.shown_after(around_.now_ms) % rate_.parts();
}

/// What an instant is older by from the first, in parts of a ms.
std::int64_t ProcessStep::age_at_first() const {
  const bool older = setting_.model.part_of_ms == PartOfMs::onto_ages && rate_.drifts() &&
                     !setting_.knowledge.absolute;
  return older ? rate_.parts() : 0;
}

/// Something begins that may turn at a later time.
void ProcessStep::started() {
  const bool turns = setting_.knowledge.absolute || !setting_.knowledge.ages.empty();
  if (turns && setting_.counts_doings(process_.index)) Doings::count(process_.doings.starts);
}

std::string ProcessStep::fresh_token() {
  const auto too_many = [&](unsigned most) {
    return BadInput(setting_.model.program->folder().string() + "/protocol.lua: more than " +
                    std::to_string(most) +
                    " lock tokens of one process are in use at once; the checker follows at most "
                    "that many");
  };
  const bool probes = process_.index >= setting_.processes;  // nobody else has seen its tokens
  const bool recycles = setting_.knowledge.recycles_tokens;
  const auto next = [&] {
    if (process_.tokens_used == kMostTokens) throw too_many(kMostTokens);
    return token_text({process_.index, ++process_.tokens_used});
  };
  if (!recycles && !probes) return next();
  reads_.tokens = true;
  for (std::uint8_t number = 1; number <= kRecycledTokens; ++number) {
    if (has(around_.used_tokens, number - 1U)) continue;
    around_.used_tokens |= only<TokenNumbers>(number - 1U);
    return token_text({process_.index, number});
  }
  if (recycles && !probes) throw too_many(kRecycledTokens);
  process_.tokens_used = std::max<std::uint16_t>(process_.tokens_used, kRecycledTokens);
  return next();
}

// ---- effects

void ProcessStep::apply(const Effect& effect) {
  using Kind = Effect::Kind;
  const std::uint8_t lock = setting_.lock_of(process_.index, effect.lock);
  switch (effect.kind) {
    case Kind::send:
      return send(effect);
    case Kind::gave_up:
      return process_.abandon(effect.task, true, false);
    case Kind::instant:
      setting_.needs.clocks = true;
      process_.instants.push_back({effect.wall, age_of_now() + age_at_first()});
      return started();
    case Kind::acquired:
      return acquired(effect, lock);
    case Kind::reentered:
      still_inside(effect.task, lock);
      return end_operation(effect.task);
    case Kind::left:
      if (effect.ok || (effect.silent && setting_.enough(process_.operation(effect.task).freed)))
        still_inside(effect.task, lock);
      return end_operation(effect.task);
    case Kind::refused:
      report_.facts.witnessed |= only(Witness::refused);
      refused(effect.task, lock);
      return end_operation(effect.task, Outlived::in_vain);
    case Kind::releasing: {
      const bool owned = owns(effect.task, lock);
      stop_holding(effect.task, lock);
      Operation& operation = process_.operation(effect.task);
      operation.releasing = true;
      operation.keeps_mode = in_other_mode(effect.task, lock) != nullptr;
      operation.owned = owned || has(operation.given_up, lock);
      operation.given_up = without(operation.given_up, lock);
      operation.freed = 0;
      operation.counted = operation.succeeded = operation.stayed = operation.wrote = false;
      return;
    }
    case Kind::released:
      return released(effect, lock);
    case Kind::failed:
      if (!effect.leaves_open) failed_by_itself(effect, lock);
      if (effect.in_release) report_.claims.kept_on |= only<LockSet>(lock);
      if (setting_.first_failure.empty())
        setting_.first_failure = (effect.in_release ? "release() ended in an error: "
                                                    : "acquire() ended in an error: ") +
                                 effect.text;
      for (const auto& holding : std::vector<Holding>(process_.holdings))
        if (holding.task == effect.task) stop_holding(effect.task, holding.lock);
      return end_operation(effect.task, effect.in_release ? Outlived::yes : Outlived::in_vain);
    case Kind::lost:
      report_.facts.witnessed |= only(Witness::lost);
      if (effect.ok && owns(effect.task, lock)) report_.claims.told_lost |= only<LockSet>(lock);
      if (owns(effect.task, lock)) process_.operation(effect.task).given_up |= only<LockSet>(lock);
      return stop_holding(effect.task, lock);
    case Kind::exited:
    case Kind::log:
      return;
  }
}

/// Whether a wait is a step of the workload itself.
bool ProcessStep::of_workload(const Wait& wait) const {
  const bool main = wait.task < process_.rounds.size() && !wait.in_operation && !wait.in_call;
  const bool step = wait.kind == Wait::Kind::work || wait.kind == Wait::Kind::sleep;
  return main && step && !setting_.goes_on_for_ever(process_.index);
}

/// Whether how long it lasts is the program's own number, and no step of the workload.
bool ProcessStep::is_of_program(const Wait& wait) const {
  return !setting_.computed.contains(wait.ms) && !of_workload(wait);
}

/// Whoever is inside acquire() waits: from now on, unless it does so already.
void ProcessStep::start_waits(const std::vector<Wait>& tasks) {
  if (!setting_.counts_waits(process_.index)) return;
  std::vector<Waiting> waiting;
  for (const auto& wait : tasks) {
    if (!wait.in_acquire) continue;
    const auto before = std::ranges::find(process_.waiting, wait.task, &Waiting::task);
    const bool waits_already = before != process_.waiting.end();
    if (!waits_already && setting_.counts_doings(process_.index))
      Doings::count(process_.doings.starts);
    waiting.push_back(
        waits_already ? *before : Waiting{wait.task, setting_.lock_of(process_.index, wait.lock)});
  }
  process_.waiting = std::move(waiting);
}

void ProcessStep::start_timers(const std::vector<Wait>& tasks) {
  const auto gone = [&](TaskId task) { return wait_of(tasks, task) == nullptr; };
  std::vector<TaskId> given_up;
  for (const auto& connection : process_.connections) {
    if (!connection.open) continue;
    if (!connection.shared() && gone(connection.task)) given_up.push_back(connection.task);
    for (const auto& message : connection.messages)
      if (!message.unheard && gone(message.task)) given_up.push_back(message.task);
  }
  for (const TaskId task : given_up) process_.abandon(task);
  std::erase_if(process_.operations, [&](const Operation& o) { return gone(o.task); });

  std::vector<Timer> timers;
  for (const auto& wait : tasks) {
    const bool replies = wait.kind == Wait::Kind::replies;
    if (!replies && wait.kind != Wait::Kind::sleep && wait.kind != Wait::Kind::work) continue;
    if (!wait.fresh) {
      if (const Timer* timer = process_.timer(wait.task)) timers.push_back(*timer);
      continue;
    }
    std::int64_t ms = wait.ms;
    if (replies && ms <= 0) {
      const bool at_resource = std::any_of(
          process_.connections.begin(), process_.connections.end(), [&](const Connection& c) {
            return c.open && c.task == wait.task && c.node == kResource;
          });
      if (at_resource || setting_.model.request_timeout_ms <= 0) continue;
      ms = setting_.model.request_timeout_ms;
    }
    const bool of_program = is_of_program(wait);
    if (wait.kind != Wait::Kind::work) ms = setting_.timer_ms(process_.index, ms);
    if (of_program) {
      if (replies)
        setting_.use_timeout(ms);
      else
        setting_.use_sleep(process_.index, ms, process_.slept);
    }
    timers.push_back({wait.task, setting_.rounded(std::max<std::int64_t>(ms, 0))});
  }
  process_.timers = std::move(timers);
  if (std::ranges::all_of(tasks, [](const Wait& w) { return w.kind == Wait::Kind::done; }))
    process_.slept = {};  // nothing is to come
}

}  // namespace lockstep::sim
