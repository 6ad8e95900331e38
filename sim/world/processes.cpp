// What is worked out once for a state of a process, and what it becomes; see the header.
#include "sim/world/processes.hpp"

#include <algorithm>
#include <optional>

#include "sim/client/program.hpp"
#include "sim/redis/reply_bytes.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/process_step.hpp"
#include "sim/world/sessions.hpp"

namespace lockstep::sim {

Processes::Processes(Setting& setting, Tables& tables, Reports& reports, Grid& grid,
                     checker::Watch& watch)
    : setting_(setting),
      tables_(tables),
      reports_(reports),
      grid_(grid),
      clock_uses_(
          *setting.model.program,
          [&setting](const Reply& reply) {
            return setting.clock_replies.contains(bytes_of(reply));
          },
          setting.drifts, &watch),
      token_bytes_(*setting.model.program, setting.model.server),
      automaton_(*setting.model.program, setting.setups,
                 [this](const ProcessSetup& setup, const std::string& snapshot,
                        const std::vector<Observation>& path,
                        const Step& step) { note_clock_use(setup, snapshot, path, step); }) {}

void Processes::note_clock_use(const ProcessSetup& setup, const std::string& snapshot,
                               const std::vector<Observation>& path, const Step& step) {
  ClockUse use;
  clock_uses_.look_at(setup, snapshot, path, step, use);
  for (const std::int64_t age : use.ages)
    if (age > 0) setting_.needs.ages.insert(setting_.rounded(age));
  setting_.needs.replies.insert(use.replies.begin(), use.replies.end());
  for (const auto& [form, arguments] : use.sent)
    setting_.sent_durations[form].insert(arguments.begin(), arguments.end());
  setting_.note(use);
  setting_.orders_tokens = setting_.orders_tokens || step.ordered_tokens;
  if (!setting_.orders_tokens || setting_.probes)
    setting_.note_hanging(
        token_bytes_.decide(setup, snapshot, path, step, TokenBytes::tries(setting_.probes)));
  for (const std::int64_t duration : use.durations) setting_.use_timer(duration);
}

Id Processes::initial(unsigned index) {
  Process process;
  process.index = static_cast<std::uint8_t>(index);
  if (setting_.knowledge.absolute)
    process.clock_offset_ms = of_clock(setting_.model.clocks_ms, index);
  process.rounds.assign(static_cast<std::size_t>(setting_.model.processes[index].threads), 0);
  const bool has_masters = setting_.servers.replicas + setting_.servers.spare > 0;
  for (std::uint8_t group = 0; has_masters && group < setting_.servers.nodes; ++group)
    process.masters.push_back({group, group});
  process.program = automaton_.initial(setting_.setup_of[index], process.rounds);
  return intern(process);
}

Id Processes::intern(const Process& process) {
  const Id id = processes_.intern(encode(process), [&] {
    ProcessInfo info;
    info.value = process;
    describe(info);
    list_actions(info);
    if (info.tokens.cut) setting_.needs.recycles_tokens = false;
    setting_.note_dates(info.tokens.dates);
    any_watching_ = any_watching_ || info.watching != 0;
    any_crashed_ = any_crashed_ || process.crashed;
    return info;
  });
  if (id == rest_.size()) rest_.push_back(processes_[id].rest);
  return id;
}

/// What one of its connections adds.
void Processes::describe(const Connection& connection, ProcessInfo& info) const {
  for (const auto& message : connection.messages) {
    info.tokens.add(tables_.request(message.request));
    if (message.stage == Stage::answered) info.tokens.add(tables_.reply(message.reply));
    info.tokens.add(tables_.tokens_of_node_state(message.asked_in));
    info.blocked = info.blocked || message.blocked;
    if (message.way_ms > 0) info.ahead.deadlines.push_back(message.way_ms);
    if (message.blocked_ms > 0 && !message.stands_still)
      info.ahead.deadlines.push_back(message.blocked_ms);
  }
  const SessionInfo& session = tables_.session(connection.session);
  info.tokens.add(session.tokens);
  const bool listens = connection.open && session.value.hears();
  if (!session.value.watched.empty() || session.value.wait || listens)
    info.watching |= only<NodeSet>(connection.node);
}

namespace {

/// Whether all that is on the connection stands at its node, and no main task waits for it: for a
/// key, or for ever, or behind what does so for ever.
bool stands(const Process& process, const Connection& connection) {
  bool for_ever = false;
  return std::ranges::all_of(connection.messages, [&](const Message& message) {
    const bool spawned = message.task >= process.rounds.size();
    for_ever = for_ever || message.blocked_for_ever;
    return (spawned || message.unheard || !connection.open) &&
           (for_ever || (connection.open && spawned && message.for_key));
  });
}

}  // namespace

Makers Processes::idle_but(std::span<const Id> all, std::size_t but) const {
  Makers idle = 0;
  for (std::size_t p = 0; setting_.knowledge.rewrites && p < all.size(); ++p)
    if (p != but && info(all[p]).held == 0 && info(all[p]).acquires == 0 &&
        std::ranges::all_of(info(all[p]).value.operations,
                            [](const Operation& each) { return !each.releasing || each.wrote; }))
      idle |= only_maker(maker_of(info(all[p]).value.index));
  return idle;
}

/// Whether nothing of a main task is under way. Who only calls something may still give what others
/// wait for.
bool Processes::rests(const Process& process, const Wait& wait) const {
  const bool gives = process.index < setting_.processes &&
                     !ever_locks(setting_.setups[setting_.setup_of[process.index]]);
  return wait.kind == Wait::Kind::done || (wait.kind == Wait::Kind::idle && !gives);
}

/// What a task adds.
void Processes::describe(const Wait& wait, ProcessInfo& info) const {
  const Process& process = info.value;
  if (wait.in_acquire) info.acquires |= only<LockSet>(setting_.lock_of(process.index, wait.lock));
  if (wait.in_operation && setting_.shared != 0)
    info.shares |= only<LockSet>(setting_.lock_of(process.index, wait.lock));
  info.waiting = info.waiting || wait.in_acquire;
  info.spawned = info.spawned || wait.task >= process.rounds.size();
  const Timer* timer = process.timer(wait.task);
  const bool stands_still = wait.kind == Wait::Kind::work && process.life == Life::paused;
  if (timer != nullptr && timer->left_ms > 0 && !stands_still)
    info.ahead.deadlines.push_back(timer->left_ms);
}

void Processes::describe(ProcessInfo& info) const {
  const Process& process = info.value;
  for (const auto& holding : process.holdings) info.held |= only<LockSet>(holding.lock);
  info.shares = info.held;
  if (setting_.waits_for_free) info.frozen = setting_.same_keys(info.held | process.elsewhere);
  bool quiet = process.holdings.empty() && process.life != Life::paused, gone = true;
  for (const auto& connection : process.connections) {
    describe(connection, info);
    quiet = quiet && stands(process, connection);
    gone = gone && connection.messages.empty();
  }
  for (const auto& operation : process.operations)
    for (const auto& answered : operation.answered) {
      info.tokens.add(tables_.tokens_of_node_state(answered.asked_in));
      for (const auto& argument : tables_.request(answered.request))
        info.tokens.dates.add(std::string_view(argument));
    }
  bool finished = true;
  if (process.life != Life::dead) {
    const ProgramState& program = automaton_.state(process.program);
    info.tokens.add(program.tokens);
    setting_.many_tasks = setting_.many_tasks || program.tasks.size() > 1;
    for (const auto& wait : program.tasks) {
      describe(wait, info);
      if (wait.task >= process.rounds.size()) continue;
      const bool begun = process.rounds[wait.task] > 0;
      quiet = quiet && rests(process, wait);
      if (wait.kind != Wait::Kind::done && !(wait.kind == Wait::Kind::idle && !begun))
        finished = false;
    }
  }
  info.shares &= setting_.shared;
  describe_waiting(info);
  if (setting_.wakeups) describe_asleep(info);
  const Rate& rate = setting_.rate_of(process.index);
  for (const Instant& instant : process.instants)
    for (const std::int64_t threshold : setting_.knowledge.ages)
      if (const std::int64_t ahead = rate.true_ms(threshold, instant.age); ahead > 0)
        info.ahead.deadlines.push_back(ahead);
  quiet = quiet && (!info.spawned || process.knows_masters());
  quiet = quiet && process.unreached == 0 && process.unheard == 0;
  info.rest =
      static_cast<std::uint8_t>((quiet ? kQuiet : 0) | (finished ? kFinished : 0) |
                                (info.spawned ? 0 : kAlone) | (gone && !info.spawned ? kGone : 0));
  if (process.life == Life::paused && setting_.model.pause_max_ms > 0 && process.pause_left_ms > 0)
    info.ahead.deadlines.push_back(process.pause_left_ms);
  sort_without_twins(info.ahead.deadlines);
}

/// Who is inside acquire(), as far as somebody judges that.
void Processes::describe_waiting(ProcessInfo& info) const {
  for (const Waiting& waiting : info.value.waiting) {
    info.overtaken =
        info.overtaken || (setting_.overtakes && waiting.overtaken > *setting_.overtakes);
    if (setting_.too_long_ms == 0 || has(info.frozen, waiting.lock)) continue;
    info.overdue = info.overdue || waiting.ms >= setting_.too_long_ms;
    if (!info.overdue) info.ahead.deadlines.push_back(setting_.too_long_ms - waiting.ms);
  }
}

/// Whether it waits inside acquire() to be told that a lock is given back, or does something.
void Processes::describe_asleep(ProcessInfo& info) const {
  const Process& process = info.value;
  info.stirs = process.life == Life::paused ||
               (process.life != Life::dead && (process.unreached | process.unheard) != 0);
  for (const auto& connection : process.connections)
    info.stirs = info.stirs || !(stands(process, connection) ||
                                 std::ranges::all_of(connection.messages, &Message::for_key));
  if (process.life == Life::dead) return;
  const auto& tasks = automaton_.state(process.program).tasks;
  const bool reminded = std::ranges::any_of(tasks, [&](const Wait& wait) {
    const bool main = wait.task < process.rounds.size();
    return !main && wait.kind == Wait::Kind::sleep && !wait.told;
  });
  for (const auto& wait : tasks) {
    if (!wait.in_operation) continue;
    const auto lock = only<LockSet>(setting_.lock_of(process.index, wait.lock));
    const bool to_be_told = wait.told || wait.kind == Wait::Kind::replies;
    if (!wait.in_acquire || reminded || !to_be_told) info.unasleep |= lock;
  }
}

// ---- steps of its own

StepResult Processes::result(const ProcessInfo& before, const Process& after, Report report) {
  const Id id = intern(after);
  StepResult result;
  result.changes = Changes(id);
  result.tokens_changed = processes_[id].tokens.tokens != before.tokens.tokens;
  result.report = reports_.add(std::move(report));
  return result;
}

std::span<const StepResult> Processes::steps(Id id, unsigned a, const Surroundings& around) {
  ProcessInfo& info = processes_[id];
  ProcessInfo::Memo& memo = info.memos[a];
  const auto restricted = [&] {
    return Surroundings{
        memo.reads.tokens ? around.used_tokens : TokenNumbers{0},
        memo.reads.nodes ? around.up : NodeSet{0}, memo.reads.nodes ? around.dark : NodeSet{0},
        memo.reads.owned ? around.owned : LockSet{0}, memo.reads.now ? around.now_ms : 0};
  };
  const Surroundings seen = restricted();
  for (const auto& found : memo.cases)
    if (found.seen == seen) return results_[found.results];

  std::vector<StepResult> found;
  std::uint16_t cut = row(info.actions[a].kind).fields.cut ? 1 : 0;
  while (try_choices(id, a, around, cut, found)) ++cut;
  if (found.size() == 1 && !memo.reads.any()) {
    info.actions[a].alone = true;
    info.actions[a].only_result = found[0];
  }
  memo.cases.push_back({restricted(), static_cast<std::uint32_t>(results_.size())});
  return results_.emplace_back(std::move(found));
}

/// Adds what comes of the action, cut at that place, however choose() turns out. True if there is
/// such a cut.
bool Processes::try_choices(Id id, unsigned a, const Surroundings& around, std::uint16_t cut,
                            std::vector<StepResult>& found) {
  ProcessInfo& info = processes_[id];
  Reads& reads = info.memos[a].reads;
  bool was_cut = false;
  std::vector<std::vector<std::uint8_t>> open{{}};  // prefixes of choices still to be tried
  while (!open.empty()) {
    Process after = info.value;
    ProcessStep step(setting_, tables_, automaton_, after, around, open.back(), cut);
    open.pop_back();
    step.act(info.actions[a]);
    reads.tokens = reads.tokens || step.reads().tokens;
    reads.nodes = reads.nodes || step.reads().nodes;
    reads.owned = reads.owned || step.reads().owned;
    reads.now = reads.now || step.reads().now;
    for (int choice = step.open_choice(); choice >= 1; --choice) {
      open.push_back(step.report().choices);
      open.back().push_back(static_cast<std::uint8_t>(choice));
    }
    if (step.open_choice() > 0) continue;
    was_cut = was_cut || step.cut() != Cut::none;
    const bool undoes_all =  // what only the process knows: as if it had crashed before the step
        info.actions[a].kind == Action::Kind::crash_within && is_unnoticed(step.cut());
    const bool tells_nobody =  // the other tasks; or there is none
        info.actions[a].kind == Action::Kind::preempt &&
        (is_unnoticed(step.cut()) || !has_other_tasks(after));
    const bool between_looks = info.actions[a].kind == Action::Kind::jump_within;
    const bool misses_them = between_looks && step.cut() != Cut::clock;
    if ((cut == 0 || step.cut() != Cut::none) && !undoes_all && !tells_nobody && !misses_them)
      found.push_back(result(info, after, std::move(step.report())));
  }
  return was_cut;
}

// ---- what time and others do to it

Id Processes::age(Id id, std::int64_t ms) {
  const Id aged = age_.find_or_add(id, static_cast<std::uint64_t>(ms), [&] {
    Process process = processes_[id].value;
    const LockSet held = processes_[id].frozen;
    for (auto& waiting : process.waiting)
      if (setting_.too_long_ms > 0 && !has(held, waiting.lock)) waiting.ms += ms;
    for (auto& timer : process.timers) {
      bool stands_still = false;
      if (process.life == Life::paused)
        for (const auto& wait : automaton_.state(process.program).tasks)
          stands_still = stands_still || (wait.task == timer.task && wait.kind == Wait::Kind::work);
      if (!stands_still) timer.left_ms = std::max<std::int64_t>(0, timer.left_ms - ms);
    }
    if (process.life == Life::paused)
      process.pause_left_ms = std::max<std::int64_t>(0, process.pause_left_ms - ms);
    const std::int64_t shown = setting_.rate_of(process.index).shown_after(ms);
    for (auto& instant : process.instants) {
      instant.age += shown;
      if (instant.age > setting_.long_run_ms() * setting_.rate_of(process.index).parts())
        setting_.obstacle = "a client keeps a clock reading for ever";
    }
    for (auto& operation : process.operations) operation.answered.clear();
    for (auto& connection : process.connections)
      for (auto& message : connection.messages) {
        message.asked_in = 0;
        message.way_ms = std::max<std::int64_t>(0, message.way_ms - ms);
        if (!message.stands_still)
          message.blocked_ms = std::max<std::int64_t>(0, message.blocked_ms - ms);
      }
    process.drop_empty_operations();
    return intern(process);
  });
  processes_[id].still = aged == id;
  return aged;
}

Id Processes::asked_again(Id id, Id began, std::uint64_t tasks) {
  const auto it_asks = [tasks](const Timer& timer) { return (tasks >> timer.task & 1) != 0; };
  const std::vector<Timer>& timers = processes_[id].value.timers;
  const bool timed = std::ranges::any_of(timers, it_asks);  // else what it was does not matter
  return asked_again_[tasks].find_or_add(both(id, timed ? began : 0), timed ? 1 : 0, [&] {
    Process process = processes_[id].value;
    for (auto& connection : process.connections)
      for (auto& message : connection.messages) message.idle = false;
    for (Timer& timer : process.timers)
      if (const Timer* was = processes_[began].value.timer(timer.task); was && it_asks(timer))
        timer.left_ms = was->left_ms;
    return intern(process);
  });
}

Id Processes::renamed(Id id, const Renaming& renaming) {
  if (!processes_[id].tokens.mentions(renaming.whose)) return id;
  return rename_.find_or_add(both(id, renaming.whose), renaming.digits, [&] {
    Process process = processes_[id].value;
    if (process.life != Life::dead)
      process.program = automaton_.rename(process.program, renaming.function());
    for (auto& connection : process.connections) {
      for (auto& message : connection.messages) {
        message.request = tables_.renamed_request(message.request, renaming);
        if (message.stage == Stage::answered)
          message.reply = tables_.renamed_reply(message.reply, renaming);
        message.asked_in = tables_.renamed_node_state(message.asked_in, renaming);
      }
      connection.session = tables_.renamed_session(connection.session, renaming);
    }
    for (auto& operation : process.operations) {
      for (Answered& answered : operation.answered)
        answered = {tables_.renamed_request(answered.request, renaming),
                    tables_.renamed_node_state(answered.asked_in, renaming)};
      std::sort(operation.answered.begin(), operation.answered.end());
    }
    return intern(process);
  });
}

bool Processes::undisturbed(Id id) const {
  const Process& process = processes_[id].value;
  if (process.life == Life::paused || process.unreached != 0 || process.unheard != 0 ||
      (setting_.servers.replicas > 0 && !process.knows_masters()))
    return false;
  for (const Connection& connection : process.connections)
    if (connection.late ||
        std::ranges::any_of(connection.messages, [](const Message& m) { return m.held; }))
      return false;
  if (setting_.goes_on_for_ever(process.index)) return true;
  const int rounds = setting_.model.processes[process.index].rounds;
  if (process.life == Life::dead)
    return std::ranges::all_of(process.rounds, [&](int begun) { return begun >= rounds; });
  return std::ranges::none_of(automaton_.state(process.program).tasks, [&](const Wait& wait) {
    return wait.task < process.rounds.size() && wait.kind == Wait::Kind::idle;
  });
}

}  // namespace lockstep::sim
