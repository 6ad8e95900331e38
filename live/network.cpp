// Connections that do what a trace says; see the header.
#include "live/network.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

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
  auto channel = std::find_if(channels_.begin(), channels_.end(), [&](const Channel& other) {
    return other.open && other.task == task && other.node == node;
  });
  if (channel == channels_.end())
    channel =
        channels_.insert(channel, Channel{task, node, true, false, sockets_[{task, node}], {}});
  channel->messages.push_back(std::move(message));
}

Channel& Network::channel(std::size_t place) {
  if (place >= channels_.size()) throw sim::BadInput("there is no such connection in the live run");
  return channels_[place];
}

Message& Network::next_waiting(std::size_t place) {
  auto& messages = channel(place).messages;
  const auto message = std::find_if(messages.begin(), messages.end(), waiting);
  if (message == messages.end())
    throw sim::BadInput("no request waits on that connection of the live run");
  return *message;
}

sim::SharedReply Network::ask(std::size_t place, const sim::Request& request) {
  auto& asked = channel(place);
  const auto& address = nodes_.address(asked.node);
  if (!asked.socket) {
    asked.socket = std::make_shared<Connection>(address);
    if (asked.open) sockets_[{asked.task, asked.node}] = asked.socket;
  }
  sim::SharedReply reply = asked.socket->execute(request);
  expect_served(address, *reply);
  return reply;
}

Message Network::take(std::size_t place) {
  auto& from = channel(place);
  auto message = std::move(from.messages.front());
  from.messages.pop_front();
  if (message.state == Message::State::broken) give_up(from);
  tidy();
  return message;
}

void Network::lose(std::size_t place) {
  auto& lost = channel(place);
  lost.messages.assign(1, broken_message());
  sockets_.erase({lost.task, lost.node});
  lost.socket.reset();
}

void Network::lose_late(std::size_t place) {
  Channel under_way = channel(place);
  under_way.open = false;
  lose(place);
  channels_.push_back(std::move(under_way));
}

void Network::give_up(Channel& channel) {
  if (!channel.open) return;
  channel.open = false;
  sockets_.erase({channel.task, channel.node});
}

void Network::abandon(sim::TaskId task) {
  for (auto& channel : channels_)
    if (channel.task == task) give_up(channel);
  tidy();
}

void Network::abandon_all() {
  for (auto& channel : channels_) {
    give_up(channel);
    channel.former = true;
  }
  sockets_.clear();
  tidy();
}

void Network::node_died(std::uint8_t node) {
  std::erase_if(sockets_, [&](const auto& socket) { return socket.first.second == node; });
  for (auto& channel : channels_) {
    if (channel.node != node) continue;
    channel.socket.reset();
    if (!channel.open) std::erase_if(channel.messages, waiting);
    for (auto& message : channel.messages)
      if (waiting(message)) message = broken_message();
  }
  tidy();
}

void Network::tidy() {
  for (auto& channel : channels_)
    if (!channel.open)
      std::erase_if(channel.messages, [](const Message& m) { return !waiting(m); });
  std::erase_if(channels_, [](const Channel& channel) { return channel.messages.empty(); });
}

}  // namespace lockstep::live
