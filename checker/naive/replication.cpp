// Servers that follow one another, and who is known as their master: section 7 of
// docs/semantics.md.
#include <algorithm>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/client/servers.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Fault;
using sim::Keyspace;

namespace {

bool in_budget(const World& world, Fault fault) {
  return world.budget[static_cast<std::size_t>(fault)] > 0;
}

/// How many servers lie between this one and a master, with that.
int depth(const World& world, std::uint8_t n) {
  int followed = 0;
  for (auto master = world.nodes[n].follows; master; master = world.nodes[*master].follows)
    ++followed;
  return followed;
}

/// Those that follow, each after the one that it follows.
std::vector<std::uint8_t> replicas_in_order(const World& world) {
  std::vector<std::uint8_t> replicas;
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n)
    if (world.nodes[n].follows) replicas.push_back(n);
  std::ranges::stable_sort(replicas, {}, [&](std::uint8_t n) { return depth(world, n); });
  return replicas;
}

}  // namespace

/// Which server a request for this node goes to.
std::uint8_t Rules::server_meant(const Process& process, std::uint8_t node) const {
  return node < servers_.nodes ? process.knows.at(node) : node;
}

/// Whether the next message is a request on its way to the node that does not come through.
bool Rules::kept_by_a_cut(const Process& process, const Connection& connection) {
  if (connection.messages.empty()) return false;
  const Message& next = connection.messages.front();
  return next.state == Message::State::waiting && !next.blocked && next.in_queue == 0 &&
         process.unreached.contains(connection.node);
}

/// Whether its client has given up what does not come through to the node.
bool Rules::given_up_behind_a_cut(const Process& process, const Connection& connection) {
  return !connection.open && kept_by_a_cut(process, connection);
}

/// Whether what comes next on the connection does not come through, and somebody waits for it: a
/// request, or what the node has sent.
bool Rules::somebody_waits_behind_a_cut(const Process& process, const Connection& connection) {
  if (!connection.open || connection.messages.empty()) return false;
  const Message& next = connection.messages.front();
  if (next.unheard || next.held) return false;
  if (next.state != Message::State::waiting) return process.unheard.contains(connection.node);
  return kept_by_a_cut(process, connection) && !connection.waits_in_the_dark();
}

/// Whether a connection may break at no cost: its node has died since, nobody waits for what is on
/// it and does not come through, or its client is one of a master of before.
bool Rules::may_break_freely(const World& world, const Process& process,
                             const Connection& connection) const {
  if (connection.doubtful() || given_up_behind_a_cut(process, connection)) return true;
  return servers_.replicas > 0 && connection.sent_for < servers_.nodes &&
         world.newest[connection.sent_for] != connection.node;
}

/// Whether it follows the newest master of its group, or is that.
bool Rules::is_in_line(const World& world, std::uint8_t n) const {
  const std::uint8_t newest = world.newest[servers_.group_of(n)];
  return servers_.replicas == 0 || n == newest || world.nodes[n].follows == newest;
}

void Rules::enabled_of_roles(const World& world, std::uint8_t n,
                             std::vector<Action>& actions) const {
  const Node& node = world.nodes[n];
  const auto add = [&](Action::Kind kind) {
    actions.emplace_back();
    actions.back().kind = kind;
    actions.back().node = n;
  };
  const bool waits = node.lags || node.syncing;
  if (node.follows && !waits && in_budget(world, Fault::lag)) add(Action::Kind::lag);
  if (waits) {
    const Node& master = world.nodes[*node.follows];
    const bool refused = node.syncing && master.syncing;
    const bool sends = master.up && !master.is_reading() && !refused;
    if (sends) add(Action::Kind::catch_up);
    if (sends && node.syncing && !node.receives) add(Action::Kind::receive);
  }
  if (node.receives) return;
  if (node.follows && in_budget(world, Fault::failover)) add(Action::Kind::failover);
  if (!is_in_line(world, n)) add(Action::Kind::follow);
  const bool may_be_forgotten = model_.min_replicas > 0 && node.lags && !node.silent;
  if (!gone_and_heard(world, n).empty() || may_be_forgotten) add(Action::Kind::miss);
}

void Rules::enabled_to_learn(const World& world, std::uint8_t p,
                             std::vector<Action>& actions) const {
  if (servers_.replicas == 0) return;
  const Process& process = world.processes[p];
  const bool goes_on = std::ranges::any_of(
      process.waits, [](const sim::Wait& wait) { return wait.kind != sim::Wait::Kind::done; });
  const bool starts_again = std::ranges::any_of(
      process.rounds_begun, [&](int begun) { return has_rounds_left(p, begun); });
  if (process.life == Life::paused || !(process.life == Life::dead ? starts_again : goes_on))
    return;
  for (std::size_t group = 0; group < process.knows.size(); ++group) {
    if (process.knows[group] == world.newest[group]) continue;
    actions.emplace_back();
    actions.back().kind = Action::Kind::learn;
    actions.back().process = p;
    actions.back().node = world.newest[group];
  }
}

