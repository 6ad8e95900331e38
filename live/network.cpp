// Connections that do what a trace says; see the header.
#include "live/network.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "live/tracking.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

/// An EXEC that is refused, but for its own form, ends the transaction as well.
void note_transaction(Socket& socket, const Message& message) {
  const auto& [command, reply] = std::pair(message.request[0], message.reply);
  if (sim::is_name(command, "multi") && !reply->is_error()) socket.in_transaction = true;
  const bool ended = sim::is_name(command, "exec") || sim::is_name(command, "discard");
  if (ended && !reply->text.starts_with("ERR ")) socket.in_transaction = false;
}

Message broken_message(sim::TaskId sender) {
  Message message;
  message.sender = sender;
  message.state = Message::State::broken;
  return message;
}

bool is_broken(const Message& message) { return message.state == Message::State::broken; }

/// An error for each task that waits for one of these.
std::deque<Message> errors_for(const std::deque<Message>& lost) {
  std::deque<Message> errors;
  std::set<sim::TaskId> told;
  for (const Message& message : lost)
    if (!message.unheard && told.insert(message.sender).second)
      errors.push_back(broken_message(message.sender));
  return errors;
}

bool waiting(const Message& message) { return message.state == Message::State::waiting; }

/// The real connection is closed: who waits for a request on it gets an error, behind what has been
/// answered.
void lose_requests(Channel& channel) {
  channel.socket.reset();
  std::deque<Message> lost;
  std::ranges::copy_if(channel.messages, std::back_inserter(lost), waiting);
  std::erase_if(channel.messages, waiting);
  if (channel.open) std::ranges::move(errors_for(lost), std::back_inserter(channel.messages));
}

}  // namespace

/// One that has broken takes no more, if it is shared: not all of its tasks have heard of it.
bool Network::takes_requests(const Channel& channel, sim::TaskId task, std::uint8_t node,
                             bool listens) const {
  if (!channel.open || channel.closing || channel.task != task || channel.node != node ||
      channel.listens != listens)
    return false;
  return !is_shared(node) || std::ranges::none_of(channel.messages, is_broken);
}

void Network::send(sim::TaskId task, std::uint8_t node, std::uint8_t server, Message message,
                   bool listens) {
  message.sender = task;
  const sim::TaskId owner = is_shared(node) && !listens ? sim::TaskId{0} : task;
  auto channel = std::ranges::find_if(
      channels_, [&](const Channel& other) { return takes_requests(other, owner, node, listens); });
  if (channel == channels_.end()) {
    auto socket = listens ? nullptr : kept(owner, node, server);
    channel = channels_.insert(
        channel, Channel{owner, node, server, true, false, listens, std::move(socket), {}, false});
  }
  channel->messages.push_back(std::move(message));
}

/// The real connection that the task has to this server; null: none yet.
std::shared_ptr<Socket> Network::kept(sim::TaskId task, std::uint8_t node,
                                      std::uint8_t server) const {
  const auto found = kept_.find({task, node});
  return found == kept_.end() || found->second.server != server ? nullptr : found->second.socket;
}

Channel& Network::channel(const sim::ConnectionName& name) {
  auto before = name.place;
  for (auto& channel : channels_) {
    if (channel.task != name.task || channel.node != name.node || channel.open != name.open ||
        channel.listens != name.listens)
      continue;
    if (before == 0) return channel;
    --before;
  }
  throw sim::BadInput("there is no such connection in the live run");
}

Message& Network::next_waiting(const sim::ConnectionName& name) {
  auto& messages = channel(name).messages;
  const auto message = std::find_if(messages.begin(), messages.end(), waiting);
  if (message == messages.end())
    throw sim::BadInput("no request waits on that connection of the live run");
  return *message;
}

void Network::ask(const sim::ConnectionName& name, Message& message) {
  auto& asked = channel(name);
  if (!asked.socket) {
    asked.socket = std::make_shared<Socket>(nodes_.address(asked.server));
    if (library_.greets) asked.socket->connection.execute({"PING"});
    if (asked.open && !asked.listens) {
      kept_[{asked.task, asked.node}] = {asked.server, asked.socket};
      if (const auto select = selected_.find({asked.task, asked.node}); select != selected_.end())
        asked.socket->connection.execute(select->second);
    }
  }
  if (message.asking) asked.socket->connection.execute({"ASKING"});
  if (asked.listens)
    begin_to_listen(asked.socket->connection, message.request);
  else
    asked.socket->connection.send(message.request);
  message.asked = true;
}

