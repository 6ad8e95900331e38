// A process and its connections: what it sends, what it hears, what becomes of a connection.
#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/client/observation.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/reply.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/process_step.hpp"

namespace lockstep::sim {

/// The client's library hears where a cluster's slots are, and sends the request on by itself. True
/// if it does: the program hears nothing.
bool ProcessStep::led_on(Connection& connection) {
  Message& message = connection.messages.front();
  if (message.stage != Stage::answered || !tables_.reply(message.reply).is_error()) return false;
  const auto where = redirection_in(tables_.reply(message.reply).text);
  if (!where) return false;
  if (!where->ask) process_.masters[0] = {where->node, where->node};
  const bool exec = is_name(tables_.request(message.request).at(0), "exec");
  if (connection.session != Tables::kFresh || exec) return false;
  connection.node = where->node;
  Message on;
  on.task = message.task;
  on.request = message.request;
  on.asking = where->ask;
  on.releases = process_.operation(message.task).gives_back();
  on.way_ms = setting_.latency_ms;
  process_.drop_empty_operations();
  if (setting_.counts_doings(process_.index)) Doings::count(process_.doings.sent);
  message = on;
  return true;
}

/// What the library deals with otherwise, or as it likes, is refused.
void ProcessStep::refuse_beside_migration(const Request& request) const {
  try {
    refuse_with_migration(request);
  } catch (const BadInput& error) {
    throw BadInput(setting_.model.program->file_of(request).string() + ": " + error.what());
  }
}

void ProcessStep::deliver(Connection& connection) {
  if (setting_.servers.spare > 0 && connection.node != kResource && led_on(connection)) return;
  const Message message = connection.messages.front();
  connection.messages.erase(connection.messages.begin());
  Observation observation;
  observation.task = message.task;
  observation.node = connection.sent_for;
  if (message.stage == Stage::broken) {
    observation.kind = Observation::Kind::broken;
    if (!connection.shared()) {
      connection.open = false;
      std::erase_if(connection.messages,
                    [](const Message& m) { return m.stage != Stage::waiting; });
    }
  } else {
    observation.kind = Observation::Kind::reply;
    observation.reply = tables_.reply(message.reply);
    if (connection.node != kResource && setting_.latency_ms == 0 && !connection.subscribes) {
      std::vector<Answered>& answered = process_.operation(message.task).answered;
      const Answered one{tables_.normalised(message, connection, process_.index), message.asked_in};
      const auto place = std::lower_bound(answered.begin(), answered.end(), one);
      if (place == answered.end() || *place != one) answered.insert(place, one);
    }
  }
  process_.drop_empty_connections();
  feed(std::move(observation));
}

/// What its node remembers of it once it is made anew.
void ProcessStep::reconnect(Connection& connection) {
  connection.session = tables_.reconnected(connection.session);
}

/// When it is let go, it has been on its way for long enough.
void ProcessStep::hold(Message& message) {
  message.held = true;
  message.way_ms = 0;
}

/// What waits at its node for a key does so until the node hears that the connection is closed.
void ProcessStep::lose(Connection& connection) {
  if (!connection.open) {
    std::erase_if(connection.messages, [](const Message& m) { return m.stage == Stage::waiting; });
    return process_.drop_empty_connections();
  }
  Connection closed = connection;
  closed.open = false;
  std::erase_if(closed.messages, [](const Message& message) { return !message.for_key; });
  reconnect(connection);
  connection.break_up(setting_);
  if (!closed.messages.empty()) process_.connections.push_back(std::move(closed));
  process_.drop_empty_connections();
}

/// What waited on it is left to the network, where nobody listens to its connection.
void ProcessStep::lose_late(Connection& connection) {
  Connection under_way = connection;
  under_way.leave_to_network();
  reconnect(connection);
  connection.break_up(setting_);
  process_.connections.push_back(std::move(under_way));
  process_.drop_empty_connections();
}

/// What was given up behind the link is sent again when its kernel likes.
void ProcessStep::heal(std::uint8_t node) {
  for (Connection& connection : process_.connections) {
    if (connection.node != node || !has(process_.unreached, node)) continue;
    if (!connection.open && connection.is_under_way()) connection.leave_to_network();
  }
  process_.unreached = without(process_.unreached, node);
  process_.unheard = without(process_.unheard, node);
}

/// Where a new connection for a node goes: to the master that the process knows.
std::uint8_t ProcessStep::server_for(std::uint8_t node) const {
  return node < process_.masters.size() ? process_.masters[node].known : node;
}

/// Each of its tasks may have a connection to the old one, which its pool drops when it likes: that
/// one does so within a call, and another one not as yet, is not tried.
void ProcessStep::learn(std::uint8_t group) {
  process_.masters[group].known = process_.masters[group].newest;
  for (auto& connection : process_.connections) {
    if (connection.sent_for != group) continue;
    connection.made_before = connection.stale = false;
    const bool idle = connection.messages.empty() && connection.open && connection.ahead_of == 0;
    if (!idle || connection.link != Link::made || tables_.session(connection.session).value.begun())
      continue;
    connection.node = process_.masters[group].known;
    connection.greeted = false;
  }
  process_.drop_empty_connections();
  if (process_.life != Life::up || process_.rounds.size() < 2) return;
  const auto& tasks = automaton_.state(process_.program).tasks;
  if (std::ranges::any_of(tasks, &Wait::in_operation))
    setting_.leave_untried(
        "a process with several tasks hears of a new master within a call, and each of its "
        "connections may leave the old one at another time");
}

void ProcessStep::send(const Effect& effect) {
  if (setting_.servers.spare > 0 && effect.node != kResource)
    refuse_beside_migration(effect.request);
  reads_.nodes = reads_.nodes || setting_.nodes_fail;
  Message message;
  message.task = effect.task;
  message.request = tables_.intern(effect.request);
  message.way_ms = setting_.latency_ms;
  if (setting_.counts_doings(process_.index)) Doings::count(process_.doings.sent);
  message.releases = effect.node != kResource && process_.operation(effect.task).gives_back();
  if (effect.node == kResource && effect.request[0] == "WRITE") {
    message.basis = process_.operation(effect.task).basis;
    process_.operation(effect.task).basis = Basis::none;
  }
  const TaskId task = setting_.shares_connections && effect.node != kResource && !effect.subscribes
                          ? kEveryTask
                          : effect.task;
  const auto place = std::ranges::find_if(process_.connections, [&](const Connection& c) {
    return c.takes_requests() && c.task == task && c.sent_for == effect.node &&
           c.subscribes == effect.subscribes;
  });
  const bool new_one = place == process_.connections.end();
  const std::uint8_t server = new_one ? server_for(effect.node) : place->node;
  if (server != kResource && is_name(effect.request.at(0), "wait"))
    setting_.needs.replica_waits = true;
  const bool dark = server != kResource && has(around_.dark, server);
  if (server != kResource && !dark && !has(around_.up, server)) message.stage = Stage::broken;
  if (!new_one && place->link == Link::reset) message.stage = Stage::broken;
  message.doubtful = dark || (!new_one && place->stale);
  if (!new_one) return place->messages.push_back(message);
  Connection connection{task, server, true, false, {message}};
  connection.sent_for = effect.node;
  connection.subscribes = effect.subscribes;
  connection.link = dark ? Link::unmade : Link::made;
  for (auto& broken : process_.connections)
    if (broken.open && broken.task == task && broken.sent_for == effect.node &&
        broken.subscribes == effect.subscribes)
      connection.session = tables_.reconnected(std::exchange(broken.session, Tables::kFresh));
  process_.connections.push_back(std::move(connection));
}

}  // namespace lockstep::sim
