// The faults, and the free actions that undo them: sections 3 and 6 of docs/semantics.md.
#include <algorithm>
#include <utility>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/notify.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Keyspace;
using sim::maker_of;

namespace {

/// Once it is let go, it arrives.
void hold(Message& message) {
  message.held = true;
  message.way_ms = 0;
}

template <typename Visit>
void for_each_connection_to(World& world, std::uint8_t n, Visit visit) {
  for (Process& process : world.processes)
    for (Connection& connection : process.connections)
      if (connection.node == n) visit(connection);
}

}  // namespace

Keyspace keys_only(const Keyspace& keyspace) {
  Keyspace kept;
  kept.keys = keyspace.keys;
  kept.others = keyspace.others;
  kept.libraries = keyspace.libraries;
  kept.lease_databases = keyspace.lease_databases;
  return kept;
}

/// What a connection holds once these messages of it are lost: an error for each task that waits
/// for one of them. A listener reads without having asked: it always hears that its connection is
/// gone.
std::vector<Message> Rules::connection_errors(const Connection& connection,
                                              const std::vector<Message>& lost) const {
  std::vector<sim::TaskId> told;
  for (const Message& message : lost)
    if (!message.unheard && std::ranges::count(told, message.sender) == 0)
      told.push_back(message.sender);
  if (told.empty() && connection.listens && connection.open) told = {connection.task};
  std::vector<Message> errors;
  for (const sim::TaskId task : told) {
    Message error;
    error.sender = task;
    error.state = Message::State::broken;
    error.way_ms = rounded_up(model_.latency_ms);
    errors.push_back(error);
  }
  return errors;
}

void Rules::stand_still(Process& process) const {
  process.life = Life::paused;
  if (model_.pause_max_ms > 0) process.pause_left_ms = rounded_up(model_.pause_max_ms);
  for (auto& [task, state] : process.tasks) {
    state.wait_ms.reset();
    state.times_passed = 0;
  }
}

void Rules::go_on(Process& process) const {
  process.life = Life::up;
  process.pause_left_ms.reset();
  start_waiting(process);
}

/// The faults, and the free actions that undo them.
void Rules::disturb(World& world, const Action& action) const {
  const sim::ActionFields& of = row(action.kind).fields;
  if (of.connection) return disturb_connection(world.processes[action.process], action);
  of.process ? disturb_process(world, action) : disturb_node(world, action);
}

void Rules::disturb_connection(Process& process, const Action& action) const {
  Connection& connection = process.connections[action.connection];
  switch (action.kind) {
    case Action::Kind::delay:
      return hold(connection.messages.front());
    case Action::Kind::release:
      connection.messages.front().held = false;
      return;
    case Action::Kind::lose:
      return lose(process, action.connection);
    case Action::Kind::close:
      return close(connection);
    case Action::Kind::lose_late:
      return lose_late(process, action.connection);
    default:
      sim::fail("an action of the network", __FILE__, __LINE__);
  }
}

void Rules::disturb_process(World& world, const Action& action) const {
  Process& process = world.processes[action.process];
  switch (action.kind) {
    case Action::Kind::pause:
      return stand_still(process);
    case Action::Kind::resume:
      return go_on(process);
    case Action::Kind::crash_begin:
      ++process.rounds_begun.at(action.task);
      [[fallthrough]];
    case Action::Kind::crash:
      return crash(world, action.process);
    case Action::Kind::jump_process:
      process.offset = process.offset + sim::Duration{action.amount_ms};
      break;
    case Action::Kind::cut:
      process.unreached.insert(action.node);
      process.unheard.insert(action.node);
      break;
    case Action::Kind::cut_requests:
      process.unreached.insert(action.node);
      break;
    case Action::Kind::cut_replies:
      process.unheard.insert(action.node);
      break;
    case Action::Kind::heal_late:
      for (Connection& connection : process.connections)
        if (somebody_waits_behind_a_cut(process, connection) && connection.node == action.node)
          hold(connection.messages.front());
      [[fallthrough]];
    case Action::Kind::heal:
      for (Connection& connection : process.connections)
        if (given_up_behind_a_cut(process, connection) && connection.node == action.node)
          leave_to_network(connection);
      process.unreached.erase(action.node);
      process.unheard.erase(action.node);
      break;
    default:
      return change_roles(world, action);
  }
}

