// A step of a process in a naive world: section 2 of docs/semantics.md.
#include <algorithm>

#include "checker/naive/belongings.hpp"
#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/token.hpp"
#include "sim/client/observation.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"

namespace lockstep::checker::naive {

using sim::Effect;
using sim::Maker;
using sim::maker_of;
using sim::Observation;
using sim::Wait;

namespace {

constexpr int kMostContinuations = 1000;  // of one action by `again`: a loop that never waits
constexpr int kMostTokens = 65535;        // sim::Token::number has 16 bits

/// What is read now. In an absolute run that is what the clock shows, whole ms; else what is
/// measured begins now.
std::int64_t read_now(const World& world, const Process& process, bool wall) {
  const std::int64_t shown = wall ? wall_clock(world, process) : monotonic_clock(world, process);
  return world.absolute ? sim::floor_quotient(shown, kMillion) * kMillion : shown;
}

/// What the clock showed at an instant. One that was read in the step under way is not listed yet:
/// it is now.
std::int64_t reading(const World& world, const Process& process, std::uint16_t id, bool wall) {
  return id < process.instants.size() ? process.instants[id].reading
                                      : read_now(world, process, wall);
}

/// Whether who connects is told that nobody is there.
bool refuses(const Node& node) { return !node.up && !node.dark; }

}  // namespace

std::int64_t Rules::rounded_up(std::int64_t ms) const {
  const std::int64_t ticks = (ms + model_.tick_ms - 1) / model_.tick_ms;
  return ticks * model_.tick_ms;
}

void Rules::feed(World& world, std::uint8_t p, Observation observation, const sim::Action& action,
                 Facts& facts) {
  Process& process = world.processes[p];
  for (int i = 0; i < kMostContinuations; ++i) {
    process.tasks[observation.task].steps_at_once += 1;
    if (action.cut > facts.cuts_passed)
      observation.cut = static_cast<std::uint16_t>(action.cut - facts.cuts_passed);
    observation.by_access = action.kind == sim::Action::Kind::preempt;
    process.history.push_back(std::move(observation));
    const std::optional<sim::Step> step = run_program(world, p, action, facts);
    if (!step) return;
    facts.cuts_passed += step->cuts;
    facts.cut = step->cut;
    for (const Effect& effect : step->effects) do_effect(world, p, effect, facts);
    if (std::ranges::any_of(step->effects, sim::ends_process)) return crash(world, p);
    take_waits(world, p, step->tasks, facts);
    start_waiting(process);
    if (step->boundary)
      begin_round(process, *step);
    else if (memory_ == Memory::boundary)
      process.history.resize(process.history.size() - model_.program->repeated(model_.processes[p],
                                                                               process.snapshot,
                                                                               process.history));
    if (!step->again) return;
    observation = Observation{};
    observation.kind = Observation::Kind::run;
    observation.task = *step->again;
  }
  throw sim::BadInput(model_.program->folder().string() +
                      "/protocol.lua: a loop of retry() or every() went round " +
                      std::to_string(kMostContinuations) + " times without waiting for anything");
}

/// Goes on from a boundary.
void Rules::begin_round(Process& process, const sim::Step& step) const {
  process.round = *step.boundary;
  process.before_round = process.history.size();
  if (memory_ != Memory::boundary) return;
  std::vector<Instant> kept;
  for (const std::uint16_t old : step.instants) kept.push_back(process.instants.at(old));
  process.instants = std::move(kept);
  process.snapshot = *step.boundary;
  process.history.clear();
  process.before_round = 0;
}

/// A token that is nowhere in the world: one never used before, or the lowest one.
sim::Token Rules::fresh_token(World& world, std::uint8_t p) {
  std::uint16_t lowest = 0;
  const bool again = memory_ == Memory::boundary && model_.merges_tokens;
  if (again) {
    const sim::TokenScan scan = sim::scan_tokens(identity(world));
    token_cut_ = token_cut_ || scan.cut;
    const auto taken = [&](sim::Token token) {
      return std::find(scan.tokens.begin(), scan.tokens.end(), token) != scan.tokens.end();
    };
    while (lowest < kMostTokens && taken({p, static_cast<std::uint16_t>(lowest + 1)})) ++lowest;
  }
  std::uint16_t& used = again ? lowest : world.processes[p].tokens_used;
  if (used == kMostTokens) {
    throw sim::BadInput(model_.program->folder().string() + "/protocol.lua: process " +
                        sim::process_name(p) +
                        " asked for more than 65535 tokens in one run of the naive explorer");
  }
  return {p, ++used};
}

/// Runs the whole history, as often as it asks something. Nothing if it asks for a choice that the
/// action does not tell.
std::optional<sim::Step> Rules::run_program(World& world, std::uint8_t p, const sim::Action& action,
                                            Facts& facts) {
  Process& process = world.processes[p];
  while (true) {
    sim::Step step = model_.program->run(model_.processes[p], process.snapshot, process.history);
    if (!step.query) {
      if (!following_) note_thresholds(process, model_.processes[p], step);
      if (notes_hanging())
        hangs_ =
            hangs_ || (!step.ordered_tokens &&
                       token_bytes_.decide(model_.processes[p], process.snapshot, process.history,
                                           step, sim::TokenBytes::Tries::at_once));
      return step;
    }
    std::optional<std::string> said = answer(world, p, *step.query, action, facts);
    if (!said) return std::nullopt;
    process.history.back().answers.push_back(std::move(*said));
  }
}

void Rules::note_thresholds(const Process& process, const sim::ProcessSetup& setup,
                            const sim::Step& step) {
  sim::ClockUse use;
  clock_uses_.look_at(setup, process.snapshot, process.history, step, use);
  for (const std::int64_t age : use.ages)
    if (age > 0) found_.ages.insert(rounded_up(age));
  found_.replies.insert(use.replies.begin(), use.replies.end());
  note_times(use);
}

void Rules::note_times(const sim::TimeUse& use) {
  for (const std::int64_t left : use.lefts) found_.lefts.insert(rounded_up(left));
  found_.made.insert(use.made.begin(), use.made.end());
  found_.met.insert(use.met.all.begin(), use.met.all.end());
  found_.between.insert(use.between.all.begin(), use.between.all.end());
  found_.units.insert(use.units.begin(), use.units.end());
  found_.parts_of_seconds = found_.parts_of_seconds || use.parts_of_seconds;
}

std::optional<std::string> Rules::answer(World& world, std::uint8_t p, const sim::Query& query,
                                         const sim::Action& action, Facts& facts) {
  Process& process = world.processes[p];
  const auto wall = [&](std::uint16_t id, bool otherwise) {
    return id < process.instants.size() ? process.instants[id].wall : otherwise;
  };
  switch (query.kind) {
    case sim::Query::Kind::token:
      return sim::token_text(fresh_token(world, p));
    case sim::Query::Kind::choice:
      if (facts.choices_used == action.choices.size()) {
        facts.choices_missing = query.choices;
        return std::nullopt;
      }
      return std::to_string(int{action.choices[facts.choices_used++]});
    case sim::Query::Kind::difference: {
      const bool first_wall = wall(query.first, wall(query.second, false));
      const bool second_wall = wall(query.second, first_wall);
      return std::to_string((reading(world, process, query.first, first_wall) -
                             reading(world, process, query.second, second_wall)) /
                            kMillion);
    }
    case sim::Query::Kind::absolute:
      look(world);
      return std::to_string(
          sim::kEpoch.ms +
          sim::floor_quotient(reading(world, process, query.first, wall(query.first, true)),
                              kMillion));
  }
  sim::fail("a query kind", __FILE__, __LINE__);
}

namespace {

/// Also: which of what the task has sent and given up comes too late for the operation.
void end_operation_of(Process& process, const Effect& effect) {
  const bool in_vain = effect.kind == Effect::Kind::refused ||
                       (effect.kind == Effect::Kind::failed && !effect.in_release);
  const Sent sent = in_vain ? Sent::for_nothing : Sent::before;
  const sim::TaskId id = effect.task;
  TaskState& task = process.tasks[id];
  task.made.clear();
  task.given.clear();
  task.freed.clear();
  task.counted = task.stayed = task.wrote = false;
  task.owned = task.releasing = task.keeps_mode = task.overtaken = false;
  task.prolonged.clear();
  task.answered.clear();
  task.wait_ms.reset();
  task.times_passed = 0;
  task.given_back_by.reset();
  for (Connection& connection : process.connections) {
    const bool own = !connection.former && connection.task == id;
    if (own && !connection.shared && !connection.open && connection.sent == Sent::now)
      connection.sent = sent;
    for (Message& message : connection.messages) {
      const bool given_up = message.unheard || !connection.open;
      if (connection.shared && given_up && message.sender == id && message.sent == Sent::now)
        message.sent = sent;
    }
  }
}

}  // namespace

void Rules::read_clock(const World& world, Process& process, bool wall) {
  found_.clocks = true;
  process.instants.push_back({wall, read_now(world, process, wall)});
  if (model_.part_of_ms == sim::PartOfMs::onto_ages && process.drift_ppm != 0 && !world.absolute)
    process.instants.back().reading -= kMillion;
}

/// A critical section begins.
void Rules::enter(World& world, std::uint8_t p, const Effect& effect, Facts& facts) const {
  Process& process = world.processes[p];
  TaskState& task = process.tasks[effect.task];
  const bool owned = enough(task.made) || has_lease(world, p, effect.lock);
  task.given_up.erase(effect.lock);
  process.holdings[{effect.task, effect.lock}] = {effect.fencing, owned};
  facts.witnesses.insert(sim::Witness::acquired);
  if (owned) facts.witnesses.insert(sim::Witness::owned);
  judge_acquired(world, p, effect, facts);
  judge_other_mode(world, p, effect, facts);
  wait_anew(world, model_.processes[p].lock_keys[effect.lock]);
}

void Rules::do_effect(World& world, std::uint8_t p, const Effect& effect, Facts& facts) {
  Process& process = world.processes[p];
  TaskState& task = process.tasks[effect.task];
  const std::pair<sim::TaskId, std::uint8_t> holding{effect.task, effect.lock};
  const auto end_operation = [&] { end_operation_of(process, effect); };
  facts.effects.push_back(effect);
  note_slack(world, p, effect, facts);
  switch (effect.kind) {
    case Effect::Kind::send:
      send(world, p, effect, facts);
      break;
    case Effect::Kind::gave_up:
      give_up_requests(process, effect.task, false);
      break;
    case Effect::Kind::instant:
      read_clock(world, process, effect.wall);
      break;
    case Effect::Kind::acquired:
      enter(world, p, effect, facts);
      end_operation();
      break;
    case Effect::Kind::reentered:
      judge_inside(world, p, effect, facts);
      end_operation();
      break;
    case Effect::Kind::refused:
      facts.witnesses.insert(sim::Witness::refused);
      judge_refused(world, p, effect, facts);
      end_operation();
      break;
    case Effect::Kind::left:
      if (effect.ok || (effect.silent && enough(task.freed))) judge_inside(world, p, effect, facts);
      end_operation();
      break;
    case Effect::Kind::releasing:
      end_operation();
      task.releasing = true;
      task.owned = process.holdings[holding].owned || task.given_up.erase(effect.lock) > 0;
      process.holdings.erase(holding);
      task.keeps_mode = !other_mode(process, p, effect).empty();
      break;
    case Effect::Kind::released:
      if (effect.ok || (effect.silent && (enough(task.freed) || !task.owned)))
        facts.witnesses.insert(sim::Witness::released);
      judge_released(world, p, effect, facts);
      if (effect.ok) judge_outside(world, p, effect, facts);
      end_operation();
      break;
    case Effect::Kind::failed:
      if (!effect.in_release && !effect.leaves_open) judge_refused(world, p, effect, facts);
      if (effect.in_release) note_kept_on(world, p, effect.lock, facts);
      if (task.releasing && !effect.leaves_open) judge_denied(world, p, effect, facts);
      std::erase_if(process.holdings,
                    [&](const auto& held) { return held.first.first == effect.task; });
      end_operation();
      break;
    case Effect::Kind::lost:
      facts.witnesses.insert(sim::Witness::lost);
      judge_lost(world, p, effect, facts);
      if (process.holdings[holding].owned) task.given_up.insert(effect.lock);
      process.holdings.erase(holding);
      break;
    case Effect::Kind::exited:
    case Effect::Kind::log:
      break;
  }
}

void Rules::send(World& world, std::uint8_t p, const Effect& effect, Facts& facts) {
  Process& process = world.processes[p];
  Message message;
  message.sender = effect.task;
  message.request = effect.request;
  message.way_ms = rounded_up(model_.latency_ms);
  const bool resource = effect.node == sim::kResource;
  if (resource) {
    LOCKSTEP_CHECK(effect.request.size() >= 2);
    if (effect.request[0] == "WRITE") std::swap(message.basis, process.tasks[effect.task].basis);
  } else {
    LOCKSTEP_CHECK(effect.node < world.nodes.size());
    message.in_release = process.tasks[effect.task].gives_back();
    if (sim::is_name(effect.request.at(0), "wait")) found_.replica_waits = true;
  }
  const bool shared = !resource && !effect.subscribes && model_.program->shared_connection();
  const auto usable = [&](const Connection& c) {
    if (!c.open || c.closing || c.listens != effect.subscribes || c.shared != shared ||
        c.sent_for != effect.node)
      return false;
    if (!shared) return c.task == effect.task;
    return std::none_of(c.messages.begin(), c.messages.end(),
                        [](const Message& other) { return other.state == Message::State::broken; });
  };
  auto connection = std::find_if(process.connections.begin(), process.connections.end(), usable);
  if (connection == process.connections.end()) {
    Connection opened;
    opened.task = shared ? sim::TaskId{0} : effect.task;
    opened.shared = shared;
    opened.listens = effect.subscribes;
    opened.node = server_meant(process, effect.node);
    opened.sent_for = effect.node;
    if (!resource && world.nodes[opened.node].dark) opened.line = Line::unmade;
    for (Connection& broken : process.connections) {  // in place of one that takes no more requests
      if (!broken.open || broken.listens != opened.listens || broken.shared != shared ||
          broken.sent_for != opened.sent_for || (!shared && broken.task != opened.task))
        continue;
      opened.session = broken.session.reconnected();
      broken.session = {};
    }
    connection = process.connections.insert(connection, opened);
  }
  const bool refused = !resource && refuses(world.nodes[connection->node]);
  if (refused || connection->line == Line::reset) message.state = Message::State::broken;
  if (!resource) refuse_to_send(message.request);
  if (!resource)
    facts.departures.push_back({connection->node, message.state == Message::State::broken});
  connection->messages.push_back(std::move(message));
}

/// Who is inside an acquire() whose wait has not begun waits from now on.
void Rules::start_waiting(Process& process) const {
  if (sim::too_long_ms(model_) == 0 && !sim::judged_overtakes(model_)) return;
  for (const Wait& wait : process.waits) {
    std::optional<std::int64_t>& wait_ms = process.tasks.at(wait.task).wait_ms;
    if (wait.in_acquire && !wait_ms) wait_ms = 0;
  }
}

/// Somebody has got the lock: who waits for its being free begins anew when it is.
void Rules::wait_anew(World& world, const std::string& lock) const {
  if (model_.waits_after != sim::WaitsAfter::free) return;
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    for (const Wait& wait : world.processes[p].waits) {
      std::optional<std::int64_t>& wait_ms = world.processes[p].tasks.at(wait.task).wait_ms;
      if (wait_ms && model_.processes[p].lock_keys[wait.lock] == lock) wait_ms = 0;
    }
  }
}

