// What each action does to a naive world: sections 3, 4 and 6 of docs/semantics.md.
#include "checker/naive/world.hpp"

#include <algorithm>
#include <limits>

#include "checker/naive/belongings.hpp"
#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/base/token.hpp"
#include "sim/client/observation.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/reply_bytes.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Fault;
using sim::Keyspace;
using sim::maker_of;
using sim::Observation;
using sim::Request;

namespace {

constexpr int kMostStepsAtOnce = 100;  // of one task while time cannot pass

void spend(World& world, Fault fault) {
  LOCKSTEP_CHECK(world.budget[static_cast<std::size_t>(fault)] > 0);
  --world.budget[static_cast<std::size_t>(fault)];
}

/// Abandoned connections keep only what may still be executed: of those to a dark node, which are
/// not there any more or not yet, nothing. A connection without a message is
/// not listed, but an open one of which the node remembers something, or that is ahead of somebody,
/// or that leads nowhere any more, which its task has not found out.
void tidy_connections(Process& process) {
  for (Connection& connection : process.connections) {
    if (connection.open) continue;
    std::erase_if(connection.messages, [&](const Message& message) {
      return message.state != Message::State::waiting || connection.line != Line::made;
    });
  }
  for (Connection& connection : process.connections) {
    if (!connection.shared || !connection.open) continue;
    const auto comes_to_nothing = [](const Message& message) {
      return message.unheard && !message.held && message.state != Message::State::waiting;
    };
    while (!connection.messages.empty() && comes_to_nothing(connection.messages.front()))
      connection.messages.erase(connection.messages.begin());
  }
  for (Connection& connection : process.connections)
    connection.closing = connection.closing && !connection.messages.empty();  // it is made anew
  std::erase_if(process.connections, [](const Connection& connection) {
    const bool dead = connection.line == Line::lost || connection.line == Line::reset;
    const bool remembered = !connection.session.fresh() || !connection.ahead.empty() ||
                            connection.made_before || connection.stale || connection.greeted ||
                            (dead && connection.bound);
    return connection.messages.empty() && (!connection.open || !remembered);
  });
}

/// Drops what has expired, images that are durable by now, and images equal to the one before them.
void tidy_node(const World& world, Node& node, std::int64_t writes_wait_ms, bool power_loss_left) {
  drop_expired(world, node, node.keyspace);
  drop_expired(world, node, node.saved);
  if (!power_loss_left) node.not_durable.clear();
  std::erase_if(node.not_durable,
                [&](const Image& image) { return image.age_ms > writes_wait_ms; });
  std::vector<Image> kept;
  for (Image& image : node.not_durable) {
    drop_expired(world, node, image.keyspace);
    const Keyspace& newer = kept.empty() ? node.keyspace : kept.back().keyspace;
    if (!same_keys(newer, image.keyspace)) kept.push_back(std::move(image));
  }
  node.not_durable = std::move(kept);
}

void tidy(World& world, std::int64_t writes_wait_ms) {
  const bool power_loss_left = world.budget[static_cast<std::size_t>(Fault::power_loss)] > 0;
  for (Process& process : world.processes) tidy_connections(process);
  for (Node& node : world.nodes) tidy_node(world, node, writes_wait_ms, power_loss_left);
}

/// Whether what it changes of a node's keys is a write there. (Whose they are is not stored.)
bool writes(Action::Kind kind) { return kind != Action::Kind::pass && !sim::is_crash(kind); }

Observation heard(Observation::Kind kind, const Connection& connection, const Message& message) {
  Observation observation;
  observation.kind = kind;
  observation.task = message.sender;
  observation.node = connection.sent_for;
  return observation;
}

}  // namespace

bool Connection::waits_in_the_dark() const {
  return line != Line::made && !messages.empty() &&
         messages.front().state == Message::State::waiting;
}

/// Or it is a reply, and its node has died since.
bool Connection::doubtful() const {
  if (messages.empty()) return false;
  const bool to_nobody = stale && messages.front().state == Message::State::waiting;
  return waits_in_the_dark() || to_nobody || messages.front().orphaned;
}

