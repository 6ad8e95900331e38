// Which actions are enabled in a naive world, and how far time can pass: sections 3 and 4 of
// docs/semantics.md.
#include <algorithm>
#include <cstdlib>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/client/turning.hpp"
#include "sim/keyspace/keyspace.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Fault;
using sim::Wait;

namespace {

std::uint8_t byte(std::size_t index) { return static_cast<std::uint8_t>(index); }

Action of_process(Action::Kind kind, std::uint8_t p) {
  Action action;
  action.kind = kind;
  action.process = p;
  return action;
}

Action of_task(Action::Kind kind, std::uint8_t p, sim::TaskId task) {
  Action action = of_process(kind, p);
  action.task = task;
  return action;
}

Action of_connection(Action::Kind kind, std::uint8_t p, std::uint8_t c) {
  Action action = of_process(kind, p);
  action.connection = c;
  return action;
}

Action of_node(Action::Kind kind, std::uint8_t n) {
  Action action;
  action.kind = kind;
  action.node = n;
  return action;
}

bool left(const World& world, Fault fault) {
  return world.budget[static_cast<std::size_t>(fault)] > 0;
}

bool under_way(const Process& process) {
  return std::any_of(process.waits.begin(), process.waits.end(), [](const Wait& wait) {
    return wait.kind != Wait::Kind::idle && wait.kind != Wait::Kind::done;
  });
}

}  // namespace

bool has_begun_something(const Process& process) {
  return under_way(process) || !process.holdings.empty();
}

namespace {

bool has_expiry(const sim::Keyspace& keyspace) {
  bool any = false;
  keyspace.for_each([&any](const std::string&, const sim::Entry& entry) {
    any = any || entry.expires.has_value();
  });
  return any;
}

/// Whether one of its tasks has to go on before anything else of it happens.
bool is_interrupted(const Process& process) {
  return std::ranges::any_of(process.waits,
                             [](const Wait& wait) { return wait.kind == Wait::Kind::interrupted; });
}

/// Whether it may break with no request in front, and something is forgotten that nobody is told
/// of. Who has begun something on a connection of its own is told when it goes on there; a library
/// makes any other anew.
bool may_close(const Connection& connection) {
  const bool begun = connection.session.begun();
  const bool ahead = !connection.ahead.empty();
  if (connection.shared ? !begun && !ahead : begun || !ahead) return false;
  if (!connection.open || connection.line != Line::made || connection.listens || connection.closing)
    return false;
  return connection.messages.empty() ||
         connection.messages.front().state == Message::State::answered;
}

/// How many images a node could come back with.
std::size_t images(const Node& node) { return 1 + node.not_durable.size(); }

}  // namespace

std::vector<Action> Rules::enabled(const World& world) const {
  std::vector<Action> actions;
  if (const auto served = next_served(world)) {
    for (std::size_t n = 0; n < world.nodes.size(); ++n) enabled_of_node(world, byte(n), actions);
    std::erase_if(actions, [](const Action& action) { return action.kind != Action::Kind::lag; });
    actions.insert(actions.begin(), *served);
    return actions;
  }
  for (std::size_t p = 0; p < world.processes.size(); ++p)
    enabled_of_process(world, byte(p), actions);
  for (std::size_t n = 0; n < world.nodes.size(); ++n) enabled_of_node(world, byte(n), actions);
  return actions;
}

bool Rules::has_rounds_left(std::uint8_t p, int begun) const {
  return model_.processes[p].rounds == kForEver || begun < model_.processes[p].rounds;
}

