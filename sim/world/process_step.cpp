// Feeds a process and does what its program does; see the header.
#include "sim/world/process_step.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/reply.hpp"
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
  feed(observed(timeout ? Observation::Kind::timeout : Observation::Kind::timer, task));
}

/// The client's library hears where a cluster's slots are, and sends the request on by itself. True
/// if it does: the program hears nothing.
bool ProcessStep::led_on(Connection& connection) {
  Message& message = connection.messages.front();
  if (message.stage != Stage::answered || !tables_.reply(message.reply).is_error()) return false;
  const auto where = redirection_in(tables_.reply(message.reply).text);
  if (!where) return false;
  if (!where->ask) process_.masters[0] = {where->node, where->node};
  const bool exec = is_name(tables_.request(message.request).at(0), "exec");
  if (connection.session != Tables::kFresh || exec) return false;
  connection.node = where->node;
  Message on;
  on.task = message.task;
  on.request = message.request;
  on.asking = where->ask;
  on.releases = process_.operation(message.task).gives_back();
  on.way_ms = setting_.latency_ms;
  process_.drop_empty_operations();
  if (setting_.counts_doings(process_.index)) Doings::count(process_.doings.sent);
  message = on;
  return true;
}

/// What the library deals with otherwise, or as it likes, is refused.
void ProcessStep::refuse_beside_migration(const Request& request) const {
  try {
    refuse_with_migration(request);
  } catch (const BadInput& error) {
    throw BadInput(setting_.model.program->file_of(request).string() + ": " + error.what());
  }
}

void ProcessStep::deliver(Connection& connection) {
  if (setting_.servers.spare > 0 && connection.node != kResource && led_on(connection)) return;
  const Message message = connection.messages.front();
  connection.messages.erase(connection.messages.begin());
  Observation observation;
  observation.task = message.task;
  observation.node = connection.sent_for;
  if (message.stage == Stage::broken) {
    observation.kind = Observation::Kind::broken;
    if (!connection.shared()) {
      connection.open = false;
      std::erase_if(connection.messages,
                    [](const Message& m) { return m.stage != Stage::waiting; });
    }
  } else {
    observation.kind = Observation::Kind::reply;
    observation.reply = tables_.reply(message.reply);
    if (connection.node != kResource && setting_.latency_ms == 0 && !connection.subscribes) {
      std::vector<Answered>& answered = process_.operation(message.task).answered;
      const Answered one{tables_.normalised(message, connection, process_.index), message.asked_in};
      const auto place = std::lower_bound(answered.begin(), answered.end(), one);
      if (place == answered.end() || *place != one) answered.insert(place, one);
    }
  }
  process_.drop_empty_connections();
  feed(std::move(observation));
}

/// What its node remembers of it once it is made anew.
void ProcessStep::reconnect(Connection& connection) {
  connection.session = tables_.reconnected(connection.session);
}

/// When it is let go, it has been on its way for long enough.
void ProcessStep::hold(Message& message) {
  message.held = true;
  message.way_ms = 0;
}

/// What waits at its node for a key does so until the node hears that the connection is closed.
void ProcessStep::lose(Connection& connection) {
  if (!connection.open) {
    std::erase_if(connection.messages, [](const Message& m) { return m.stage == Stage::waiting; });
    return process_.drop_empty_connections();
  }
  Connection closed = connection;
  closed.open = false;
  std::erase_if(closed.messages, [](const Message& message) { return !message.for_key; });
  reconnect(connection);
  connection.break_up(setting_);
  if (!closed.messages.empty()) process_.connections.push_back(std::move(closed));
  process_.drop_empty_connections();
}

/// What waited on it is left to the network, where nobody listens to its connection.
void ProcessStep::lose_late(Connection& connection) {
  Connection under_way = connection;
  under_way.leave_to_network();
  reconnect(connection);
  connection.break_up(setting_);
  process_.connections.push_back(std::move(under_way));
  process_.drop_empty_connections();
}

/// What was given up behind the link is sent again when its kernel likes.
void ProcessStep::heal(std::uint8_t node) {
  for (Connection& connection : process_.connections) {
    if (connection.node != node || !has(process_.unreached, node)) continue;
    if (!connection.open && connection.is_under_way()) connection.leave_to_network();
  }
  process_.unreached = without(process_.unreached, node);
  process_.unheard = without(process_.unheard, node);
}