void drop_expired(const World& world, const Node& node, Keyspace& keyspace) {
  const auto expired = [&](const auto& key) {
    return key.second.expires && lifetime_left(world, node, key.second).ms < 0;
  };
  std::erase_if(keyspace.keys, expired);
  for (auto& [number, keys] : keyspace.others) std::erase_if(keys, expired);
  std::erase_if(keyspace.others, [](const auto& other) { return other.second.empty(); });
}

void Thresholds::add(const Thresholds& others) {
  absolute = absolute || others.absolute;
  clocks = clocks || others.clocks;
  replica_waits = replica_waits || others.replica_waits;
  parts_of_seconds = parts_of_seconds || others.parts_of_seconds;
  ages.insert(others.ages.begin(), others.ages.end());
  lefts.insert(others.lefts.begin(), others.lefts.end());
  replies.insert(others.replies.begin(), others.replies.end());
  made.insert(others.made.begin(), others.made.end());
  met.insert(others.met.begin(), others.met.end());
  between.insert(others.between.begin(), others.between.end());
  units.insert(others.units.begin(), others.units.end());
}

Rules::Rules(const sim::Model& model, Memory memory, Thresholds expected, Watch* watch)
    : model_(model),
      expected_(std::move(expected)),
      found_(expected_),
      clock_uses_(
          *model_.program,
          [this](const sim::Reply& reply) { return clock_replies_.contains(sim::bytes_of(reply)); },
          false, watch),
      memory_(memory),
      watch_(watch) {
  node_clocks_.know(expected_.units, expected_.parts_of_seconds);
  for (std::size_t p = 0; p < model_.processes.size(); ++p)
    model_.processes[p] = sim::setup_of(model_, p);
  std::set<std::string> lock_keys;
  for (std::uint8_t p = 0; p < model_.processes.size(); ++p) {
    const sim::ProcessSetup& setup = model_.processes[p];
    for (const sim::WorkStep& step : setup.workload)
      if (step.kind == sim::WorkStep::Kind::lock)
        locks_.try_emplace({setup.lock_keys[step.lock], sim::is_shared(setup, step.lock),
                            setup.lease_ms, setup.settings},
                           p);
    for (const std::string& key : setup.lock_keys) lock_keys.insert(key);
  }
  servers_ = sim::servers_of(model_);
  quorum_ = static_cast<std::size_t>(model_.program->quorum(static_cast<int>(servers_.nodes)));
  for (const std::string& lock : lock_keys) {
    for (const std::string& key : model_.program->lease_keys(lock)) lease_keys_.insert(key);
    for (const std::string& key : model_.program->permanent_keys(lock)) permanent_keys_.insert(key);
  }
}

Rules::~Rules() = default;

World Rules::initial() const {
  World world;
  for (std::uint8_t group = 0; group < servers_.nodes; ++group) world.newest.push_back(group);
  for (const sim::ProcessSetup& setup : model_.processes) {
    Process process;
    process.knows = world.newest;
    incarnate(process, setup);
    process.offset.ms = sim::of_clock(model_.clocks_ms, world.processes.size());
    process.drift_ppm = sim::of_clock(model_.drifts_ppm, world.processes.size());
    world.processes.push_back(std::move(process));
  }
  world.nodes.resize(servers_.count());
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    const bool extra = n >= servers_.nodes;
    if (extra && servers_.spare == 0) world.nodes[n].follows = servers_.group_of(n);
    if (extra && servers_.spare > 0) world.nodes[n].slots = sim::Slots::elsewhere;
    world.nodes[n].offset.ms = sim::of_clock(model_.node_clocks_ms, n);
    world.nodes[n].drift_ppm = sim::of_clock(model_.node_drifts_ppm, n);
  }
  world.budget = model_.budget;
  world.now = world.now + sim::Duration{model_.begins_ms};
  world.absolute = expected_.absolute || !expected_.units.empty();
  world.outlook_ms = until_all_show(world, common_unit_ms());
  return world;
}

/// A new incarnation, with the rounds that former ones have used up.
void Rules::incarnate(Process& process, const sim::ProcessSetup& setup) const {
  process.life = Life::up;
  process.rounds_begun.resize(static_cast<std::size_t>(setup.threads));
  process.snapshot = model_.program->initial(setup, process.rounds_begun);
  process.round = process.snapshot;
  process.waits = model_.program->run(setup, process.snapshot, {}).tasks;
  for (const sim::Wait& wait : process.waits) process.tasks[wait.task];
}