void Network::take_reply(const sim::ConnectionName& name, Message& message) {
  auto& asked = channel(name);
  sim::Reply reply = asked.socket->connection.await();
  message.reply = asked.listens ? heard(std::move(reply)) : std::move(reply);
  message.state = Message::State::answered;
  note_transaction(*asked.socket, message);
  if (asked.open && sim::is_name(message.request[0], "select") && message.reply->text == "OK")
    selected_[{asked.task, asked.node}] = message.request;
  // Redis closes the connection behind that (7.0 disconnectAllBlockedClients), and clients connect
  // anew.
  if (!message.reply->text.starts_with("UNBLOCKED")) return;
  asked.socket.reset();
  if (asked.open) kept_.erase({asked.task, asked.node});
}

Message Network::take(const sim::ConnectionName& name) {
  auto& from = channel(name);
  if (from.listens && from.messages.empty()) {  // a message of the server's, which comes unasked
    Message message;
    message.sender = from.task;
    message.state = Message::State::answered;
    message.reply = heard(from.socket->connection.await());
    return message;
  }
  auto message = std::move(from.messages.front());
  from.messages.pop_front();
  if (is_broken(message) && (from.listens || !is_shared(from.node))) give_up(from);
  tidy();
  return message;
}

void Network::lead_on(const sim::ConnectionName& name, std::uint8_t server, bool asking) {
  auto& led = channel(name);
  kept_.erase({led.task, led.node});
  led.server = server;
  led.socket.reset();
  Message& message = led.messages.front();
  message.state = Message::State::waiting;
  message.asked = false;
  message.asking = asking;
}

void Network::close(const sim::ConnectionName& name) {
  auto& closed = channel(name);
  closed.messages.clear();
  closed.socket.reset();
  tidy();
}

/// What waits at its node for a key stays there until the trace says that the node hears of it.
void Network::lose(const sim::ConnectionName& name) {
  if (Channel& given_up = channel(name); !given_up.open) {
    std::erase_if(given_up.messages, waiting);
    return tidy();
  }
  Channel waits = channel(name);
  waits.open = false;
  std::erase_if(waits.messages, [](const Message& m) {
    return !waiting(m) || !m.asked || sim::is_name(m.request[0], "wait");
  });
  auto& lost = channel(name);
  lost.messages = errors_for(lost.messages);
  if (lost.listens && lost.open && lost.messages.empty())
    lost.messages.push_back(broken_message(lost.task));
  if (!lost.listens) kept_.erase({lost.task, lost.node});
  lost.socket.reset();
  if (!waits.messages.empty()) channels_.push_back(std::move(waits));
  tidy();
}

void Network::close_behind(const sim::ConnectionName& name) {
  kept_.erase({name.task, name.node});
  for (auto& channel : channels_) {
    if (channel.task != name.task || channel.node != name.node || !channel.open ||
        channel.listens || channel.closing)
      continue;
    lose_requests(channel);
    channel.closing = true;
  }
}

void Network::lose_late(const sim::ConnectionName& name) {
  Channel under_way = channel(name);
  under_way.open = false;
  for (Message& message : channel(name).messages) message.asked = false;  // it goes on there
  lose(name);
  channels_.push_back(std::move(under_way));
}

void Network::give_up(Channel& channel) {
  if (!channel.open) return;
  channel.open = false;
  if (channel.listens) return;
  kept_.erase({channel.task, channel.node});
  selected_.erase({channel.task, channel.node});
}

void Network::abandon(sim::TaskId task, Sent what) {
  for (auto& channel : channels_) {
    if (what != Sent::all && channel.listens != (what == Sent::subscription)) continue;
    const bool shared = is_shared(channel.node) && !channel.listens;
    if (!shared && channel.task == task) give_up(channel);
    for (auto& message : channel.messages)
      if (shared && !channel.former && message.sender == task) message.unheard = true;
  }
  tidy();
}

void Network::abandon_all() {
  for (auto& channel : channels_) {
    give_up(channel);
    channel.former = true;
  }
  kept_.clear();
  selected_.clear();
  tidy();
}

void Network::server_died(std::uint8_t server) {
  std::erase_if(kept_, [&](const auto& kept) { return kept.second.server == server; });
  for (auto& channel : channels_) {
    if (channel.node == sim::kResource || channel.server != server) continue;
    lose_requests(channel);
    if (channel.listens && channel.open && std::ranges::none_of(channel.messages, is_broken))
      channel.messages.push_back(broken_message(channel.task));
  }
  tidy();
}

void Network::tidy() {
  for (auto& channel : channels_)
    if (!channel.open)
      std::erase_if(channel.messages, [](const Message& m) { return !waiting(m); });
  for (auto& channel : channels_) {
    auto& messages = channel.messages;
    while (!messages.empty() && messages.front().unheard && !waiting(messages.front()))
      messages.pop_front();
  }
  std::erase_if(channels_, [](const Channel& channel) {
    return channel.messages.empty() && !(channel.listens && channel.open);
  });
}

}  // namespace lockstep::live