void Rules::enabled_of_process(const World& world, std::uint8_t p,
                               std::vector<Action>& actions) const {
  const Process& process = world.processes[p];
  const std::size_t first = actions.size();
  const bool up = process.life == Life::up;
  const bool dead = process.life == Life::dead;
  if (dead) {
    for (std::size_t t = 0; t < process.rounds_begun.size(); ++t) {
      if (has_rounds_left(p, process.rounds_begun[t])) {
        actions.push_back(of_task(Action::Kind::begin, p, byte(t)));
      }
    }
  }
  const bool interrupted = is_interrupted(process);
  for (const Wait& wait : process.waits) {
    if (!up) break;
    if (interrupted && wait.kind != Wait::Kind::interrupted) continue;
    if (wait.kind == Wait::Kind::idle)
      actions.push_back(of_task(Action::Kind::begin, p, wait.task));
    if (wait.can_run()) actions.push_back(of_task(Action::Kind::run, p, wait.task));
    if (process.tasks.at(wait.task).timer_ms == 0) {
      actions.push_back(of_task(Action::Kind::timer, p, wait.task));
    }
  }
  for (std::size_t c = 0; c < process.connections.size(); ++c) {
    enabled_of_connection(world, p, byte(c), actions);
  }
  enabled_within(world, first, actions);
  if (process.life == Life::paused) actions.push_back(of_process(Action::Kind::resume, p));
  if (up && left(world, Fault::pause) && under_way(process)) {
    actions.push_back(of_process(Action::Kind::pause, p));
  }
  if (!dead && left(world, Fault::crash) && has_begun_something(process)) {
    actions.push_back(of_process(Action::Kind::crash, p));
  }
  if (left(world, Fault::crash) && model_.processes[p].rounds != kForEver)
    for (std::size_t a = first, end = actions.size(); a < end; ++a)
      if (actions[a].kind == Action::Kind::begin)
        actions.push_back(of_task(Action::Kind::crash_begin, p, actions[a].task));
  const bool clock_matters =
      world.absolute || std::any_of(process.instants.begin(), process.instants.end(),
                                    [](const Instant& instant) { return instant.wall; });
  if (!dead && left(world, Fault::jump) && clock_matters) {
    for (const std::int64_t jump_ms : model_.jumps_ms) {
      actions.push_back(of_process(Action::Kind::jump_process, p));
      actions.back().amount_ms = jump_ms;
    }
  }
  enabled_of_links(world, p, actions);
  enabled_to_learn(world, p, actions);
}

/// What may be cut between the process and the nodes, or heal.
void Rules::enabled_of_links(const World& world, std::uint8_t p,
                             std::vector<Action>& actions) const {
  const Process& process = world.processes[p];
  for (std::size_t n = 0; n < world.nodes.size(); ++n) {
    const bool reaches = !process.unreached.contains(byte(n));
    const bool hears = !process.unheard.contains(byte(n));
    const auto add = [&](Action::Kind kind) {
      actions.push_back(of_process(kind, p));
      actions.back().node = byte(n);
    };
    if (!reaches || !hears) add(Action::Kind::heal);
    if (std::any_of(process.connections.begin(), process.connections.end(),
                    [&](const Connection& connection) {
                      return connection.node == n &&
                             somebody_waits_behind_a_cut(process, connection);
                    }))
      add(Action::Kind::heal_late);
    if (!left(world, Fault::cut) || process.life == Life::dead) continue;
    if (reaches || hears) add(Action::Kind::cut);
    if (reaches) add(Action::Kind::cut_requests);
    if (hears) add(Action::Kind::cut_replies);
  }
}

/// A pause, a crash or a jump in the middle of each step of the process among the actions from
/// `first` on.
void Rules::enabled_within(const World& world, std::size_t first,
                           std::vector<Action>& actions) const {
  for (std::size_t a = first, end = actions.size(); a < end; ++a) {
    if (!sim::is_step(actions[a].kind)) continue;
    Action within = actions[a];
    within.step = within.kind;
    for (const Action::Kind kind :
         {Action::Kind::pause_within, Action::Kind::crash_within, Action::Kind::preempt}) {
      within.kind = kind;
      if (left(world, *row(kind).fault)) actions.push_back(within);
    }
    within.kind = Action::Kind::jump_within;
    for (const std::int64_t jump_ms : model_.jumps_ms) {
      within.amount_ms = jump_ms;
      if (left(world, Fault::jump)) actions.push_back(within);
    }
  }
}

