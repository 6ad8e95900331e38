// Watches, and requests in sessions; see the header.
#include "sim/world/sessions.hpp"

#include "sim/redis/reply.hpp"
#include "sim/world/infos.hpp"
#include "sim/world/processes.hpp"

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

namespace {

void add_gone(const Processes& processes, std::span<const Id> all, Others& others) {
  for (const Id id : all) {
    const Process& process = processes.info(id).value;
    if (!process.crashed) continue;
    const Makers maker = only_maker(maker_of(process.index));
    others.gone |= maker;
    if (process.life != Life::dead) others.back |= maker;
  }
}

}  // namespace

Others others_at(Tables& tables, const Processes& processes, std::span<const Id> all,
                 std::size_t but, std::uint8_t node) {
  Others others;
  if (processes.any_crashed()) add_gone(processes, all, others);
  others.sharing = processes.shared_by_others(all, but);
  others.idle = processes.idle_but(all, but);
  if (!processes.any_watching()) return others;  // in most protocols nobody does
  Places places;
  Listening listening;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const ProcessInfo& other = processes.info(all[p]);
    if (p == but || !has(other.watching, node)) continue;
    add_watched(tables, other.value, node, nullptr, places);
    add_listening(tables, other.value, node, listening);
  }
  others.watched = tables.intern(std::move(places));
  others.listening = tables.intern(std::move(listening));
  return others;
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

namespace {

/// Those of `gone` whose tokens a request may meet.
Makers met_of(Makers gone, const Tables& tables, Id keyspace, Id request, Id session) {
  if (gone == 0) return 0;
  TokenUse met = tables.keyspace(keyspace).tokens;
  met.add(tables.request(request));
  met.add(tables.session(session).tokens);
  Makers found = 0;
  for (std::uint8_t p = 0; p < kMaxProcesses; ++p)
    if (has_maker(gone, maker_of(p)) && met.mentions(p)) found |= only_maker(maker_of(p));
  return found;
}

}  // namespace

Asked asked_on(Tables& tables, const Nodes& nodes, ReplicaWaits& waits, const Id* states,
               const Process& process, const Connection& connection, Others others,
               std::int64_t clock) {
  const Node& node = nodes.info(states[connection.node]).value;
  const Message& message = Process::to_execute(connection);
  return {node.keyspace,
          waits.executed_as(message),
          connection.session,
          others.watched,
          others.listening,
          connection.former ? maker_of(process.index) : kNobody,
          met_of(others.gone, tables, node.keyspace, message.request, connection.session),
          others.idle,
          message.for_key && !node.came.empty() ? tables.intern(Places{node.came.front()})
                                                : Tables::kNowhere,
          connection.subscribes,
          connection.former ? Maker{0} : maker_of(process.index),
          message.releases,
          message.releases && process.holdings.empty(),
          false,
          node.rate,
          !node.is_master(),
          node.full,
          node.is_loading(),
          node.few,
          node.slots,
          node.slots == Slots::own ? std::uint8_t{0} : other_of_two(connection.node),
          waits.acknowledged(states, connection),
          clock,
          node.micros};
}

namespace {

/// A request that waits is not executed: its node has become a replica, its time is over, or nobody
/// is there any more who waits.
CommandRun ended_in_vain(Tables& tables, Connection& connection, const Asked& asked) {
  Session session = tables.session(asked.session).value;
  const Reply in_vain = session.wait ? end_wait(session) : Reply::null();
  CommandRun command;
  command.keyspace = asked.keyspace;
  command.reply = tables.intern(
      asked.replica ? Reply::error("UNBLOCKED force unblock from blocking operation, instance "
                                   "state changed (master -> replica?)")
                    : in_vain);
  command.session = connection.session = tables.intern(session);
  return command;
}

}  // namespace

CommandRun execute_in_session(Tables& tables, Nodes& nodes, Process& process,
                              Connection& connection, Asked asked, std::int64_t way_ms) {
  const Message& message = Process::to_execute(connection);
  const bool ends = message.for_key && asked.served == Tables::kNowhere;
  if (ends || (message.blocked && asked.replica)) return ended_in_vain(tables, connection, asked);
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
