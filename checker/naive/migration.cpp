// Slots that migrate from one node of a cluster to another, and the client's library, which follows
// redirections: section 8 of docs/semantics.md.
#include <utility>

#include "checker/naive/clocks.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::checker::naive {

using sim::Action;
using sim::Slots;

bool Rules::migrates(const World& world) {
  for (const Node& node : world.nodes)
    if (node.slots == Slots::migrating) return true;
  return false;
}

void Rules::enabled_to_migrate(const World& world, std::uint8_t n,
                               std::vector<Action>& actions) const {
  if (servers_.spare == 0) return;
  const Node& node = world.nodes[n];
  const auto add = [&](Action::Kind kind, std::size_t key = 0) {
    Action action;
    action.kind = kind;
    action.node = n;
    action.key = static_cast<std::uint8_t>(key);
    actions.push_back(action);
  };
  if (node.slots == Slots::own && world.budget[static_cast<std::size_t>(sim::Fault::migrate)] > 0)
    add(Action::Kind::migrate);
  if (node.slots != Slots::migrating) return;
  if (node.keyspace.keys.empty()) return add(Action::Kind::hand_over);
  std::size_t key = 0;
  for (const auto& [name, entry] : node.keyspace.keys) {
    if (!entry.expires || lifetime_left(world, node, entry).ms > 0)
      add(Action::Kind::move_key, key);
    ++key;
  }
}

void Rules::migrate(World& world, const Action& action) const {
  Node& node = world.nodes[action.node];
  Node& other = world.nodes[sim::other_of_two(action.node)];
  switch (action.kind) {
    case Action::Kind::migrate:
      node.slots = Slots::migrating;
      other.slots = Slots::importing;
      break;
    case Action::Kind::move_key:
      return move_key(world, action.node, action.key);
    case Action::Kind::hand_over:
      node.slots = Slots::elsewhere;
      other.slots = Slots::own;
      world.newest[0] = sim::other_of_two(action.node);
      break;
    default:
      sim::fail("an action of a migration", __FILE__, __LINE__);
  }
}

/// What is left of its lifetime goes with it, by a clock that may show another time.
void Rules::move_key(World& world, std::uint8_t n, std::size_t key) const {
  Node& source = world.nodes[n];
  Node& target = world.nodes[sim::other_of_two(n)];
  auto moved = source.keyspace.keys.begin();
  std::advance(moved, static_cast<std::ptrdiff_t>(key));
  sim::Entry entry = moved->second;
  entry.change_times([&](const sim::Expiry& end) {
    return sim::Expiry(clock_of(world, target) + sim::Duration{left_until(world, source, end).ms});
  });
  target.keyspace.keys.insert_or_assign(moved->first, std::move(entry));
  source.keyspace.keys.erase(moved);
}

/// What its library would deal with otherwise is not sent.
void Rules::refuse_to_send(const sim::Request& request) const {
  if (servers_.spare == 0) return;
  try {
    sim::refuse_with_migration(request);
  } catch (const sim::BadInput& error) {
    throw sim::BadInput(model_.program->file_of(request).string() + ": " + error.what());
  }
}

/// The client's library hears where the slots are, and sends the request on by itself: true if so.
bool Rules::led_on(World& world, const Action& action) const {
  Process& process = world.processes[action.process];
  Connection& connection = process.connections[action.connection];
  Message& message = connection.messages.front();
  const bool of_cluster = servers_.spare > 0 && connection.node != sim::kResource;
  if (!of_cluster || message.state != Message::State::answered || !message.reply->is_error())
    return false;
  const auto where = sim::redirection_in(message.reply->text);
  if (!where) return false;
  if (!where->ask) process.knows[0] = where->node;
  if (!connection.session.fresh() || sim::is_name(message.request.at(0), "exec")) return false;
  connection.node = where->node;
  Message on;
  on.sender = message.sender;
  on.request = message.request;
  on.asking = where->ask;
  on.in_release = process.tasks.at(message.sender).gives_back();
  on.way_ms = rounded_up(model_.latency_ms);
  message = std::move(on);
  return true;
}

}  // namespace lockstep::checker::naive
