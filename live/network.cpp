// Connections that do what a trace says; see the header.
#include "live/network.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace lockstep::live {

namespace {

Message broken_message() {
  Message message;
  message.state = Message::State::broken;
  return message;
}

bool waiting(const Message& message) { return message.state == Message::State::waiting; }

}  // namespace

void Network::send(sim::TaskId task, std::uint8_t node, Message message) {
  auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& other) {
    return other.open && other.task == task && other.node == node;
  });
  if (line == lines_.end())
    line = lines_.insert(line, Line{task, node, true, false, sockets_[{task, node}], {}});
  line->messages.push_back(std::move(message));
}

Line& Network::line(std::size_t place) {
  if (place >= lines_.size()) throw sim::BadInput("there is no such connection in the live run");
  return lines_[place];
}

Message& Network::next_waiting(std::size_t place) {
  auto& messages = line(place).messages;
  const auto message = std::find_if(messages.begin(), messages.end(), waiting);
  if (message == messages.end())
    throw sim::BadInput("no request waits on that connection of the live run");
  return *message;
}

sim::Reply Network::ask(std::size_t place, const sim::Request& request) {
  auto& asked = line(place);
  if (!asked.socket) {
    asked.socket = std::make_shared<Connection>(address_);
    if (asked.open) sockets_[{asked.task, asked.node}] = asked.socket;
  }
  return asked.socket->execute(request);
}

Message Network::take(std::size_t place) {
  auto& from = line(place);
  auto message = std::move(from.messages.front());
  from.messages.pop_front();
  if (message.state == Message::State::broken) give_up(from);
  tidy();
  return message;
}

void Network::lose(std::size_t place) {
  auto& lost = line(place);
  lost.messages.assign(1, broken_message());
  sockets_.erase({lost.task, lost.node});
  lost.socket.reset();
}

void Network::give_up(Line& line) {
  if (!line.open) return;
  line.open = false;
  sockets_.erase({line.task, line.node});
}

void Network::abandon(sim::TaskId task) {
  for (auto& line : lines_)
    if (line.task == task) give_up(line);
  tidy();
}

void Network::abandon_all() {
  for (auto& line : lines_) {
    give_up(line);
    line.former = true;
  }
  sockets_.clear();
  tidy();
}

void Network::node_died(std::uint8_t node) {
  std::erase_if(sockets_, [&](const auto& socket) { return socket.first.second == node; });
  for (auto& line : lines_) {
    if (line.node != node) continue;
    line.socket.reset();
    if (!line.open) std::erase_if(line.messages, waiting);
    for (auto& message : line.messages)
      if (waiting(message)) message = broken_message();
  }
  tidy();
}

void Network::tidy() {
  for (auto& line : lines_)
    if (!line.open) std::erase_if(line.messages, [](const Message& m) { return !waiting(m); });
  std::erase_if(lines_, [](const Line& line) { return line.messages.empty(); });
}

}  // namespace lockstep::live
