// See the header.
#include "sim/world/replica_waits.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/redis/commands/wait.hpp"
#include "sim/world/infos.hpp"

namespace lockstep::sim {

bool ReplicaWaits::greets_on(const Connection& connection) const {
  return setting_.model.server == ServerVersion::redis_7_0 && connection.open &&
         (setting_.greets || tables_.session(connection.session).value.database != 0);
}

NodeSet ReplicaWaits::ahead_of(const Id* nodes, const Connection& connection) const {
  const bool master = nodes_.info(nodes[connection.node]).value.is_master();
  if (connection.greeted || !master || !greets_on(connection)) return connection.ahead_of;
  return connection.ahead_of | behind(nodes, connection.node).missing;
}

void ReplicaWaits::greet(const Id* nodes, Connection& connection) const {
  connection.ahead_of = ahead_of(nodes, connection);
  connection.greeted = greets_on(connection);
}

void ReplicaWaits::note_executed(const Id* nodes, Connection& connection, bool called,
                                 bool wrote) const {
  connection.greeted = greets_on(connection);  // the database may be another one
  if (!called || !nodes_.info(nodes[connection.node]).value.is_master()) return;
  const Behind replicas = behind(nodes, connection.node);
  if (setting_.model.server == ServerVersion::redis_7_0) connection.ahead_of |= replicas.missing;
  if (wrote) connection.ahead_of |= replicas.lagging;
}

unsigned ReplicaWaits::acknowledged(const Id* nodes, const Connection& connection) const {
  const NodeSet ahead = ahead_of(nodes, connection);
  unsigned count = 0;
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const Node& replica = nodes_.info(nodes[n]).value;
    if (replica.is_online_at(connection.node) && !has(ahead, n)) ++count;
  }
  const NodeSet gone = nodes_.info(nodes[connection.node]).value.lists.servers;
  return count + static_cast<unsigned>(std::popcount(static_cast<NodeSet>(gone & ~ahead)));
}

ReplicaWaits::Behind ReplicaWaits::behind(const Id* nodes, std::uint8_t server) const {
  const Node& master = nodes_.info(nodes[server]).value;
  Behind found{master.lists.servers, master.lists_behind};
  for (unsigned n = 0; n < setting_.nodes; ++n) {
    const Node& replica = nodes_.info(nodes[n]).value;
    if (replica.follows != server || !replica.lags) continue;
    found.lagging |= only<NodeSet>(n);
    if (replica.misses) found.missing |= only<NodeSet>(n);
  }
  return found;
}

bool ReplicaWaits::is_over(const Id* nodes, const Connection& connection) const {
  const Message& message = Process::to_execute(connection);
  if (message.has_waited()) return true;
  if (!nodes_.info(nodes[connection.node]).value.is_master()) return true;
  const auto wait = replica_wait(tables_.request(message.request));
  return acknowledged(nodes, connection) >= wait->replicas;
}

bool ReplicaWaits::block(const Id* nodes, Process& process, Connection& connection) const {
  if (setting_.knowledge.replica_waits) greet(nodes, connection);
  Message& message = Process::to_execute(connection);
  if (message.blocked) return false;
  const auto wait = replica_wait(tables_.request(message.request));
  if (!wait) return false;
  const Node& node = nodes_.info(nodes[connection.node]).value;
  if (!node.is_master() || node.is_loading()) return false;
  const bool queued = tables_.session(connection.session).value.in_transaction;
  const auto fewest = queued ? 0 : wait->replicas;  // that it may be answered by
  const std::int64_t most = acknowledged(nodes, connection);
  if (most > fewest + setting_.budget(Fault::lag) && setting_.left_open.empty())
    setting_.left_open = fmt::format(
        "how many have acknowledged at once, to a WAIT for {}{} (--fault lag={} tries it)",
        wait->replicas, queued ? " in a transaction" : "", most - fewest);
  if (queued || most >= wait->replicas) return false;
  message.block(setting_, wait->timeout_ms, node.frozen);
  setting_.note_wait_at_node(wait->timeout_ms);
  if (setting_.counts_doings(process.index)) Doings::count(process.doings.starts);
  return true;
}

Id ReplicaWaits::executed_as(const Message& message) {
  if (!message.blocked) return message.request;
  return tables_.intern(Request{"WAIT", "0", "0"});
}

}  // namespace lockstep::sim
