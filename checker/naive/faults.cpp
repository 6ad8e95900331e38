// The faults, and the free actions that undo them: sections 3 and 6 of docs/semantics.md.
#include <utility>

#include "checker/naive/clocks.hpp"
#include "checker/naive/world.hpp"
#include "sim/base/check.hpp"
#include "sim/keyspace/keyspace.hpp"

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

}  // namespace

Keyspace keys_only(const Keyspace& keyspace) {
  Keyspace kept;
  kept.keys = keyspace.keys;
  kept.others = keyspace.others;
  kept.libraries = keyspace.libraries;
  return kept;
}

/// What a connection holds once these messages are lost: an error for each task that waits for one
/// of them.
std::vector<Message> Rules::connection_errors(const std::vector<Message>& lost) const {
  std::vector<Message> errors;
  std::set<sim::TaskId> told;
  for (const Message& message : lost) {
    if (message.unheard || !told.insert(message.sender).second) continue;
    Message error;
    error.sender = message.sender;
    error.state = Message::State::broken;
    error.way_ms = rounded_up(model_.latency_ms);
    errors.push_back(error);
  }
  return errors;
}

void Rules::stand_still(Process& process) const {
  process.life = Life::paused;
  if (model_.pause_max_ms > 0) process.pause_left_ms = rounded_up(model_.pause_max_ms);
  for (auto& [task, state] : process.tasks) state.wait_ms.reset();
}

void Rules::go_on(Process& process) const {
  process.life = Life::up;
  process.pause_left_ms.reset();
  start_waiting(process);
}

/// The faults, and the free actions that undo them.
void Rules::disturb(World& world, const Action& action) const {
  const auto process = [&]() -> Process& { return world.processes[action.process]; };
  const auto node = [&]() -> Node& { return world.nodes[action.node]; };
  const auto messages = [&]() -> std::vector<Message>& {
    return process().connections[action.connection].messages;
  };
  const sim::Duration amount{action.amount_ms};
  switch (action.kind) {
    case Action::Kind::pause:
      stand_still(process());
      break;
    case Action::Kind::resume:
      go_on(process());
      break;
    case Action::Kind::delay:
      hold(messages().front());
      break;
    case Action::Kind::release:
      messages().front().held = false;
      break;
    case Action::Kind::lose:
      break_connection(process().connections[action.connection]);
      break;
    case Action::Kind::lose_late:
      lose_late(process(), action.connection);
      break;
    case Action::Kind::crash:
      crash(world, action.process);
      break;
    case Action::Kind::jump_process:
      process().offset = process().offset + amount;
      break;
    case Action::Kind::jump_node:
      node().offset = node().offset + amount;
      break;
    case Action::Kind::evict:
      evict(world, action.node, action.key);
      break;
    case Action::Kind::flush:
      flush(world, action.node);
      break;
    case Action::Kind::oom:
    case Action::Kind::relief:
      node().full = action.kind == Action::Kind::oom;
      break;
    case Action::Kind::cut:
      process().unreached.insert(action.node);
      process().unheard.insert(action.node);
      break;
    case Action::Kind::cut_requests:
      process().unreached.insert(action.node);
      break;
    case Action::Kind::cut_replies:
      process().unheard.insert(action.node);
      break;
    case Action::Kind::heal:
      process().unreached.erase(action.node);
      process().unheard.erase(action.node);
      break;
    case Action::Kind::node_crash:
      stop_node(world, action.node, 0);
      break;
    case Action::Kind::power_loss:
      stop_node(world, action.node, action.image);
      break;
    case Action::Kind::node_restart:
      node().up = true;
      break;
    case Action::Kind::save:
      node().saved = keys_only(node().keyspace);
      break;
    default:
      change_roles(world, action);
      break;
  }
}

/// The client sees an error, and whatever the connection carried or knew is gone.
void Rules::break_connection(Connection& connection) const {
  connection.messages = connection_errors(connection.messages);
  connection.session = {};
  connection.ahead.clear();
}

/// The client's end breaks; the requests stay where they are, in the network, with nobody at their
/// end.
void Rules::lose_late(Process& process, std::uint8_t c) const {
  Connection stray = process.connections[c];
  stray.open = false;
  stray.late = true;
  for (Message& message : stray.messages) message.way_ms = 0;
  break_connection(process.connections[c]);
  process.connections.push_back(std::move(stray));
}

void Rules::crash(World& world, std::uint8_t p) const {
  Process& process = world.processes[p];
  process.life = Life::dead;
  process.knows = world.newest;
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
  const auto take_from = [&](sim::Keys& keys) {
    for (auto entry = keys.begin(); entry != keys.end(); ++entry) {
      if (!may_evict(entry->second)) continue;
      if (key-- > 0) continue;
      keys.erase(entry);
      return true;
    }
    return false;
  };
  bool taken = take_from(node.keyspace.keys);
  for (auto& [number, keys] : node.keyspace.others) taken = taken || take_from(keys);
  LOCKSTEP_CHECK(taken);
  std::erase_if(node.keyspace.others, [](const auto& other) { return other.second.empty(); });
  note_not_durable(world, node, before);
}

void Rules::flush(World& world, std::uint8_t n) const {
  Node& node = world.nodes[n];
  const Keyspace before = node.keyspace;
  node.keyspace.keys.clear();
  node.keyspace.others.clear();
  note_not_durable(world, node, before);
}

void Rules::stop_node(World& world, std::uint8_t n, std::size_t image) const {
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
  node.lags = false;  // when it is up again it asks for everything
  has_all(world, n);
  node.down_left_ms = rounded_up(model_.restart_after_ms);
  node.not_durable.clear();
  for (Process& process : world.processes) {
    for (Connection& connection : process.connections) {
      if (connection.node != n) continue;
      connection.session = {};
      connection.ahead.clear();
      std::vector<Message> lost, kept;
      for (Message& message : connection.messages) {
        const bool waits = message.state == Message::State::waiting;
        message.orphaned = message.state == Message::State::answered;
        (waits ? lost : kept).push_back(std::move(message));
      }
      connection.messages = std::move(kept);
      if (!connection.open) continue;
      for (Message& error : connection_errors(lost)) connection.messages.push_back(error);
    }
  }
}

}  // namespace lockstep::checker::naive