/// Who is inside acquire() of what the action has given back, and is free, should be told, until it
/// is not free any more.
void Rules::tell_of_returns(World& world, std::uint8_t p) const {
  const std::set<std::string> returned = std::exchange(world.given_back, {});
  if (!model_.properties.contains(sim::Property::lost_wakeup)) return;
  for (std::size_t q = 0; q < world.processes.size(); ++q) {
    for (const Wait& wait : world.processes[q].waits) {
      if (!wait.in_acquire) continue;
      const std::string& lock = model_.processes[q].lock_keys[wait.lock];
      std::optional<std::uint8_t>& by = world.processes[q].tasks.at(wait.task).given_back_by;
      if (returned.contains(lock) && is_free(world, lock, p, Down::may_be_free)) by = p;
      if (by && !is_free(world, lock, *by, Down::may_be_free)) by.reset();
    }
  }
}

namespace {

/// Whether a text that is nobody's may say so: a 0, or what is no number and has no lock token.
bool says_free(const std::string& text) {
  if (sim::parse_integer(text)) return text == "0";
  return sim::scan_tokens(text).tokens.empty();
}

}  // namespace

/// Whether nobody holds it, and on enough nodes nothing of anybody is in its lease keys but of
/// `by`, and, where it is no string, of who waits.
bool Rules::is_free(const World& world, const std::string& lock, std::uint8_t by, Down down) const {
  if (is_held(world, lock)) return false;
  std::set<Maker> waiting{maker_of(by)};
  for (std::uint8_t q = 0; q < world.processes.size(); ++q)
    for (const Wait& wait : world.processes[q].waits)
      if (wait.in_acquire && model_.processes[q].lock_keys[wait.lock] == lock)
        waiting.insert(maker_of(q));
  std::set<std::uint8_t> free, taken;
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    const Node& node = world.nodes[n];
    if (node.follows || (!node.up && down == Down::is_not_free)) continue;
    bool others = false;
    for (const std::string& key : model_.program->lease_keys(lock)) {
      if (!node.up) break;
      for (const int database : databases_of(node.keyspace)) {
        const sim::Entry* entry = node.keyspace.find(database, key);
        const Belongings key_of(entry);
        const auto* text = entry ? std::get_if<std::string>(&entry->value) : nullptr;
        for (Maker maker = 0; maker <= world.processes.size(); ++maker) {
          const bool may = maker == maker_of(by) || (!text && waiting.contains(maker)) ||
                           (maker == sim::kNobody && text && says_free(*text));
          others = others || (!may && key_of.has_anything(maker));
        }
      }
    }
    (others ? taken : free).insert(servers_.group_of(n));
  }
  if (servers_.spare > 0 && !taken.empty()) return false;
  for (const std::uint8_t group : taken) free.erase(group);
  return enough(free);
}