void Rules::enabled_of_connection(const World& world, std::uint8_t p, std::uint8_t c,
                                  std::vector<Action>& actions) const {
  const Process& process = world.processes[p];
  const Connection& connection = process.connections[c];
  const bool may_break = left(world, Fault::lose) || may_break_freely(world, process, connection);
  if (may_break && may_close(connection))
    actions.push_back(of_connection(Action::Kind::close, p, c));
  if (connection.messages.empty()) {  // nothing but a listener's is read all the time
    if (connection.listens && connection.open && connection.line == Line::made && may_break)
      actions.push_back(of_connection(Action::Kind::lose, p, c));
    return;
  }
  const Message& next = connection.messages.front();
  const bool waiting = next.state == Message::State::waiting;
  const bool broken = next.state == Message::State::broken;
  const auto add = [&](Action::Kind kind) { actions.push_back(of_connection(kind, p, c)); };
  if (const auto place = executable(world, connection);
      place && arrives(world, process, connection, connection.messages[*place]))
    add(Action::Kind::execute);
  const bool heard = std::any_of(process.waits.begin(), process.waits.end(), [&](const Wait& wait) {
    if (wait.task != next.sender) return false;
    if (connection.listens && wait.kind == Wait::Kind::message) return true;
    return wait.kind == Wait::Kind::replies && wait.subscribes == connection.listens;
  });
  if (process.life == Life::up && !is_interrupted(process) && connection.open && heard &&
      !next.unheard && !waiting && !next.held && !process.unheard.contains(connection.node))
    add(Action::Kind::deliver);
  if (next.held) add(Action::Kind::release);
  const bool dark = connection.waits_in_the_dark();
  if (left(world, Fault::delay) && !broken && !next.held && !next.blocked && !connection.late &&
      (connection.open || waiting) && !dark) {
    add(Action::Kind::delay);
  }
  if (given_up_behind_a_cut(process, connection)) add(Action::Kind::lose);
  if (!connection.open || broken) return;
  if (may_break) add(Action::Kind::lose);
  if (left(world, Fault::lose) && waiting && (!next.blocked || next.in_queue > 0) && !dark)
    add(Action::Kind::lose_late);
}

void Rules::enabled_deaths(const World& world, std::uint8_t n, std::vector<Action>& actions) const {
  if (left(world, Fault::node_crash)) actions.push_back(of_node(Action::Kind::node_crash, n));
  for (std::size_t i = 0; left(world, Fault::power_loss) && i < images(world.nodes[n]); ++i) {
    actions.push_back(of_node(Action::Kind::power_loss, n));
    actions.back().image = byte(i);
  }
}

void Rules::enabled_of_node(const World& world, std::uint8_t n,
                            std::vector<Action>& actions) const {
  const Node& node = world.nodes[n];
  if (!node.up) {
    if (node.down_left_ms > 0) return;
    actions.push_back(of_node(Action::Kind::node_restart, n));
    if (!node.keyspace.empty() && model_.persistence != sim::Persistence::none)
      actions.push_back(of_node(Action::Kind::node_load, n));
    return;
  }
  const bool image_expiry =
      has_expiry(node.saved) ||
      std::any_of(node.not_durable.begin(), node.not_durable.end(),
                  [](const Image& image) { return has_expiry(image.keyspace); });
  const bool clock_matters =
      world.absolute || servers_.replicas > 0 || image_expiry || somebody_queues(world, n);
  if (left(world, Fault::jump) && (clock_matters || has_expiry(node.keyspace))) {
    for (const std::int64_t jump_ms : model_.jumps_ms) {
      actions.push_back(of_node(Action::Kind::jump_node, n));
      actions.back().amount_ms = jump_ms;
    }
  }
  const bool may_stop = !node.follows && !node.frozen;
  if (left(world, Fault::freeze) && may_stop && (clock_matters || has_expiry(node.keyspace)))
    actions.push_back(of_node(Action::Kind::freeze, n));
  enabled_deaths(world, n, actions);
  if (node.loading) {
    actions.push_back(of_node(Action::Kind::loaded, n));
    return;
  }
  if (left(world, Fault::evict) && !node.follows) {
    std::size_t keys = 0;
    node.keyspace.for_each([&](const std::string&, const sim::Entry& entry) {
      if (!may_evict(entry)) return;
      actions.push_back(of_node(Action::Kind::evict, n));
      actions.back().key = byte(keys++);
    });
  }
  if (left(world, Fault::flush) && !node.follows && !node.keyspace.empty())
    actions.push_back(of_node(Action::Kind::flush, n));
  enabled_to_notice(world, n, actions);
  if (node.full) actions.push_back(of_node(Action::Kind::relief, n));
  if (left(world, Fault::oom) && !node.full && !node.follows)
    actions.push_back(of_node(Action::Kind::oom, n));
  if (model_.persistence == sim::Persistence::rdb && !same_keys(node.saved, node.keyspace) &&
      (left(world, Fault::node_crash) || left(world, Fault::power_loss))) {
    actions.push_back(of_node(Action::Kind::save, n));
  }
  enabled_of_roles(world, n, actions);
  enabled_to_migrate(world, n, actions);
}