void ProcessStep::crash() {
  report_.spread = Spread::disown;
  process_.life = Life::dead;
  process_.crashed = setting_.knowledge.hands_over;
  process_.program = 0;
  process_.pause_left_ms = 0;
  process_.timers.clear();
  process_.waiting.clear();
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
      operation.counted = operation.succeeded = operation.stayed = false;
      return;
    }
    case Kind::released:
      return released(effect, lock);
    case Kind::failed:
      if (!effect.in_release && !effect.unanswered) refused(effect.task, lock);
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
    case Kind::log:
      return;
  }
}

/// What acquire() has done is a claim of nobody who holds the lock.
void ProcessStep::refused(TaskId task, std::uint8_t lock) {
  const Operation& operation = process_.operation(task);
  const auto with_given = static_cast<NodeSet>(operation.made | operation.given);
  if (setting_.enough(operation.made) || (setting_.enough(with_given) && !key_in_use(task, lock)))
    report_.claims.refused_made |= only<LockSet>(lock);
  keeps_alive_in_vain(operation, setting_.sharing[lock]);
}

/// Who does not get the lock keeps no lease of others alive, of who holds one of these.
void ProcessStep::keeps_alive_in_vain(const Operation& operation, LockSet locks) {
  if (operation.prolonged == 0) return;
  for (Maker maker = 1; maker <= setting_.processes; ++maker)
    for (std::uint8_t other = 0; other < setting_.locks.size(); ++other)
      if (has_maker(operation.prolonged, maker) && has(locks, other))
        report_.leases.push_back({LeaseChange::Kind::extended, other, maker});
}

void ProcessStep::acquired(const Effect& effect, std::uint8_t lock) {
  for (const auto& holding : process_.holdings)
    if (setting_.permits == 1 && holding.task != effect.task &&
        has(setting_.conflicting[lock], holding.lock))
      report_.facts.violated |= only(Property::mutual_exclusion);
  bool owned = setting_.enough(process_.operation(effect.task).made);
  if (!owned) {
    reads_.owned = true;
    owned = has(around_.owned, lock);
  }
  still_inside_other_mode(effect.task, lock);
  process_.holdings.push_back({effect.task, lock, owned});
  if (setting_.waits_for_free) report_.claims.turned |= setting_.with_key[lock];
  if (setting_.overtakes) report_.entered.push_back(lock);
  LockSet& given_up = process_.operation(effect.task).given_up;
  given_up = without(given_up, lock);
  report_.facts.witnessed |= only(Witness::acquired);
  if (owned) report_.facts.witnessed |= only(Witness::owned);
  if (process_.index < setting_.processes)
    report_.facts.acquired_by |= only<ProcessSet>(process_.index);
  report_.claims.acquired |= only<LockSet>(lock);
  end_operation(effect.task);
}

void ProcessStep::released(const Effect& effect, std::uint8_t lock) {
  const Operation& operation = process_.operation(effect.task);
  const bool freed = setting_.enough(operation.freed);
  if (effect.silent || effect.ok) still_inside_other_mode(effect.task, lock);
  if (effect.silent ? operation.owned && !freed : !effect.ok)
    report_.claims.kept_on |= only<LockSet>(lock);
  if (effect.silent) {
    if (freed || !operation.owned) report_.facts.witnessed |= only(Witness::released);
  } else if (effect.ok) {
    report_.facts.witnessed |= only(Witness::released);
    if (operation.owned && !freed && !operation.stayed && !in_other_mode(effect.task, lock))
      report_.claims.unfreed |= only<LockSet>(lock);
    if (!operation.succeeded && !key_in_use(effect.task, lock)) {
      report_.claims.outside |= only<LockSet>(lock);
      if (operation.counted) report_.claims.discounted |= only<LockSet>(lock);
    }
  } else if (freed) {
    report_.claims.denied |= only<LockSet>(lock);
  }
  end_operation(effect.task);
}

