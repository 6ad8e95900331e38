// Who waits at a node for a key; see the header.
#include "sim/world/queues.hpp"

#include <algorithm>
#include <array>

#include "sim/base/check.hpp"
#include "sim/world/infos.hpp"

namespace lockstep::sim {

namespace {

template <class Visit>
void for_each_wait(Process& process, std::uint8_t n, Visit visit) {
  for (auto& connection : process.connections)
    for (auto& message : connection.messages)
      if (connection.node == n && message.for_key) visit(message);
}

/// The connection of the process that has waited there for the longest but `turn` others.
const Connection* in_turn(const Process& process, std::uint8_t n, std::uint8_t turn) {
  const auto place = std::ranges::find_if(process.connections, [&](const Connection& connection) {
    return connection.node == n && Process::executable(connection) >= 0 &&
           Process::to_execute(connection).for_key && Process::to_execute(connection).turn == turn;
  });
  LOCKSTEP_CHECK(place != process.connections.end());
  return &*place;
}

}  // namespace

std::optional<Waiter> Queues::served(std::span<const Id> processes, std::uint8_t n, Id node) const {
  const Node& at = nodes_.info(node).value;
  if (at.came.empty()) return {};
  const Keyspace& keyspace = tables_.keyspace(at.keyspace).value;
  std::array<std::uint8_t, kMaxProcesses + 1> turns{};  // by process: of those that were looked at
  for (const std::uint8_t whose : at.queue) {
    const auto place = std::ranges::find_if(
        processes, [&](Id id) { return processes_.info(id).value.index == whose; });
    LOCKSTEP_CHECK(place != processes.end());
    const Process& process = processes_.info(*place).value;
    const Connection* const connection = in_turn(process, n, turns[whose]++);
    if (can_be_served(tables_.session(connection->session).value, at.came.front(), keyspace))
      return Waiter{static_cast<unsigned>(place - processes.begin()),
                    static_cast<std::uint8_t>(connection - process.connections.data())};
  }
  return {};
}

void Queues::forget_unserved(std::span<const Id> processes, std::uint8_t n, Id& node) const {
  while (!nodes_.info(node).value.came.empty() && !served(processes, n, node)) {
    Node less = nodes_.info(node).value;
    less.came.erase(less.came.begin());
    node = nodes_.intern(std::move(less));
  }
}

/// A connection that its client has closed: its node hears of it, unless the network keeps that.
bool Queues::is_over(const Process& process, const Connection& connection, const Id* nodes) const {
  const Message& message = Process::to_execute(connection);
  if (!message.for_key) return waits_.is_over(nodes, connection);
  const NodeInfo& node = nodes_.info(nodes[connection.node]);
  if (node.serves || message.has_waited() || !node.value.is_master()) return true;
  return !connection.open && !has(process.unreached, connection.node);
}

/// Of what comes behind a wait on a connection that is closed, its node hears nothing any more.
void Queues::leave(Process& process, Connection& connection, Node& node) const {
  Message& message = Process::to_execute(connection);
  auto entry = node.queue.begin();
  for (unsigned still = message.turn + 1U;; ++entry)
    if (*entry == process.index && --still == 0) break;
  node.queue.erase(entry);
  if (!connection.open && node.came.empty() && node.is_master() && !message.has_waited())
    connection.messages.erase(connection.messages.begin() + Process::executable(connection) + 1,
                              connection.messages.end());
  const std::uint8_t turn = message.turn;
  message.unblock();
  for_each_wait(process, connection.node, [turn](Message& other) {
    if (other.turn > turn) --other.turn;
  });
}

void Queues::join(Process& process, Connection& connection, Node& node,
                  std::int64_t wait_ms) const {
  Message& message = Process::to_execute(connection);
  for_each_wait(process, connection.node, [&](const Message&) { ++message.turn; });
  node.queue.push_back(process.index);
  message.block(setting_, wait_ms, node.frozen);
  message.for_key = true;
  setting_.note_wait_at_node(wait_ms);
  if (setting_.counts_doings(process.index)) Doings::count(process.doings.starts);
}

bool Queues::take_turn(Process& process, Connection& connection, Id& node,
                       const CommandRun& run) const {
  const bool waited = Process::to_execute(connection).for_key;
  const bool came = !run.came.empty() && !nodes_.info(node).value.queue.empty();
  if (!waited && !came && !run.wait_ms) return false;
  Node after = nodes_.info(node).value;
  if (waited) leave(process, connection, after);
  for (const Place& place : run.came)  // what is only watched comes for nobody
    if (came && std::ranges::count(after.came, place) == 0) after.came.push_back(place);
  if (run.wait_ms) join(process, connection, after, *run.wait_ms);
  node = nodes_.intern(std::move(after));
  return run.wait_ms.has_value();
}

}  // namespace lockstep::sim
