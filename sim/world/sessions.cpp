// Watches, and requests in sessions; see the header.
#include "sim/world/sessions.hpp"

#include "sim/world/infos.hpp"

namespace lockstep::sim {

void add_watched(const Tables& tables, const Process& process, std::uint8_t node,
                 const Connection* but, Places& places) {
  for (const auto& connection : process.connections) {
    if (connection.node != node || &connection == but) continue;
    for (const auto& [place, was_there] : tables.session(connection.session).value.watched)
      places.push_back(place);
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

CommandRun execute_in_session(Tables& tables, Nodes& nodes, Process& process,
                              Connection& connection, Asked asked) {
  Places watched = tables.places(asked.watched);
  add_watched(tables, process, connection.node, &connection, watched);
  asked.watched = tables.intern(std::move(watched));
  asked.session = connection.session;
  CommandRun command = nodes.run(asked);
  connection.session = command.session;
  touch_watched(tables, process, connection.node, &connection, tables.places(command.touched));
  return command;
}

}  // namespace lockstep::sim