void ProcessStep::stop_holding(TaskId task, std::uint8_t lock) {
  if (owns(task, lock)) report_.claims.ended |= only<LockSet>(lock);
  if (setting_.waits_for_free) {
    report_.claims.turned |= setting_.with_key[lock];
    if (setting_.counts_doings(process_.index)) Doings::count(process_.doings.starts);
  }
  std::erase_if(process_.holdings,
                [&](const Holding& h) { return h.task == task && h.lock == lock; });
}

void ProcessStep::end_operation(TaskId task, Outlived of_given_up) {
  Operation& operation = process_.operation(task);
  operation.made = operation.given = operation.freed = 0;
  operation.keeps_mode = false;
  operation.releasing = operation.counted = operation.owned = operation.succeeded =
      operation.stayed = false;
  operation.prolonged = 0;
  operation.answered.clear();
  std::erase_if(process_.waiting, [&](const Waiting& waiting) { return waiting.task == task; });
  for (auto& connection : process_.connections) {
    const auto note = [of_given_up](Outlived& outlived) {
      if (outlived == Outlived::no) outlived = of_given_up;
    };
    if (connection.task == task && !connection.open) note(connection.outlived);
    for (auto& message : connection.messages)
      if (connection.shared() && message.task == task && (message.unheard || !connection.open))
        note(message.outlived);
  }
}

/// Whether the process holds, by a task, a lock that has a lease key in common with this one, or
/// another task is inside an operation on one.
bool ProcessStep::key_in_use(TaskId task, std::uint8_t lock) const {
  for (const auto& holding : process_.holdings)
    if (has(setting_.sharing[lock], holding.lock)) return true;
  for (const auto& wait : automaton_.state(process_.program).tasks) {
    if (wait.task == task || !wait.in_operation) continue;
    if (has(setting_.sharing[lock], setting_.lock_of(process_.index, wait.lock))) return true;
  }
  return false;
}

/// Whether the process had something of the lock's keys when the task acquired it.
bool ProcessStep::owns(TaskId task, std::uint8_t lock) const {
  return std::any_of(process_.holdings.begin(), process_.holdings.end(),
                     [&](const Holding& h) { return h.task == task && h.lock == lock && h.owned; });
}

/// The task is told so. Of a lock that has never shown in its keys nothing can be said.
void ProcessStep::still_inside(TaskId task, std::uint8_t lock) {
  if (owns(task, lock)) report_.claims.inside |= only<LockSet>(lock);
}

/// What the task holds in the other mode of the key; null: nothing.
const Holding* ProcessStep::in_other_mode(TaskId task, std::uint8_t lock) const {
  const auto other = std::ranges::find_if(process_.holdings, [&](const Holding& holding) {
    return holding.task == task && holding.lock != lock &&
           has(setting_.with_key[lock], holding.lock);
  });
  return other == process_.holdings.end() ? nullptr : &*other;
}

/// The task is told so of what it holds in the other mode.
void ProcessStep::still_inside_other_mode(TaskId task, std::uint8_t lock) {
  if (const Holding* other = in_other_mode(task, lock)) still_inside(task, other->lock);
}

/// Where a new connection for a node goes: to the master that the process knows.
std::uint8_t ProcessStep::server_for(std::uint8_t node) const {
  return node < process_.masters.size() ? process_.masters[node].known : node;
}

/// Each of its tasks may have a connection to the old one, which its pool drops when it likes: that
/// one does so within a call, and another one not as yet, is not tried.
void ProcessStep::learn(std::uint8_t group) {
  process_.masters[group].known = process_.masters[group].newest;
  for (auto& connection : process_.connections) {
    if (connection.sent_for != group) continue;
    connection.made_before = connection.stale = false;
    const bool idle = connection.messages.empty() && connection.open && connection.ahead_of == 0;
    if (!idle || connection.link != Link::made || tables_.session(connection.session).value.begun())
      continue;
    connection.node = process_.masters[group].known;
    connection.greeted = false;
  }
  process_.drop_empty_connections();
  if (process_.life != Life::up || process_.rounds.size() < 2) return;
  const auto& tasks = automaton_.state(process_.program).tasks;
  if (std::ranges::any_of(tasks, &Wait::in_operation))
    setting_.leave_untried(
        "a process with several tasks hears of a new master within a call, and each of its "
        "connections may leave the old one at another time");
}