Facts Rules::apply(World& world, const Action& action) {
  Facts facts;
  const std::vector<Node> before = expected_.replica_waits ? world.nodes : std::vector<Node>{};
  const bool breaks = action.kind == Action::Kind::lose || action.kind == Action::Kind::close;
  const auto breaks_freely = [&](const Process& process) {
    return may_break_freely(world, process, process.connections[action.connection]);
  };
  const bool for_nothing = breaks && breaks_freely(world.processes[action.process]);
  if (const auto fault = row(action.kind).fault; fault && !for_nothing) spend(world, *fault);
  switch (action.kind) {
    case Action::Kind::begin:
    case Action::Kind::run:
    case Action::Kind::deliver:
    case Action::Kind::timer:
      step(world, action, facts);
      break;
    case Action::Kind::pause_within:
    case Action::Kind::crash_within:
    case Action::Kind::preempt:
    case Action::Kind::jump_within:
      step_within(world, action, facts);
      break;
    case Action::Kind::execute:
      execute(world, action, facts);
      break;
    case Action::Kind::pass:
      pass_for_clients(world, action.amount_ms, facts);
      judge_waits(world, facts);
      break;
    default:
      if (action.kind == Action::Kind::crash_begin)
        facts.ended_nothing = !has_begun_something(world.processes[action.process]) &&
                              sim::ever_locks(model_.processes[action.process]);
      disturb(world, action);
      break;
  }
  if (facts.choices_missing > 0) return facts;
  judge_fairness(world, action.process, facts);
  settle(world, action.kind == Action::Kind::pass);
  if (writes(action.kind)) note_missing(before, world);
  tell_of_returns(world, action.process);
  judge_rest(world, action, facts);
  judge_wakeups(world, facts);
  judge_invariants(world, action, facts);
  note_spinning(world, action, facts);
  return facts;
}

/// What follows from an action by itself.
void Rules::settle(World& world, bool by_time) const {
  for (Node& node : world.nodes) note_unnoticed(world, node);
  tidy(world, writes_wait_ms(model_.persistence));
  order_queues(world);
  if (servers_.replicas == 0) return;
  mirror(world, by_time);
  tidy(world, writes_wait_ms(model_.persistence));
}

/// What a process does by itself.
void Rules::step(World& world, const Action& action, Facts& facts) {
  switch (sim::step_of(action)) {
    case Action::Kind::begin:
      return begin(world, action, facts);
    case Action::Kind::run:
      return run(world, action, facts);
    case Action::Kind::deliver:
      return deliver(world, action, facts);
    case Action::Kind::timer:
      return fire_timer(world, action, facts);
    default:
      sim::fail("a step of a process", __FILE__, __LINE__);
  }
}

void Rules::step_within(World& world, const Action& action, Facts& facts) {
  step(world, action, facts);
  if (facts.choices_missing > 0 || facts.cut == sim::Cut::none) return;
  if (action.kind == Action::Kind::crash_within) return crash(world, action.process);
  Process& process = world.processes[action.process];
  if (action.kind == Action::Kind::pause_within) stand_still(process);
  if (action.kind == Action::Kind::jump_within)
    process.offset = process.offset + sim::Duration{action.amount_ms};
}

namespace {

/// Whether a step of the process that is cut there differs from one that is not, or that has not
/// begun. Nobody goes first where there is no other task.
bool leaves_something(Action::Kind kind, sim::Cut cut, const Process& process) {
  if (kind == Action::Kind::pause_within) return true;
  if (kind == Action::Kind::jump_within) return cut == sim::Cut::clock;
  if (kind != Action::Kind::preempt) return cut == sim::Cut::request;
  const auto tasks_left = std::ranges::count_if(
      process.waits, [](const sim::Wait& wait) { return wait.kind != sim::Wait::Kind::done; });
  return !sim::is_unnoticed(cut) && tasks_left > 1;
}

}  // namespace

/// Tries one place after the other, until the step has no more of them. Where a step has only read
/// clocks, a crash undoes it: it is no other than one before it.
std::vector<Successor> Rules::cut_successors(const World& world, const Action& action) {
  std::vector<Successor> all;
  Action cut = action;
  for (bool was_cut = true; was_cut;) {
    was_cut = false;
    ++cut.cut;
    for (Successor& successor : successors(world, cut)) {
      if (successor.facts.cut == sim::Cut::none) continue;
      was_cut = true;
      if (leaves_something(action.kind, successor.facts.cut,
                           successor.world.processes[action.process]))
        all.push_back(std::move(successor));
    }
  }
  return all;
}

