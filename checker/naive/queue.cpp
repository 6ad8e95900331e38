// Requests that wait at a node for a key: their queue, and what a key that comes does. And who
// listens there. Sections 9 and 10 of docs/semantics.md.
#include <algorithm>
#include <utility>

#include "checker/naive/rules.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::checker::naive {

using sim::Action;

namespace {

/// A request in the queue of a node.
struct Waiter {
  std::uint8_t process = 0, connection = 0;
  std::size_t message = 0, place = 0;  ///< on its connection; in the queue
};

std::vector<Waiter> queue_of(const World& world, std::uint8_t n) {
  std::vector<Waiter> queue;
  for (std::size_t p = 0; p < world.processes.size(); ++p) {
    const auto& connections = world.processes[p].connections;
    for (std::size_t c = 0; c < connections.size(); ++c) {
      const auto& messages = connections[c].messages;
      for (std::size_t m = 0; connections[c].node == n && m < messages.size(); ++m)
        if (messages[m].in_queue > 0)
          queue.push_back({static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(c), m,
                           messages[m].in_queue});
    }
  }
  std::ranges::sort(queue, {}, &Waiter::place);
  return queue;
}

/// Who gets the first key that has come to a node; nothing if nobody waits for what it is.
std::optional<Action> first_served(const World& world, std::uint8_t n) {
  const Node& node = world.nodes[n];
  if (node.came.empty()) return {};
  for (const Waiter& waiter : queue_of(world, n)) {
    const Connection& connection = world.processes[waiter.process].connections[waiter.connection];
    if (!sim::can_be_served(connection.session, node.came.front(), node.keyspace)) continue;
    Action action;
    action.kind = Action::Kind::execute;
    action.process = waiter.process;
    action.connection = waiter.connection;
    return action;
  }
  return {};
}

}  // namespace

bool Rules::somebody_queues(const World& world, std::uint8_t n) const {
  return !queue_of(world, n).empty();
}

std::optional<Action> Rules::next_served(const World& world) const {
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    if (!world.nodes[n].came.empty()) return first_served(world, n);
  }
  return {};
}

/// What is published is on its way to all who listen.
void Rules::spread_messages(World& world, std::uint8_t n,
                            const std::vector<sim::Publication>& published) const {
  for (Process& process : world.processes) {
    for (Connection& connection : process.connections) {
      if (connection.node != n || !connection.open || !connection.listens) continue;
      for (const sim::Publication& publication : published) {
        for (const sim::Reply& text :
             sim::messages_to(connection.session.listens_to(), publication)) {
          Message message;
          message.sender = connection.task;
          message.request = {"PUBLISH", publication.channel};
          message.state = Message::State::answered;
          message.reply = text;
          message.way_ms = rounded_up(model_.latency_ms);
          connection.messages.push_back(std::move(message));
        }
      }
    }
  }
}

/// It has arrived, and stays behind all others.
void Rules::join_queue(World& world, Connection& connection, Message& message,
                       std::optional<std::int64_t> wait_ms) const {
  message.blocked = true;
  message.way_ms = 0;
  message.in_queue = queue_of(world, connection.node).size() + 1;
  if (wait_ms) message.blocked_left_ms = rounded_up(*wait_ms);
}

/// After an action: numbers those who wait anew, and forgets keys that have come for nobody.
void Rules::order_queues(World& world) const {
  for (std::uint8_t n = 0; n < world.nodes.size(); ++n) {
    std::size_t place = 0;
    for (const Waiter& waiter : queue_of(world, n))
      world.processes[waiter.process]
          .connections[waiter.connection]
          .messages[waiter.message]
          .in_queue = ++place;
    auto& came = world.nodes[n].came;
    while (!came.empty() && !first_served(world, n)) came.erase(came.begin());
  }
}

/// Whether it gets what has come.
bool Rules::has_come(const World& world, const Connection& connection) const {
  const Node& node = world.nodes[connection.node];
  return !node.came.empty() &&
         sim::can_be_served(connection.session, node.came.front(), node.keyspace);
}

/// Its time is over, or the node is no master any more. (That its client is gone the node hears of
/// as of anything else: enabled.cpp.)
bool Rules::ends_in_vain(const World& world, const Connection& connection,
                         const Message& message) const {
  return message.blocked_left_ms == 0 || world.nodes[connection.node].follows.has_value();
}

/// Whether it ends because its client has closed the connection.
bool Rules::closes(const World& world, const Connection& connection, const Message& message) const {
  return message.in_queue > 0 && !connection.open && world.nodes[connection.node].came.empty() &&
         !ends_in_vain(world, connection, message);
}

/// What it is told then. Of what comes behind it on a connection that is closed, its node hears
/// nothing.
sim::Reply Rules::leave_queue(const World& world, Connection& connection,
                              const Message& asked) const {
  const bool follows = world.nodes[connection.node].follows.has_value();
  if (closes(world, connection, asked)) {
    const auto place = std::find_if(
        connection.messages.begin(), connection.messages.end(),
        [](const Message& message) { return message.state == Message::State::waiting; });
    connection.messages.erase(place, connection.messages.end());
  }
  const sim::Reply in_vain = sim::end_wait(connection.session);
  return follows ? end_of_wait(world, connection) : in_vain;
}

}  // namespace lockstep::checker::naive