/// The place of the message that `execute` would execute, if there is one.
std::optional<std::size_t> Rules::executable(const World& world,
                                             const Connection& connection) const {
  if (connection.node != sim::kResource && !world.nodes[connection.node].up) return std::nullopt;
  for (std::size_t m = 0; m < connection.messages.size(); ++m) {
    const Message& message = connection.messages[m];
    if (message.state != Message::State::waiting) continue;  // its reply is on its way back
    if (message.in_queue > 0) {
      const bool over = !connection.open || ends_in_vain(world, connection, message) ||
                        has_come(world, connection);
      return over ? std::optional(m) : std::nullopt;
    }
    if (message.held) return std::nullopt;
    if (message.blocked && !is_over(world, connection, message)) return std::nullopt;
    return m;
  }
  return std::nullopt;
}

/// Whether a wait for a key ends by itself: it is served, or its time is over.
bool Rules::is_due_at_node(const World& world, const Connection& connection) const {
  const auto place = executable(world, connection);
  if (!place || connection.messages[*place].in_queue == 0) return false;
  return connection.messages[*place].blocked_left_ms == 0 || has_come(world, connection);
}

/// Whether nothing keeps from the node what the message's execution needs: the message itself, or,
/// where it is there and waits for a key, that its client has closed the connection.
bool Rules::arrives(const World& world, const Process& process, const Connection& connection,
                    const Message& message) const {
  if (message.in_queue > 0 && ends_in_vain(world, connection, message)) return true;
  return !process.unreached.contains(connection.node);
}

/// How much longer the message that the action executes or delivers may be on its way.
std::int64_t Rules::way_ms(const World& world, const Action& action) const {
  const Connection& connection = world.processes[action.process].connections[action.connection];
  const std::size_t place =
      action.kind == Action::Kind::execute ? executable(world, connection).value() : 0;
  return connection.messages[place].way_ms;
}

bool Rules::urgent(const World& world, const Action& action, bool of_any_client) {
  const Process& process = world.processes[action.process];
  switch (action.kind) {
    case Action::Kind::run:
    case Action::Kind::timer:
    case Action::Kind::notice:
      return true;
    case Action::Kind::deliver:
    case Action::Kind::execute: {
      const Connection& connection = process.connections[action.connection];
      const bool executes = action.kind == Action::Kind::execute;
      const bool holds_up = !executes && connection.messages.size() > 1;
      if (executes && is_due_at_node(world, connection)) return true;
      return way_ms(world, action) == 0 && !(executes && connection.late) &&
             (holds_up || !waits_for_time(world, action.process, action.connection, of_any_client));
    }
    case Action::Kind::resume:
      return process.pause_left_ms == 0;
    case Action::Kind::begin:  // of who goes on for ever, but for the first time
      return !alone_ && process.life == Life::up &&
             model_.processes[action.process].rounds == kForEver &&
             process.rounds_begun[action.task] > 0;
    default:
      return false;
  }
}

/// A look at absolute time: what it saw may matter for as long as a timestamp made of it reaches.
void Rules::look(World& world) {
  world.absolute = found_.absolute = true;
  world.outlook_ms = until_all_show(world, std::max(longest_matter_ms(), common_unit_ms()));
}

std::int64_t Rules::common_unit_ms() const {
  if (expected_.units.empty()) return 0;
  const auto is_off = [](std::int64_t ms) { return ms != 0; };
  const bool apart = std::ranges::any_of(model_.clocks_ms, is_off) ||
                     std::ranges::any_of(model_.node_clocks_ms, is_off) ||
                     model_.budget[static_cast<std::size_t>(sim::Fault::jump)] > 0 ||
                     sim::clocks_drift(model_);
  return rounded_up(sim::common_multiple(expected_.units)) * (apart ? 2 : 1);
}

/// How long it takes until every clock, right ones too, shows so much more than any of them shows
/// now; offsets apart.
std::int64_t Rules::until_all_show(const World& world, std::int64_t ms) const {
  std::int64_t slowest = 0, fastest = 0;
  const auto consider = [&](std::int64_t drift_ppm) {
    slowest = std::min(slowest, drift_ppm);
    fastest = std::max(fastest, drift_ppm);
  };
  for (std::size_t p = 0; p < model_.processes.size(); ++p)
    consider(sim::of_clock(model_.drifts_ppm, p));
  for (const Node& node : world.nodes) consider(node.drift_ppm);
  const std::int64_t behind = world.now.ms * (fastest - slowest);
  return sim::ceil_quotient(ms * kMillion + behind, kMillion + slowest);
}