std::vector<Successor> Rules::successors(const World& world, const Action& action) {
  if (row(action.kind).fields.cut && action.cut == 0) return cut_successors(world, action);
  Successor successor{action, world, {}};
  successor.facts = apply(successor.world, action);
  std::vector<Successor> all;
  if (successor.facts.choices_missing == 0) {
    all.push_back(std::move(successor));
    return all;
  }
  for (int choice = 1; choice <= successor.facts.choices_missing; ++choice) {
    Action chosen = action;
    chosen.choices.push_back(static_cast<std::uint8_t>(choice));
    for (Successor& further : successors(world, chosen)) all.push_back(std::move(further));
  }
  return all;
}

std::vector<Successor> Rules::successors(const World& world) {
  std::vector<Action> actions = enabled(world);
  const std::int64_t furthest_ms = furthest_pass(world);
  for (std::int64_t ms = model_.tick_ms; ms <= furthest_ms; ms += model_.tick_ms) {
    Action action;
    action.kind = Action::Kind::pass;
    action.amount_ms = ms;
    actions.push_back(action);
  }
  std::vector<Successor> all;
  for (const Action& action : actions) {
    for (Successor& successor : successors(world, action)) all.push_back(std::move(successor));
  }
  return all;
}

void Rules::begin(World& world, const Action& action, Facts& facts) {
  Process& process = world.processes[action.process];
  if (process.life == Life::dead) {
    incarnate(process, model_.processes[action.process]);
  }
  // Who goes on for ever counts none but the first.
  const bool counts = alone_ || model_.processes[action.process].rounds != kForEver;
  int& begun = process.rounds_begun.at(action.task);
  if (counts || begun == 0) ++begun;
  Observation observation;
  observation.kind = Observation::Kind::begin;
  observation.task = action.task;
  feed(world, action.process, std::move(observation), action, facts);
}

void Rules::run(World& world, const Action& action, Facts& facts) {
  Observation observation;
  observation.kind = Observation::Kind::run;
  observation.task = action.task;
  feed(world, action.process, std::move(observation), action, facts);
}

void Rules::deliver(World& world, const Action& action, Facts& facts) {
  if (led_on(world, action)) return;
  Process& process = world.processes[action.process];
  Connection& connection = process.connections[action.connection];
  const Message message = connection.messages.front();
  connection.messages.erase(connection.messages.begin());
  const bool broken = message.state == Message::State::broken;
  Observation observation =
      heard(broken ? Observation::Kind::broken : Observation::Kind::reply, connection, message);
  observation.reply = message.reply;
  if (broken) {
    connection.open = connection.shared;
  } else if (!message.node_was.empty() && model_.latency_ms == 0 && !connection.listens) {
    const auto [answered, first] =
        process.tasks.at(message.sender)
            .answered.emplace(normalised(message, connection, action.process), message.node_was);
    asked_twice_ = asked_twice_ || !first;
  }
  tidy_connections(process);
  feed(world, action.process, std::move(observation), action, facts);
}

/// Nobody waits any more for what `task` has sent.
void Rules::give_up_requests(Process& process, sim::TaskId task, bool listens) {
  for (Connection& connection : process.connections) {
    if (connection.former || connection.listens != listens) continue;
    if (!connection.shared && connection.task == task && !connection.messages.empty())
      connection.open = false;
    for (Message& message : connection.messages)
      if (connection.shared && message.sender == task) message.unheard = true;
  }
  tidy_connections(process);
}

void Rules::fire_timer(World& world, const Action& action, Facts& facts) {
  Process& process = world.processes[action.process];
  const auto wait = std::find_if(process.waits.begin(), process.waits.end(),
                                 [&](const sim::Wait& w) { return w.task == action.task; });
  LOCKSTEP_CHECK(wait != process.waits.end());
  process.tasks.at(action.task).timer_ms.reset();
  Observation observation;
  observation.kind = Observation::Kind::timer;
  observation.task = action.task;
  if (wait->kind == sim::Wait::Kind::replies) {
    observation.kind = Observation::Kind::timeout;
    give_up_requests(process, action.task, wait->subscribes);
  }
  feed(world, action.process, std::move(observation), action, facts);
}