void Rules::disturb_node(World& world, const Action& action) const {
  Node& node = world.nodes[action.node];
  switch (action.kind) {
    case Action::Kind::jump_node:
      node.offset = node.offset + sim::Duration{action.amount_ms};
      keep_reliances(node.keyspace, {action.amount_ms});
      keep_reliances(node.saved, {action.amount_ms});
      for (Image& image : node.not_durable) keep_reliances(image.keyspace, {action.amount_ms});
      for_each_connection_to(world, action.node, [&](Connection& connection) {
        for (Message& message : connection.messages)
          if (std::optional<std::int64_t>& left_ms = message.blocked_left_ms)
            left_ms = rounded_up(std::max<std::int64_t>(0, *left_ms - action.amount_ms));
      });
      break;
    case Action::Kind::freeze:
      node.frozen = true;
      break;
    case Action::Kind::evict:
      return evict(world, action.node, action.key);
    case Action::Kind::flush:
      return flush(world, action.node);
    case Action::Kind::notice:
    case Action::Kind::overlook:
    case Action::Kind::notice_late:
      return notice(world, action);
    case Action::Kind::oom:
    case Action::Kind::relief:
      node.full = action.kind == Action::Kind::oom;
      break;
    case Action::Kind::node_crash:
      return crash_node(world, action.node);
    case Action::Kind::power_loss:
      return lose_power(world, action.node, action.image);
    case Action::Kind::node_restart:
      return restart_node(world, action.node);
    case Action::Kind::node_load:
      restart_node(world, action.node);
      node.loading = true;
      break;
    case Action::Kind::loaded:
      node.loading = false;
      break;
    case Action::Kind::save:
      node.saved = keys_only(node.keyspace);
      break;
    case Action::Kind::migrate:
    case Action::Kind::move_key:
    case Action::Kind::hand_over:
      return migrate(world, action);
    default:
      return change_roles(world, action);
  }
}

/// The client sees an error, and whatever the connection carried or knew is gone.
void Rules::break_connection(Connection& connection) const {
  connection.messages = connection_errors(connection, connection.messages);
  connection.make_anew();
  connection.line = Line::made;
  connection.bound = false;
  connection.closing = false;
  connection.made_before = connection.stale = false;
}

/// Who waits for requests that are lost gets an error, behind what has been answered.
void Rules::lose_requests(Connection& connection) const {
  std::vector<Message> lost, kept;
  for (Message& message : connection.messages)
    (message.state == Message::State::waiting ? lost : kept).push_back(std::move(message));
  connection.messages = std::move(kept);
  if (!connection.open) return;
  for (Message& error : connection_errors(connection, lost)) connection.messages.push_back(error);
}

/// What its node has answered arrives, and no task is told but those whose requests are lost.
void Rules::close(Connection& connection) const {
  lose_requests(connection);
  connection.make_anew();
  connection.made_before = connection.stale = false;
  connection.closing = true;
}

/// What waits at its node in a queue stays there until the node hears that its client has gone.
void Rules::lose(Process& process, std::uint8_t c) const {
  if (!process.connections[c].open) {
    std::erase_if(process.connections[c].messages,
                  [](const Message& message) { return message.state == Message::State::waiting; });
    return;
  }
  Connection closed = process.connections[c];
  break_connection(process.connections[c]);
  std::erase_if(closed.messages, [](const Message& message) { return message.in_queue == 0; });
  if (closed.messages.empty()) return;
  closed.open = false;
  process.connections.push_back(std::move(closed));
}

void Rules::leave_to_network(Connection& connection) {
  connection.open = false;
  connection.late = true;
  for (Message& message : connection.messages) message.way_ms = 0;
}

/// The client's end breaks; the requests stay where they are, in the network, with nobody at their
/// end.
void Rules::lose_late(Process& process, std::uint8_t c) const {
  Connection stray = process.connections[c];
  leave_to_network(stray);
  break_connection(process.connections[c]);
  process.connections.push_back(std::move(stray));
}

void Rules::crash(World& world, std::uint8_t p) const {
  Process& process = world.processes[p];
  process.life = Life::dead;
  process.crashed = true;
  process.pause_left_ms.reset();
  process.snapshot.clear();
  process.history.clear();
  process.waits.clear();
  process.tasks.clear();
  process.instants.clear();
  process.holdings.clear();
  for (Connection& connection : process.connections) {
    connection.open = false;
    connection.former = true;
  }
  for (Node& node : world.nodes) {
    node.keyspace.disown(maker_of(p));
    node.saved.disown(maker_of(p));
    for (Image& image : node.not_durable) image.keyspace.disown(maker_of(p));
  }
}

/// A power loss may still take back what has changed `before`.
void Rules::note_not_durable(World& world, Node& node, const Keyspace& before) const {
  const bool power_loss_left = world.budget[static_cast<std::size_t>(sim::Fault::power_loss)] > 0;
  if (writes_wait_ms(model_.persistence) > 0 && power_loss_left &&
      !same_keys(before, node.keyspace))
    node.not_durable.insert(node.not_durable.begin(), Image{keys_only(before), 0});
}

bool Rules::may_evict(const sim::Entry& entry) const {
  return model_.maxmemory_policy == sim::MaxmemoryPolicy::allkeys || entry.expires.has_value();
}

