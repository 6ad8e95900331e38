// WAIT: who has what a client has written, and a request that stays at its node until enough have.
// Section 7 of docs/semantics.md.
#include "sim/redis/commands/wait.hpp"

#include <algorithm>

#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::checker::naive {

namespace {

template <typename Visit>
void for_each_replica_of(const World& world, std::uint8_t server, Visit visit) {
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n)
    if (world.nodes[n].follows == server) visit(n);
}

void is_written_to(Node& master) {
  for (const auto& [gone, left_ms] : master.lists) master.lists_behind.insert(gone);
}

}  // namespace

std::int64_t Rules::acknowledged(const World& world, const Connection& connection) const {
  std::int64_t count = 0;
  for_each_replica_of(world, connection.node, [&](std::uint8_t n) {
    if (world.nodes[n].is_attached_to(connection.node) && !connection.ahead.contains(n)) ++count;
  });
  for (const auto& [gone, left_ms] : world.nodes[connection.node].lists)
    if (!connection.ahead.contains(gone)) ++count;
  return count;
}

/// Whether the node would not answer it at once.
bool Rules::has_to_wait(const World& world, const Connection& connection,
                        const sim::Request& request) const {
  if (connection.node == sim::kResource) return false;
  const Node& node = world.nodes[connection.node];
  if (node.follows || node.is_reading() || connection.session.in_transaction) return false;
  const auto wait = sim::replica_wait(request);
  return wait && wait->replicas > acknowledged(world, connection);
}

/// It has arrived, and stays.
void Rules::block(Message& message) const {
  message.blocked = true;
  message.way_ms = 0;
  const std::int64_t timeout_ms = sim::replica_wait(message.request)->timeout_ms;
  if (timeout_ms > 0) message.blocked_left_ms = rounded_up(timeout_ms);
}

bool Rules::is_over(const World& world, const Connection& connection, const Message& wait) const {
  return wait.blocked_left_ms == 0 || world.nodes[connection.node].follows ||
         !has_to_wait(world, connection, wait.request);
}

/// How long a request still waits by its node's clock; nothing: for ever, or that stands still.
std::optional<std::int64_t> Rules::till_due_ms(const World& world, const Connection& connection,
                                               const Message& message) const {
  const bool stopped = connection.node != sim::kResource && world.nodes[connection.node].frozen;
  return stopped && message.blocked_left_ms != 0 ? std::nullopt : message.blocked_left_ms;
}

/// How long time can pass before the node has to answer; of what is late, or whose link is cut, it
/// has not.
std::optional<std::int64_t> Rules::till_over_ms(const World& world, const Process& process,
                                                const Connection& connection) const {
  for (const Message& message : connection.messages)
    if (message.in_queue > 0) return till_due_ms(world, connection, message);
  if (connection.late || process.unreached.contains(connection.node)) return std::nullopt;
  for (const Message& message : connection.messages) {
    if (message.state != Message::State::waiting) continue;
    if (message.held) return std::nullopt;
    if (message.blocked) return till_due_ms(world, connection, message);
  }
  return std::nullopt;
}

sim::Reply Rules::end_of_wait(const World& world, const Connection& connection) const {
  if (world.nodes[connection.node].follows)
    return sim::Reply::error(
        "UNBLOCKED force unblock from blocking operation, instance state changed (master -> "
        "replica?)");
  return sim::Reply::number(acknowledged(world, connection));
}

/// Whether its library sends something of its own first, which counts as what a client has sent: to
/// greet the node, or to select the database again.
bool Rules::greets(const Connection& connection) const {
  const bool counts =
      expected_.replica_waits && model_.server == sim::ServerVersion::redis_7_0 && connection.open;
  return counts && connection.node != sim::kResource &&
         (model_.program->greets() || connection.session.database != 0);
}

/// Right before the first request on a new connection.
void Rules::greet(World& world, Connection& connection) const {
  if (connection.greeted || !greets(connection)) return;
  note_ahead(world, connection, false, true);
  connection.greeted = true;
}

/// A request has been executed, and `changed` what its node stores: who does not get that? A WAIT
/// is about it if the server has `called` its command: neither refused nor queued it, nor kept it.
void Rules::note_ahead(World& world, Connection& connection, bool changed, bool called) const {
  if (!expected_.replica_waits || world.nodes[connection.node].follows) return;
  const bool counts = called && (changed || model_.server == sim::ServerVersion::redis_7_0);
  for_each_replica_of(world, connection.node, [&](std::uint8_t n) {
    Node& replica = world.nodes[n];
    replica.misses = replica.misses || (replica.lags && changed);
    if (replica.misses && counts) connection.ahead.insert(n);
  });
  Node& master = world.nodes[connection.node];
  if (changed) is_written_to(master);
  if (counts) connection.ahead.insert(master.lists_behind.begin(), master.lists_behind.end());
}

/// What has been written in an action does not arrive at those that lag.
void Rules::note_missing(const std::vector<Node>& before, World& world) const {
  for (std::uint8_t server = 0; server < before.size(); ++server) {
    if (same_keys(before[server].keyspace, world.nodes[server].keyspace)) continue;
    is_written_to(world.nodes[server]);
    for_each_replica_of(world, server, [&](std::uint8_t n) {
      world.nodes[n].misses = world.nodes[n].misses || world.nodes[n].lags;
    });
  }
}

/// The replica misses nothing any more. A master that it has left, and that has not noticed, knows
/// of what it acknowledged before.
void Rules::has_all(World& world, std::uint8_t n) const {
  world.nodes[n].misses = false;
  for (Process& process : world.processes)
    for (Connection& connection : process.connections) {
      const bool gone =
          connection.node != sim::kResource && world.nodes[connection.node].lists.contains(n);
      if (!gone) connection.ahead.erase(n);
    }
}

/// The server notices who has left it.
void Rules::forget_gone(World& world, std::uint8_t n) const {
  Node& node = world.nodes[n];
  node.counts_gone.clear();
  for (const auto& [gone, left_ms] : std::map(node.lists)) forget_listed(world, n, gone);
}

void Rules::forget_listed(World& world, std::uint8_t n, std::uint8_t gone) const {
  for (Process& process : world.processes)
    for (Connection& connection : process.connections)
      if (connection.node == n) connection.ahead.erase(gone);
  world.nodes[n].lists.erase(gone);
  world.nodes[n].lists_behind.erase(gone);
}

/// Who has left a server that it still takes for a replica of its own, and is not a machine out of
/// power, which says nothing.
std::set<std::uint8_t> Rules::gone_and_heard(const World& world, std::uint8_t n) {
  std::set<std::uint8_t> heard;
  for (const auto* unnoticed : {&world.nodes[n].counts_gone, &world.nodes[n].lists})
    for (const auto& [gone, left_ms] : *unnoticed)
      if (!world.nodes[gone].dark) heard.insert(gone);
  return heard;
}

/// It notices by itself who has left it long ago.
void Rules::forget_long_gone(World& world, std::int64_t ms) const {
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    for (auto* unnoticed : {&world.nodes[n].counts_gone, &world.nodes[n].lists})
      for (auto& [gone, left_ms] : *unnoticed) left_ms -= ms;
    std::erase_if(world.nodes[n].counts_gone, [](const auto& gone) { return gone.second <= 0; });
    for (const auto& [gone, left_ms] : std::map(world.nodes[n].lists))
      if (left_ms <= 0) forget_listed(world, n, gone);
  }
}

}  // namespace lockstep::checker::naive