/// The lease keys of masters in which somebody has something who holds a lock of that key.
std::vector<LeasePlace> Rules::leases_of_holders(const World& world) const {
  std::vector<LeasePlace> held;
  for (std::size_t n = 0; n < world.nodes.size(); ++n) {
    if (world.nodes[n].follows || !world.nodes[n].up) continue;
    const sim::Keyspace& keyspace = world.nodes[n].keyspace;
    for (int database = 0; database < sim::kDatabases; ++database) {
      const sim::Keys* keys = keyspace.database(database);
      if (keys == nullptr || !keyspace.may_have_leases(database)) continue;
      for (const auto& [key, entry] : *keys) {
        if (!lease_keys_.contains(key)) continue;
        for (const sim::Maker maker : Belongings(&entry).owners()) {
          if (holds_lease(world, static_cast<std::uint8_t>(maker - 1), key))
            held.push_back({n, database, key});
        }
      }
    }
  }
  return held;
}

void Rules::pass(World& world, std::int64_t ms, Facts& facts) const {
  const std::vector<LeasePlace> held = leases_of_holders(world);
  for (std::uint8_t p = 0; p < world.processes.size(); ++p)
    for (const sim::Wait& wait : world.processes[p].waits)
      if (counts(world, p, wait)) *world.processes[p].tasks.at(wait.task).wait_ms += ms;
  world.now = world.now + sim::Duration{ms};
  world.outlook_ms = std::max<std::int64_t>(0, world.outlook_ms - ms);
  for (Process& process : world.processes) {
    for (const sim::Wait& wait : process.waits) {
      TaskState& task = process.tasks.at(wait.task);
      const bool runs = wait.kind != sim::Wait::Kind::work || process.life == Life::up;
      if (task.timer_ms && runs) task.timer_ms = std::max<std::int64_t>(0, *task.timer_ms - ms);
      task.answered.clear();
    }
    for (Connection& connection : process.connections) {
      for (Message& message : connection.messages) {
        message.node_was.clear();
        message.idle = false;
        message.way_ms = std::max<std::int64_t>(0, message.way_ms - ms);
        if (till_due_ms(world, connection, message))
          message.blocked_left_ms = std::max<std::int64_t>(0, *message.blocked_left_ms - ms);
      }
    }
    if (process.pause_left_ms)
      process.pause_left_ms = std::max<std::int64_t>(0, *process.pause_left_ms - ms);
  }
  for (Node& node : world.nodes) {
    for (Image& image : node.not_durable) image.age_ms += ms;
    if (node.frozen) node.offset.ms -= ms;
    node.down_left_ms = std::max<std::int64_t>(0, node.down_left_ms - ms);
    if (!sim::clocks_drift(model_)) node.micros = 0;
  }
  forget_long_gone(world, ms);
  settle(world, true);
  for (const LeasePlace& place : held) {
    const sim::Keys* keys = world.nodes[place.node].keyspace.database(place.database);
    if (keys == nullptr || !keys->contains(place.key))
      facts.witnesses.insert(sim::Witness::expired_while_held);
  }
}

/// Counts the steps of each task since time last could pass: a task that never lets it is going
/// round in a circle.
void Rules::note_spinning(World& world, const Action& action, Facts& facts) {
  if (action.kind == Action::Kind::pass || time_may_pass(world)) {
    for (Process& process : world.processes) {
      for (auto& [task, state] : process.tasks) state.steps_at_once = 0;
    }
    return;
  }
  for (const auto& [task, state] : world.processes[action.process].tasks) {
    if (state.steps_at_once > kMostStepsAtOnce) facts.spinning = task;
  }
}

std::uint64_t Rules::commands_run() const {
  std::uint64_t runs = commands_run_;
  for (const auto& [lock, rules] : probes_) runs += rules->commands_run();
  return runs;
}

std::uint64_t Rules::scripts_run() const {
  std::uint64_t runs = scripts_.runs();
  for (const auto& [lock, rules] : probes_) runs += rules->scripts_run();
  return runs;
}

}  // namespace lockstep::checker::naive
