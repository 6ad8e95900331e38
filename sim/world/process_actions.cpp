// What can happen to a process in one of its states: worked out once, when the state is interned.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "sim/client/program.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/processes.hpp"

namespace lockstep::sim {

namespace {

/// Whether the task takes what is next on a connection of it: a listener's, or another one.
bool takes(const std::vector<Wait>& tasks, TaskId task, bool subscribes) {
  return std::any_of(tasks.begin(), tasks.end(), [&](const Wait& wait) {
    const bool replies = wait.kind == Wait::Kind::replies && wait.subscribes == subscribes;
    return wait.task == task && (replies || (subscribes && wait.kind == Wait::Kind::message));
  });
}

/// Whether one of them has to go on before anything else of the process happens.
bool is_interrupted(const std::vector<Wait>& tasks) {
  return std::ranges::any_of(tasks,
                             [](const Wait& wait) { return wait.kind == Wait::Kind::interrupted; });
}

void add_action(ProcessInfo& info, Action::Kind kind, std::size_t index, bool is_urgent) {
  LocalAction action;
  action.kind = kind;
  action.index = static_cast<std::uint8_t>(index);
  action.urgent = is_urgent;
  info.actions.push_back(action);
  info.urgent = info.urgent || is_urgent;
}

}  // namespace

/// Rounds of a task that may still begin at any time. Who goes on for ever begins so but once in
/// each of its lives.
unsigned Processes::rounds_to_begin(const ProcessSetup& setup, Life life, int begun) const {
  if (setup.rounds > 0) return static_cast<unsigned>(std::max(0, setup.rounds - begun));
  return (begun == 0 || life == Life::dead ? 1U : 0U) + setting_.budget(Fault::crash);
}

void Processes::list_actions(ProcessInfo& info) {
  const Process& process = info.value;
  const bool active = list_task_actions(info);
  for (const auto& action : info.actions)
    info.free = info.free || (action.kind == Action::Kind::begin && !action.urgent);
  setting_.note_doings(process.index, process.doings);
  const ProcessSetup& setup =
      setting_.setups[info.value.index < setting_.processes ? setting_.setup_of[info.value.index]
                                                            : setting_.probe_setups.front()];
  for (const int begun : process.rounds)
    info.to_come.free_actions += rounds_to_begin(setup, process.life, begun);
  TimerCounts timers = timers_to_come(setup, process);
  if (process.life == Life::paused) {
    add_action(info, Action::Kind::resume, 0,
               setting_.model.pause_max_ms > 0 && process.pause_left_ms == 0);
    info.free = true;
    ++info.to_come.free_actions;
  }
  const std::int64_t divisible_ms = divisible_work(process);
  // What is left of work that was cut in the middle is a distance of its own.
  if (process.life == Life::paused && divisible_ms > 0) ++timers[setting_.rounded(divisible_ms)];
  info.to_come.timers = grid_.timers(timers);
  for (std::size_t c = 0; c < process.connections.size(); ++c) list_message_actions(info, c);
  list_links(info);
  for (const auto& action : info.actions)
    info.free = info.free || (action.kind == Action::Kind::deliver && !action.urgent);
  info.to_come.ways = ways_to_come(process);
  info.to_come.timeouts = timeouts_to_come(process);
  // Where every message has an instant of its own, only what begins to last leads from one to
  // another: it still is at one (an edge into its beginning), and is not any more at another one.
  if (setting_.latency_ms > 0)
    info.to_come.free_actions = 2 * setting_.doings_to_come(process.index, process.doings).starts;
  info.to_come_number = info.split_number = grid_.part(info.to_come);
  if (divisible_ms > 0) list_split(info, divisible_ms, timers);
  list_cuts(info);
  list_process_faults(info, active);
  // A pause matters for when it ends, not for when it begins; but for a limited one, and where work
  // stands still while something else of the process goes on.
  info.timed_faults =
      info.faults &
      (only(Fault::jump) |
       (setting_.model.pause_max_ms > 0 || divisible_ms > 0 ? only(Fault::pause) : FaultSet{0}));
  info.memos.resize(info.actions.size());
}

/// What is left of work under way while another task of the process may go on; else 0.
std::int64_t Processes::divisible_work(const Process& process) const {
  if (process.life == Life::dead || !has_other_tasks(process)) return 0;
  for (const auto& wait : automaton_.state(process.program).tasks)
    if (wait.kind == Wait::Kind::work)
      if (const Timer* timer = process.timer(wait.task); timer != nullptr && timer->left_ms > 0)
        return timer->left_ms;
  return 0;
}

/// Notes that something of a process, not of a probe, goes on whenever it likes beside its tasks.
void Processes::note_loose_tasks(const Process& process) const {
  if (process.index < setting_.processes && has_other_tasks(process)) setting_.loose_tasks = true;
}

/// Notes what a pause does that stops work in the middle, but not the timers of other tasks. Before
/// it: how far the end of that work may lie from the end of the pause, which is as far as from the
/// end of the work to what is due in the pause.
void Processes::list_split(ProcessInfo& info, std::int64_t work_ms, TimerCounts timers) {
  if (setting_.budget(Fault::pause) == 0) return;
  if (!setting_.reckons_split_work()) {
    setting_.splits_anyhow = setting_.splits_anyhow || info.value.life == Life::paused;
    return;
  }
  setting_.needs.splits_work = true;
  if (info.value.life != Life::up) return;
  info.split_ms = work_ms;
  for (const Timer& timer : info.value.timers)
    if (timer.left_ms > 0 && timer.left_ms != work_ms)
      ++timers[setting_.rounded(std::abs(work_ms - timer.left_ms))];
  ToCome split = info.to_come;
  split.timers = grid_.timers(timers);
  info.split_number = grid_.part(split);
}

namespace {

/// The first step of a workload, as an index, that may be the one under way: the task waits so.
std::size_t step_under_way(const std::vector<WorkStep>& workload, const Wait& wait, bool holds) {
  using Kind = WorkStep::Kind;
  const auto first = [&](Kind kind, const auto& fits) {
    const auto found = std::ranges::find_if(
        workload, [&](const WorkStep& step) { return step.kind == kind && fits(step); });
    return found == workload.end() ? 0 : static_cast<std::size_t>(found - workload.begin());
  };
  const auto as_long = [&](const WorkStep& step) { return step.ms == wait.ms; };
  const auto of_lock = [&](const WorkStep& step) { return step.lock == wait.lock; };
  if (wait.in_operation) return first(wait.in_acquire ? Kind::lock : Kind::unlock, of_lock);
  if (wait.in_call) return first(Kind::call, [](const WorkStep&) { return true; });
  if (wait.kind == Wait::Kind::work) return first(Kind::work, as_long);
  if (wait.kind == Wait::Kind::sleep) return first(Kind::sleep, as_long);
  return holds ? first(Kind::lock, [](const WorkStep&) { return true; }) : 0;
}

}  // namespace

/// How many messages may still take time: those on their way, and what the process may still send,
/// each request with a reply.
unsigned Processes::ways_to_come(const Process& process) const {
  if (setting_.latency_ms == 0) return 0;
  unsigned ways = 2U * setting_.doings_to_come(process.index, process.doings).sent;
  for (const auto& connection : process.connections)
    for (const auto& message : connection.messages) ways += message.stage == Stage::waiting ? 2 : 1;
  return ways;
}

/// How many of its requests may time out, but for those of faults to come.
unsigned Processes::timeouts_to_come(const Process& process) const {
  if (setting_.knowledge.timeouts.empty()) return 0;
  unsigned timeouts = process.life == Life::paused ? 1 : 0;
  timeouts += setting_.doings_to_come(process.index, process.doings).timeouts;
  for (const auto& connection : process.connections)
    if (connection.open)
      for (const auto& message : connection.messages) timeouts += message.held ? 1 : 0;
  return timeouts;
}

/// At most: of sleeps what is counted, of a round under way what may follow the step that is under
/// way, and `work` itself if it stands still.
TimerCounts Processes::timers_to_come(const ProcessSetup& setup, const Process& process) const {
  if (setup.rounds == 0) return {};  // they are uncounted
  TimerCounts timers = setting_.sleeps_to_come(process.index, process.slept);
  const auto add_from = [&](std::size_t first) {
    for (std::size_t i = first; i < setup.workload.size(); ++i)
      if (setup.workload[i].ms > 0)
        ++timers[setting_.rounded(setting_.true_ms(process.index, setup.workload[i]))];
  };
  for (const int begun : process.rounds)
    for (int round = begun; round < setup.rounds; ++round) add_from(0);
  if (process.life == Life::dead) return timers;
  for (const auto& wait : automaton_.state(process.program).tasks) {
    if (wait.task >= process.rounds.size()) continue;
    if (wait.kind == Wait::Kind::idle || wait.kind == Wait::Kind::done) continue;
    const bool holds = std::ranges::any_of(
        process.holdings, [&](const Holding& holding) { return holding.task == wait.task; });
    const std::size_t now = step_under_way(setup.workload, wait, holds);
    const bool timed = wait.kind == Wait::Kind::sleep ||
                       (wait.kind == Wait::Kind::work && process.life == Life::up);
    add_from(timed && !wait.in_operation && !wait.in_call ? now + 1 : now);
  }
  return timers;
}

void Processes::add_fault(ProcessInfo& info, Action::Kind kind, std::size_t index,
                          Fault fault) const {
  if (setting_.budget(fault) == 0) return;  // never possible in this model
  setting_.needs.clocks_jump = setting_.needs.clocks_jump || fault == Fault::jump;
  add_action(info, kind, index, false);
  info.actions.back().within = only(fault);
  info.actions.back().spends = static_cast<std::uint8_t>(fault);
  info.faults |= only(fault);
}

/// Whether the task goes on for ever, and has been at it: it begins its next round as soon as the
/// one before has ended.
bool Processes::begins_at_once(const Process& process, TaskId task) const {
  return setting_.goes_on_for_ever(process.index) && process.rounds[task] > 0;
}

/// Adds what the tasks can do; returns whether some task is neither idle nor done.
bool Processes::list_task_actions(ProcessInfo& info) const {
  using Kind = Action::Kind;
  const Process& process = info.value;
  if (process.life == Life::dead) {
    const auto rounds =
        setting_.model.processes[process.index < setting_.processes ? process.index : 0].rounds;
    for (std::size_t task = 0; task < process.rounds.size(); ++task)
      if (rounds == 0 || process.rounds[task] < rounds) add_action(info, Kind::begin, task, false);
    if (!info.actions.empty()) list_masters_to_learn(info);
    return false;
  }
  bool active = false;
  const auto& tasks = automaton_.state(process.program).tasks;
  const bool interrupted = is_interrupted(tasks);
  for (const auto& wait : tasks) {
    active = active || (wait.kind != Wait::Kind::idle && wait.kind != Wait::Kind::done);
    if (process.life != Life::up || (interrupted && wait.kind != Wait::Kind::interrupted)) continue;
    if (wait.kind == Wait::Kind::idle) note_loose_tasks(process);
    if (wait.kind == Wait::Kind::idle)
      add_action(info, Kind::begin, wait.task, begins_at_once(process, wait.task));
    if (wait.can_run()) add_action(info, Kind::run, wait.task, true);
    const Timer* timer = info.value.timer(wait.task);
    if (timer != nullptr && timer->left_ms == 0) add_action(info, Kind::timer, wait.task, true);
  }
  list_masters_to_learn(info);
  return active;
}

/// Of which failovers it may hear. When matters to nothing that lasts.
void Processes::list_masters_to_learn(ProcessInfo& info) const {
  const Process& process = info.value;
  if (process.life == Life::paused || process.knows_masters()) return;
  const auto done = [](const Wait& wait) { return wait.kind == Wait::Kind::done; };
  if (process.life == Life::up &&
      std::ranges::all_of(automaton_.state(process.program).tasks, done))
    return;
  for (std::size_t group = 0; group < process.masters.size(); ++group) {
    if (process.masters[group].known == process.masters[group].newest) continue;
    add_action(info, Action::Kind::learn, group, false);
    info.actions.back().node = process.masters[group].newest;
  }
}

/// Whether the request was answered before at this instant, to the task that waits for it, and
/// nothing on its connection waits for it to go on.
bool Processes::asks_again(const Process& process, const Connection& connection,
                           const Message& message) {
  if (process.life != Life::up || !connection.open || connection.former || message.unheard ||
      &message != &connection.messages.back())
    return false;
  return std::ranges::any_of(process.operations, [&](const Operation& operation) {
    if (operation.task != message.task || operation.answered.empty()) return false;
    const Id request = tables_.normalised(message, connection, process.index);
    return std::ranges::find(operation.answered, request, &Answered::request) !=
           operation.answered.end();
  });
}

/// What is asked again and again may go on whenever time has passed.
void Processes::note_poll(ProcessInfo& info) const {
  info.free = true;
  note_loose_tasks(info.value);
  ++info.to_come.free_actions;
  // What it hears again and again, it may hear at any time; only where its clock turns something
  // does it matter when.
  info.to_come.free_actions += static_cast<unsigned>(setting_.knowledge.ages.size());
}

/// Adds that a connection breaks: at no cost where a node has died, or is a master of before, whose
/// clients are cut off by a Sentinel or their pools.
void Processes::list_loss(ProcessInfo& info, Action::Kind kind, std::size_t c) const {
  const Process& process = info.value;
  const Connection& connection = process.connections[c];
  const bool outdated = setting_.servers.replicas > 0 &&
                        connection.sent_for < process.masters.size() &&
                        connection.node != process.masters[connection.sent_for].newest;
  const bool doubtful = !connection.messages.empty() && connection.messages.front().doubtful;
  if (doubtful || outdated)
    add_action(info, kind, c, false);
  else
    add_fault(info, kind, c, Fault::lose);
}

/// Whether the answer on this connection is heard later at this instant, and nothing is missed by
/// that: its task waits for all answers of a call, and others have to come, too. Each run is as
/// long as one in which they are all heard one after the other, in the order of their connections:
/// what comes between is not about them. (What is released when the task's timeout is due may as
/// well be released once they were heard; all else has come before time passes.)
bool Processes::is_heard_later(const Process& process, std::size_t c) const {
  const Connection& connection = process.connections[c];
  if (!setting_.hears_together() || !connection.is_plain()) return false;
  const TaskId task = connection.messages.front().task;
  const auto& tasks = automaton_.state(process.program).tasks;
  if (!std::ranges::any_of(tasks,
                           [&](const Wait& wait) { return wait.task == task && wait.together; }))
    return false;
  for (std::size_t d = 0; d < process.connections.size(); ++d) {
    const Connection& other = process.connections[d];
    if (d == c || !other.open || other.task != task || other.subscribes || other.messages.empty())
      continue;
    const Message& next = other.messages.front();
    if (next.held || next.blocked) continue;
    if (next.stage == Stage::waiting || d < c) return true;
  }
  return false;
}

/// Adds what can happen to the messages of one connection.
void Processes::list_message_actions(ProcessInfo& info, std::size_t c) {
  using Kind = Action::Kind;
  const Process& process = info.value;
  const Connection& connection = process.connections[c];
  if (connection.may_close(tables_.session(connection.session).value.begun()) &&
      (connection.messages.empty() || connection.messages.front().stage == Stage::answered))
    list_loss(info, Kind::close, c);
  if (connection.messages.empty()) {  // a listener's may break nevertheless, and it is told
    if (connection.subscribes && connection.open && connection.link == Link::made)
      list_loss(info, Kind::lose, c);
    return;
  }
  const Message& next = connection.messages.front();
  const bool dark = connection.waits_in_the_dark();
  const bool reached = connection.node == kResource || !has(process.unreached, connection.node);
  const bool heard = connection.node == kResource || !has(process.unheard, connection.node);
  const int m = Process::executable(connection);
  if (m >= 0 && (reached || connection.messages[static_cast<std::size_t>(m)].for_key)) {
    const Message& message = connection.messages[static_cast<std::size_t>(m)];
    const Id request = message.request;
    LocalAction action;
    action.kind = Kind::execute;
    action.index = static_cast<std::uint8_t>(c);
    action.node = connection.node;
    const bool late = connection.late && !(message.for_key && message.has_waited());
    action.urgent = message.way_ms == 0 && !late;
    info.free = info.free || !action.urgent;
    info.executes = info.executes || action.urgent;
    action.blocked = message.blocked;
    action.repeats = !message.blocked && asks_again(process, connection, message);
    action.at_once =
        action.repeats && setting_.knowledge.clocks && may_write(tables_.request(request));
    if (action.repeats) setting_.needs.polls = info.asks_again = true;
    if (action.repeats && !action.at_once) note_poll(info);
    if (connection.late) {  // it may be executed whenever time has passed
      info.free = true;
      ++info.to_come.free_actions;
    }
    info.actions.push_back(action);  // urgent only if its node is up: not counted in info.urgent
  }
  if (next.held) {
    add_action(info, Kind::release, c, false);
    info.free = true;
    ++info.to_come.free_actions;
  } else {
    if (connection.open && next.stage != Stage::waiting && process.life == Life::up && heard &&
        !next.unheard &&
        takes(automaton_.state(process.program).tasks, next.task, connection.subscribes) &&
        !is_interrupted(automaton_.state(process.program).tasks) && !is_heard_later(process, c)) {
      const bool idle = next.idle && connection.messages.size() == 1;
      add_action(info, Kind::deliver, c, next.way_ms == 0 && !idle);
      info.actions.back().repeats = idle;
      if (idle) note_poll(info);
    }
    info.asks_again = info.asks_again || next.idle;
    if (next.stage != Stage::broken && !connection.late && !next.blocked && !dark)
      add_fault(info, Kind::delay, c, Fault::delay);
  }
  list_message_losses(info, c, reached);
}

/// Adds how its next message may be lost.
void Processes::list_message_losses(ProcessInfo& info, std::size_t c, bool reached) const {
  using Kind = Action::Kind;
  const Connection& connection = info.value.connections[c];
  const Message& next = connection.messages.front();
  const bool dark = connection.waits_in_the_dark();
  // What nobody waits for any more behind a link that is cut may never come through, or late.
  if (!connection.open && !reached && connection.is_under_way()) {
    add_action(info, Kind::lose, c, false);
    ++info.to_come.free_actions;
  }
  if (!connection.open || next.stage == Stage::broken) return;
  list_loss(info, Kind::lose, c);
  if (dark) {  // an error may come whenever time has passed
    info.free = true;
    ++info.to_come.free_actions;
  }
  if (next.stage == Stage::waiting && (!next.blocked || next.for_key) && !dark)
    add_fault(info, Kind::lose_late, c, Fault::lose);
}

/// Adds what may happen in the middle of each of its steps. Whether there is a cut, the step shows.
void Processes::list_cuts(ProcessInfo& info) const {
  const std::size_t actions = info.actions.size();
  const std::array within{
      std::tuple{Action::Kind::pause_within, Fault::pause, setting_.knowledge.cuts},
      std::tuple{Action::Kind::crash_within, Fault::crash, setting_.knowledge.cuts},
      std::tuple{Action::Kind::preempt, Fault::preempt, true}};
  for (std::size_t a = 0; a < actions; ++a) {
    const LocalAction whole = info.actions[a];
    if (!is_step(whole.kind)) continue;
    for (const auto& [kind, fault, possible] : within) {
      if (!possible || setting_.budget(fault) == 0) continue;
      add_fault(info, kind, whole.index, fault);
      info.actions.back().step = whole.kind;
    }
    for (std::size_t jump = 0;
         setting_.knowledge.looks_twice && jump < setting_.model.jumps_ms.size(); ++jump) {
      add_fault(info, Action::Kind::jump_within, whole.index, Fault::jump);
      info.actions.back().step = whole.kind;
      info.actions.back().jump = static_cast<std::uint8_t>(jump);
    }
  }
}

/// Whether more than one of its tasks may still do something.
bool Processes::has_other_tasks(const Process& process) const {
  return std::ranges::count_if(automaton_.state(process.program).tasks,
                               [](const Wait& wait) { return wait.kind != Wait::Kind::done; }) > 1;
}

bool Processes::polls(Id id, const LocalAction& execute, const Node& node) {
  if (!execute.repeats) return false;
  const Process& process = processes_[id].value;
  const Connection& connection = process.connections[execute.index];
  const auto place = static_cast<std::size_t>(Process::executable(connection));
  const Answered again{tables_.normalised(connection.messages[place], connection, process.index),
                       tables_.node_state(node, process.index)};
  return std::ranges::any_of(process.operations, [&](const Operation& operation) {
    return operation.task == connection.messages[place].task &&
           std::ranges::binary_search(operation.answered, again);
  });
}

/// Adds what may become of its links to the nodes.
void Processes::list_links(ProcessInfo& info) const {
  using Kind = Action::Kind;
  if (setting_.budget(Fault::cut) == 0) return;
  const Process& process = info.value;
  for (std::uint8_t n = 0; n < setting_.nodes; ++n) {
    const bool reached = !has(process.unreached, n), heard = !has(process.unheard, n);
    const auto cut = [&](Kind kind, bool possible) {
      if (!possible || process.life == Life::dead) return;
      add_fault(info, kind, n, Fault::cut);
      info.actions.back().node = n;
    };
    cut(Kind::cut, reached || heard);
    cut(Kind::cut_requests, reached);
    cut(Kind::cut_replies, heard);
    if (reached && heard) continue;
    const auto heal = [&](Kind kind) {
      add_action(info, kind, n, false);
      info.actions.back().node = n;
    };
    heal(Kind::heal);
    info.free = true;
    info.to_come.free_actions += 2;  // and what may come later then
    if (std::ranges::any_of(process.connections, [&](const Connection& connection) {
          return process.waits_for_link(connection, n);
        }))
      heal(Kind::heal_late);
  }
}

/// Adds the faults that befall the process as a whole.
void Processes::list_process_faults(ProcessInfo& info, bool active) const {
  const Process& process = info.value;
  if (!setting_.goes_on_for_ever(process.index))
    for (std::size_t a = 0, end = info.actions.size(); a < end; ++a)
      if (info.actions[a].kind == Action::Kind::begin)
        add_fault(info, Action::Kind::crash_begin, info.actions[a].index, Fault::crash);
  if (process.life == Life::dead) return;
  if (process.life == Life::up && active) add_fault(info, Action::Kind::pause, 0, Fault::pause);
  if (active || !process.holdings.empty()) add_fault(info, Action::Kind::crash, 0, Fault::crash);
  bool wall = setting_.knowledge.absolute;
  for (const auto& instant : process.instants) wall = wall || instant.wall;
  if (!wall) return;
  for (std::size_t jump = 0; jump < setting_.model.jumps_ms.size(); ++jump)
    add_fault(info, Action::Kind::jump_process, jump, Fault::jump);
}

}  // namespace lockstep::sim