std::set<std::int64_t> Rules::deadlines(const World& world) const {
  std::set<std::int64_t> times;
  const auto add = [&](std::int64_t ms) {
    if (ms > 0) times.insert(ms);
  };
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    for (const Wait& wait : process.waits) {
      const std::optional<std::int64_t> timer_ms = process.tasks.at(wait.task).timer_ms;
      const bool runs = wait.kind != Wait::Kind::work || process.life == Life::up;
      if (timer_ms && runs) add(*timer_ms);
      add(till_too_long_ms(world, byte(p), wait).value_or(0));
    }
    if (process.pause_left_ms) add(*process.pause_left_ms);
    for (const Connection& connection : process.connections)
      for (const Message& message : connection.messages) {
        add(message.way_ms);
        add(till_due_ms(world, connection, message).value_or(0));
      }
    for (const Instant& instant : process.instants) {
      const std::int64_t shown =
          instant.wall ? wall_clock(world, process) : monotonic_clock(world, process);
      for (const std::int64_t age_ms : expected_.ages)
        add(time_to_show(process.drift_ppm, age_ms, shown - instant.reading));
    }
  }
  for (const Node& node : world.nodes) {
    add(node.down_left_ms);
    for (const auto& [gone, left_ms] : node.counts_gone) add(left_ms);
    const auto add_keys = [&](const sim::Keyspace& keyspace) {
      keyspace.for_each([&](const std::string&, const sim::Entry& entry) {
        if (!entry.expires || node.frozen) return;
        const auto tick_with_less = [&](std::int64_t left_ms) {
          return rounded_up(time_to_less(world, node, entry, left_ms));
        };
        add(tick_with_less(0) - model_.tick_ms);
        add(tick_with_less(0));
        for (const std::int64_t threshold_ms : expected_.lefts) add(tick_with_less(threshold_ms));
      });
    };
    add_keys(node.keyspace);
    add_keys(node.saved);
    for (const Image& image : node.not_durable) {
      add_keys(image.keyspace);
      add(writes_wait_ms(model_.persistence) - image.age_ms + model_.tick_ms);
    }
  }
  add(world.outlook_ms);
  return times;
}

std::int64_t Rules::furthest_pass(const World& world) {
  const std::set<std::int64_t> ahead = deadlines(world);
  return ahead.empty() ? 0 : undisturbed_ms(world, rounded_up(*ahead.rbegin()));
}

bool Rules::time_may_pass(const World& world) {
  return !deadlines(world).empty() && undisturbed_ms(world, model_.tick_ms) > 0;
}

std::int64_t Rules::undisturbed_ms(const World& world, std::int64_t at_most_ms,
                                   bool of_any_client) {
  std::int64_t furthest = at_most_ms;
  for (const Action& action : enabled(world)) {
    if (urgent(world, action, of_any_client)) return 0;
    const bool moves = action.kind == Action::Kind::execute || action.kind == Action::Kind::deliver;
    const bool in_time =
        moves && !world.processes[action.process].connections[action.connection].late;
    if (in_time && model_.latency_ms > 0) furthest = std::min(furthest, way_ms(world, action));
  }
  for (const Node& node : world.nodes)
    furthest = std::min(furthest, till_unnoticed_ms(world, node).value_or(furthest));
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const Process& process = world.processes[p];
    if (process.pause_left_ms) furthest = std::min(furthest, *process.pause_left_ms);
    for (const Connection& connection : process.connections)
      furthest = std::min(furthest, till_over_ms(world, process, connection).value_or(furthest));
    if (process.life != Life::up) continue;
    for (const auto& [task, state] : process.tasks) {
      if (state.timer_ms) furthest = std::min(furthest, *state.timer_ms);
    }
    for (const Wait& wait : process.waits)
      furthest = std::min(furthest, till_too_long_ms(world, byte(p), wait).value_or(furthest));
  }
  for (std::size_t p = 0; p < world.processes.size(); ++p)
    for (std::size_t c = 0; c < world.processes[p].connections.size(); ++c)
      if (waits_for_time(world, byte(p), byte(c), of_any_client))
        furthest = till_heard_otherwise_ms(world, byte(p), byte(c), furthest);
  return rounded_up(furthest);
}

bool Rules::waits_in_acquire(const World& world) const {
  return std::any_of(world.processes.begin(), world.processes.end(), [](const Process& process) {
    return std::any_of(process.waits.begin(), process.waits.end(),
                       [](const Wait& wait) { return wait.in_acquire; });
  });
}

}  // namespace lockstep::checker::naive