void Rules::evict(World& world, std::uint8_t n, std::size_t key) const {
  Node& node = world.nodes[n];
  const Keyspace before = node.keyspace;
  std::optional<sim::Place> taken;
  const auto take_from = [&](int database, sim::Keys& keys) {
    for (auto entry = keys.begin(); !taken && entry != keys.end(); ++entry) {
      if (!may_evict(entry->second)) continue;
      if (key-- > 0) continue;
      taken = {database, entry->first};
      keys.erase(entry);
      return;
    }
  };
  take_from(0, node.keyspace.keys);
  for (auto& [number, keys] : node.keyspace.others) take_from(number, keys);
  tell_evicted(world, n, taken.value());
  std::erase_if(node.keyspace.others, [](const auto& other) { return other.second.empty(); });
  note_not_durable(world, node, before);
}

void Rules::flush(World& world, std::uint8_t n) const {
  Node& node = world.nodes[n];
  const Keyspace before = node.keyspace;
  node.keyspace.keys.clear();
  node.keyspace.others.clear();
  node.keyspace.unnoticed.clear();
  note_not_durable(world, node, before);
  save_flushed(node);
  spread_messages(world, n, sim::told_of_flush(model_.keyspace_events));
}

/// FLUSHALL saves by itself: of what a node stores it leaves nothing but the functions.
void Rules::save_flushed(Node& node) const {
  if (model_.persistence != sim::Persistence::rdb) return;
  node.saved = {};
  node.saved.libraries = node.keyspace.libraries;
}

void Rules::stop_node(World& world, std::uint8_t n, std::size_t image) const {
  for_each_connection_to(world, n, [](Connection& connection) {
    const bool begun = connection.session.begun() || !connection.ahead.empty();
    if (connection.line == Line::made)
      connection.bound = begun && connection.open && !connection.shared;
    connection.make_anew();
  });
  Node& node = world.nodes[n];
  switch (model_.persistence) {
    case sim::Persistence::none:
      node.keyspace = Keyspace{};
      break;
    case sim::Persistence::rdb:
      node.keyspace = node.saved;
      break;
    case sim::Persistence::aof_everysec:
    case sim::Persistence::aof_everysec_2s:
    case sim::Persistence::aof_always:
      LOCKSTEP_CHECK(image <= node.not_durable.size());
      node.keyspace = image == 0 ? keys_only(node.keyspace) : node.not_durable[image - 1].keyspace;
      break;
  }
  node.up = false;
  node.full = false;
  node.loading = false;
  node.receive_again();
  node.syncing = node.follows.has_value();  // when it is up again it asks for everything
  for (std::uint8_t other = 0; other < world.nodes.size(); ++other) {
    Node& replica = world.nodes[other];
    if (replica.follows != n) continue;
    replica.syncing = true;
    replica.receive_again();
    has_all(world, other);
  }
  has_all(world, n);
  node.down_left_ms = rounded_up(model_.restart_after_ms);
  node.came.clear();
  forget_gone(world, n);
  node.not_durable.clear();
}

/// The machine goes on, and closes the connections: who waits is told.
void Rules::crash_node(World& world, std::uint8_t n) const {
  stop_node(world, n, 0);
  for_each_connection_to(world, n, [&](Connection& connection) {
    for (Message& message : connection.messages)
      message.orphaned = message.state == Message::State::answered;
    lose_requests(connection);
    connection.made_before = connection.stale = false;
    if (connection.open && connection.bound) connection.line = Line::reset;
  });
}

/// Nobody tells the clients, who go on waiting. What a WAIT has waited for, the node has forgotten.
void Rules::lose_power(World& world, std::uint8_t n, std::size_t image) const {
  leave_master(world, n);
  stop_node(world, n, image);
  world.nodes[n].dark = true;
  for_each_connection_to(world, n, [](Connection& connection) {
    connection.made_before = connection.made_before || connection.stale;
    connection.stale = false;
    connection.line = Line::lost;
    for (Message& message : connection.messages) {
      message.orphaned = message.state == Message::State::answered;
      message.unblock();
    }
  });
}

/// What was connected to a machine that has died is unknown to it now; who has been trying to
/// connect does so.
void Rules::restart_node(World& world, std::uint8_t n) const {
  world.nodes[n].up = true;
  world.nodes[n].dark = false;
  for_each_connection_to(world, n, [&](Connection& connection) {
    if (connection.line == Line::reset) return;
    if (connection.line == Line::lost) {
      lose_requests(connection);
      connection.closing = false;
      const bool forgotten = connection.made_before && !connection.bound;
      connection.stale = forgotten && connection.messages.empty();
      connection.made_before = false;
    }
    const bool told = std::ranges::any_of(connection.messages, [](const Message& message) {
      return message.state == Message::State::broken;
    });
    const bool unused = connection.line == Line::lost && connection.bound && !told;
    connection.line = unused ? Line::reset : Line::made;
    connection.bound = unused;
  });
}

}  // namespace lockstep::checker::naive