/// Roles, and who knows of them.
void Rules::change_roles(World& world, const Action& action) const {
  Node& node = world.nodes[action.node];
  switch (action.kind) {
    case Action::Kind::lag:
      node.lags = true;
      break;
    case Action::Kind::catch_up:
      if (node.syncing) synchronize(world, action.node);
      node.receive_again();
      has_all(world, action.node);
      break;
    case Action::Kind::receive:
      node.receives = true;
      break;
    case Action::Kind::failover:
      fail_over(world, action.node);
      break;
    case Action::Kind::follow:
      follow(world, action.node);
      break;
    case Action::Kind::miss:
      node.silent = node.lags;
      for (const std::uint8_t gone : gone_and_heard(world, action.node)) {
        node.counts_gone.erase(gone);
        forget_listed(world, action.node, gone);
      }
      break;
    case Action::Kind::learn:
      world.processes[action.process].knows[servers_.group_of(action.node)] = action.node;
      for (Connection& connection : world.processes[action.process].connections) {
        if (connection.sent_for != servers_.group_of(action.node)) continue;
        connection.made_before = connection.stale = false;
        const bool idle =
            connection.messages.empty() && connection.open && connection.ahead.empty();
        if (!idle || connection.line != Line::made || connection.session.begun()) continue;
        connection.node = action.node;
        connection.greeted = false;
      }
      break;
    default:
      sim::fail("an action of the environment", __FILE__, __LINE__);
  }
}

/// Its master does not notice at once that it gets nothing of this replica any more.
void Rules::leave_master(World& world, std::uint8_t n) const {
  const auto followed = world.nodes[n].follows;
  if (!followed || !world.nodes[n].is_heard_by(*followed)) return;
  Node& master = world.nodes[*followed];
  if (!master.up || master.follows) return;
  if (model_.min_replicas > 0) master.counts_gone[n] = rounded_up(model_.counts_gone_ms);
  if (!expected_.replica_waits) return;
  master.lists[n] = rounded_up(model_.lists_gone_ms);
  if (world.nodes[n].misses) master.lists_behind.insert(n);
}

/// Whether a master counts too few replicas to write.
bool Rules::few_replicas(const World& world, std::uint8_t n) const {
  if (world.nodes[n].follows) return false;
  std::set<std::uint8_t> counted;
  for (const auto& [gone, left_ms] : world.nodes[n].counts_gone) counted.insert(gone);
  for (std::uint8_t other = 0; other < world.nodes.size(); ++other)
    if (world.nodes[other].is_heard_by(n)) counted.insert(other);
  return std::ssize(counted) < model_.min_replicas;
}

void Rules::fail_over(World& world, std::uint8_t n) const {
  leave_master(world, n);
  Node& node = world.nodes[n];
  node.follows.reset();
  node.receive_again();
  node.syncing = false;
  has_all(world, n);
  world.newest[servers_.group_of(n)] = n;
}

void Rules::follow(World& world, std::uint8_t n) const {
  leave_master(world, n);
  Node& node = world.nodes[n];
  forget_gone(world, n);
  node.follows = world.newest[servers_.group_of(n)];
  node.full = false;
  node.receive_again();
  node.syncing = true;
  has_all(world, n);
}

/// It has asked for everything, and gets it.
void Rules::synchronize(World& world, std::uint8_t n) const {
  Node& node = world.nodes[n];
  node.syncing = false;
  node.not_durable.clear();
  Node& master = world.nodes[*node.follows];
  master.lists.erase(n);
  master.lists_behind.erase(n);
  // A full synchronization writes to the disk what it receives.
  if (model_.persistence == sim::Persistence::rdb) node.saved = keys_only(master.keyspace);
  for (Process& process : world.processes) {
    for (Connection& connection : process.connections) {
      if (connection.node != n) continue;
      const auto watched = connection.session.watched;
      for (const auto& [place, was_there] : watched) touch(connection.session, place);
    }
  }
}

/// What arrives at the replicas arrives at once. An expiry is an absolute time there as well, by a
/// clock of their own, but where one may stand still. `by_time`: nothing has been written.
void Rules::mirror(World& world, bool by_time) const {
  for (const std::uint8_t n : replicas_in_order(world)) {
    Node& node = world.nodes[n];
    const Node& master = world.nodes[*node.follows];
    if (!node.up || node.lags || node.syncing || !master.up) continue;
    if (of_all(Fault::freeze) > 0) {
      node.offset = master.offset;
      node.frozen = master.frozen;
    }
    const Keyspace before = node.keyspace;
    node.keyspace.keys = master.keyspace.keys;
    node.keyspace.others = master.keyspace.others;
    node.keyspace.libraries = master.keyspace.libraries;
    node.keyspace.lease_databases = master.keyspace.lease_databases;
    drop_expired(world, node, node.keyspace);
    if (!by_time) note_not_durable(world, node, before);
  }
}

}  // namespace lockstep::checker::naive
