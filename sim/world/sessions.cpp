// Watches, and requests in sessions; see the header.
#include "sim/world/sessions.hpp"

#include "sim/world/infos.hpp"

namespace lockstep::sim {

void add_watched(const Tables& tables, const Process& process, std::uint8_t node,
                 const Connection* but, Places& places) {
  for (const auto& connection : process.connections) {
    if (connection.node != node || &connection == but) continue;
    const Session& session = tables.session(connection.session).value;
    for (const auto& [place, was_there] : session.watched) places.push_back(place);
    if (session.wait)
      places.insert(places.end(), session.wait->places.begin(), session.wait->places.end());
  }
}

void add_listening(const Tables& tables, const Process& process, std::uint8_t node,
                   Listening& listening) {
  for (const auto& connection : process.connections)
    if (connection.node == node && connection.open && connection.subscribes)
      listening.push_back(tables.session(connection.session).value.listens_to());
}

void take_published(Tables& tables, Process& process, std::uint8_t node,
                    const Publications& publications, std::int64_t way_ms) {
  for (auto& connection : process.connections) {
    if (connection.node != node || !connection.open || !connection.subscribes) continue;
    const Subscriptions listens = tables.session(connection.session).value.listens_to();
    for (const Publication& publication : publications) {
      for (const Reply& text : messages_to(listens, publication)) {
        Message message;
        message.task = connection.task;
        message.request = tables.intern(Request{"PUBLISH", publication.channel});
        message.stage = Stage::answered;
        message.reply = tables.intern(text);
        message.way_ms = way_ms;
        connection.messages.push_back(message);
      }
    }
  }
}

void touch_watched(Tables& tables, Process& process, std::uint8_t node, const Connection* but,
                   const Places& touched) {
  for (auto& connection : process.connections) {
    if (connection.node != node || &connection == but) continue;
    Session session = tables.session(connection.session).value;
    bool broken = false;
    for (const auto& place : touched) broken = touch(session, place) || broken;
    if (broken) connection.session = tables.intern(session);
  }
}

Asked asked_on(const Nodes& nodes, ReplicaWaits& waits, const Id* states, const Process& process,
               const Connection& connection, Others others, std::int64_t clock) {
  const Node& node = nodes.info(states[connection.node]).value;
  const Message& message =
      connection.messages[static_cast<std::size_t>(Process::executable(connection))];
  return {node.keyspace,
          waits.executed_as(message),
          connection.session,
          others.watched,
          others.listening,
          Tables::kNowhere,
          connection.subscribes,
          connection.former ? Maker{0} : maker_of(process.index),
          message.releases,
          node.rate,
          !node.is_master(),
          node.full,
          node.few,
          node.slots,
          node.slots == Slots::own ? std::uint8_t{0} : other_of_two(connection.node),
          waits.acknowledged(states, connection),
          clock,
          node.micros};
}

namespace {

/// A wait for a key is over, or nobody is there any more who waits.
CommandRun ended_in_vain(Tables& tables, Connection& connection, const Asked& asked) {
  Session session = tables.session(asked.session).value;
  CommandRun command;
  command.keyspace = asked.keyspace;
  command.reply = tables.intern(end_wait(session));
  command.session = connection.session = tables.intern(session);
  return command;
}

}  // namespace

CommandRun execute_in_session(Tables& tables, Nodes& nodes, Process& process,
                              Connection& connection, Asked asked, const Place* came,
                              std::int64_t way_ms) {
  const Message& message =
      connection.messages[static_cast<std::size_t>(Process::executable(connection))];
  if (message.for_key) {
    if (came == nullptr) return ended_in_vain(tables, connection, asked);
    asked.served = tables.intern(Places{*came});
  }
  Places watched = tables.places(asked.watched);
  add_watched(tables, process, connection.node, &connection, watched);
  asked.watched = tables.intern(std::move(watched));
  Listening listening = tables.listening(asked.listening);
  const std::size_t of_others = listening.size();
  add_listening(tables, process, connection.node, listening);
  if (listening.size() > of_others) asked.listening = tables.intern(std::move(listening));
  asked.session = connection.session;
  if (message.asking) {
    Session session = tables.session(connection.session).value;
    session.asking = true;
    asked.session = tables.intern(session);
  }
  CommandRun command = nodes.run(asked);
  connection.session = command.session;
  touch_watched(tables, process, connection.node, &connection, tables.places(command.touched));
  if (command.published != Tables::kNowhere)
    take_published(tables, process, connection.node, tables.publications(command.published),
                   way_ms);
  return command;
}

}  // namespace lockstep::sim