bool Rules::is_held(const World& world, const std::string& lock) const {
  for (std::size_t q = 0; q < world.processes.size(); ++q)
    for (const auto& [holding, held] : world.processes[q].holdings)
      if (model_.processes[q].lock_keys[holding.second] == lock) return true;
  return false;
}

/// Whether the task's wait grows with time: not while somebody holds what has to be free.
bool Rules::counts(const World& world, std::uint8_t p, const Wait& wait) const {
  if (!world.processes[p].tasks.at(wait.task).wait_ms || sim::too_long_ms(model_) == 0)
    return false;
  if (model_.waits_after != sim::WaitsAfter::free) return true;
  return !is_held(world, model_.processes[p].lock_keys[wait.lock]);
}

std::optional<std::int64_t> Rules::till_too_long_ms(const World& world, std::uint8_t p,
                                                    const Wait& wait) const {
  if (!counts(world, p, wait)) return std::nullopt;
  return sim::too_long_ms(model_) - *world.processes[p].tasks.at(wait.task).wait_ms;
}

void Rules::take_waits(World& world, std::uint8_t p, const std::vector<Wait>& waits, Facts& facts) {
  Process& process = world.processes[p];
  const auto in_acquire_before = [&](sim::TaskId task) {
    return std::any_of(process.waits.begin(), process.waits.end(),
                       [&](const Wait& wait) { return wait.task == task && wait.in_acquire; });
  };
  for (const Wait& wait : waits) {
    TaskState& task = process.tasks[wait.task];
    if (wait.in_acquire && !in_acquire_before(wait.task)) {
      task.made.clear();
      task.given.clear();
      task.freed.clear();
    }
    const bool timed = wait.kind == Wait::Kind::sleep || wait.kind == Wait::Kind::work;
    const bool replies = wait.kind == Wait::Kind::replies;
    const bool at_resource = std::any_of(process.connections.begin(), process.connections.end(),
                                         [&](const Connection& connection) {
                                           return connection.open && connection.task == wait.task &&
                                                  connection.node == sim::kResource;
                                         });
    const std::int64_t timeout_ms =
        wait.ms > 0 || at_resource ? wait.ms : model_.request_timeout_ms;
    if (!timed && !replies) task.timer_ms.reset();
    if (!wait.fresh) continue;
    facts.waits.push_back(wait);
    task.timer_ms.reset();
    if (wait.in_acquire && wait.kind == Wait::Kind::sleep) judge_sleep(world, p, wait, facts);
    const auto by_its_clock = [&](std::int64_t ms) {
      if (model_.part_of_ms != sim::PartOfMs::off_timers || ms <= 0)
        return time_to_show(process.drift_ppm, ms);
      const std::int64_t most_less = kMillion + process.drift_ppm - 1;
      return std::max<std::int64_t>(1, time_to_show(process.drift_ppm, ms, most_less));
    };
    if (timed)
      task.timer_ms = rounded_up(wait.kind == Wait::Kind::work ? wait.ms : by_its_clock(wait.ms));
    if (replies && timeout_ms > 0) task.timer_ms = rounded_up(by_its_clock(timeout_ms));
  }
  process.waits = waits;
  const auto gone = [&](sim::TaskId task) {
    return std::none_of(waits.begin(), waits.end(),
                        [&](const Wait& wait) { return wait.task == task; });
  };
  std::erase_if(process.tasks, [&](const auto& task) { return gone(task.first); });
  for (Connection& connection : process.connections) {
    if (connection.former) continue;
    if (!connection.shared && gone(connection.task)) connection.open = false;
    for (Message& message : connection.messages)
      if (connection.shared && gone(message.sender)) message.unheard = true;
  }
}

}  // namespace lockstep::checker::naive