void ProcessStep::send(const Effect& effect) {
  if (setting_.servers.spare > 0 && effect.node != kResource)
    refuse_beside_migration(effect.request);
  reads_.nodes = reads_.nodes || setting_.nodes_fail;
  Message message;
  message.task = effect.task;
  message.request = tables_.intern(effect.request);
  message.way_ms = setting_.latency_ms;
  if (setting_.counts_doings(process_.index)) Doings::count(process_.doings.sent);
  message.releases = effect.node != kResource && process_.operation(effect.task).gives_back();
  if (effect.node == kResource && effect.request[0] == "WRITE") {
    message.basis = process_.operation(effect.task).basis;
    process_.operation(effect.task).basis = Basis::none;
  }
  const TaskId task = setting_.shares_connections && effect.node != kResource && !effect.subscribes
                          ? kEveryTask
                          : effect.task;
  const auto place = std::ranges::find_if(process_.connections, [&](const Connection& c) {
    return c.takes_requests() && c.task == task && c.sent_for == effect.node &&
           c.subscribes == effect.subscribes;
  });
  const bool new_one = place == process_.connections.end();
  const std::uint8_t server = new_one ? server_for(effect.node) : place->node;
  if (server != kResource && is_name(effect.request.at(0), "wait"))
    setting_.needs.replica_waits = true;
  const bool dark = server != kResource && has(around_.dark, server);
  if (server != kResource && !dark && !has(around_.up, server)) message.stage = Stage::broken;
  if (!new_one && place->link == Link::reset) message.stage = Stage::broken;
  message.doubtful = dark || (!new_one && place->stale);
  if (!new_one) return place->messages.push_back(message);
  Connection connection{task, server, true, false, {message}};
  connection.sent_for = effect.node;
  connection.subscribes = effect.subscribes;
  connection.link = dark ? Link::unmade : Link::made;
  for (auto& broken : process_.connections)
    if (broken.open && broken.task == task && broken.sent_for == effect.node &&
        broken.subscribes == effect.subscribes)
      connection.session = tables_.reconnected(std::exchange(broken.session, Tables::kFresh));
  process_.connections.push_back(std::move(connection));
}

/// Whether a wait is a step of the workload itself.
bool ProcessStep::of_workload(const Wait& wait) const {
  const bool main = wait.task < process_.rounds.size() && !wait.in_operation;
  const bool step = wait.kind == Wait::Kind::work || wait.kind == Wait::Kind::sleep;
  return main && step && !setting_.goes_on_for_ever(process_.index);
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

/// Who sleeps before it asks again does not get the lock; one of many may have joined them.
void ProcessStep::judge_sleeps(const std::vector<Wait>& tasks) {
  for (Operation& operation : process_.operations) {
    const Wait* wait = operation.prolonged == 0 ? nullptr : wait_of(tasks, operation.task);
    if (!wait || !wait->in_acquire || wait->kind != Wait::Kind::sleep || !wait->fresh) continue;
    const std::uint8_t lock = setting_.lock_of(process_.index, wait->lock);
    const LockSet many = has(setting_.shared, lock) ? setting_.shared : LockSet{0};
    if (setting_.permits == 1)
      keeps_alive_in_vain(operation, static_cast<LockSet>(setting_.sharing[lock] & ~many));
    operation.prolonged = 0;
  }
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
    const bool computed = setting_.computed.contains(ms);
    if (wait.kind != Wait::Kind::work) ms = setting_.timer_ms(process_.index, ms);
    if (!computed && !of_workload(wait)) {
      if (replies)
        setting_.use_timeout(ms);
      else
        setting_.use_sleep(process_.index, ms, process_.slept);
    }
    timers.push_back({wait.task, setting_.rounded(std::max<std::int64_t>(ms, 0))});
  }
  process_.timers = std::move(timers);
  if (std::ranges::all_of(tasks, [](const Wait& w) { return w.kind == Wait::Kind::done; }))
    process_.slept.clear();  // nothing is to come
}

}  // namespace lockstep::sim
