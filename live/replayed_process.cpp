// A host that a trace drives; see the header.
#include "live/replayed_process.hpp"

#include <poll.h>

#include <algorithm>
#include <string>
#include <utility>

#include "live/tracking.hpp"
#include "sim/client/servers.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::live {

namespace {

using Outcome = Confirmation::Outcome;

bool is_readable(const Connection& connection) {
  pollfd descriptor{connection.descriptor(), POLLIN, 0};
  return poll(&descriptor, 1, 0) > 0;
}

/// How many clients wait at a server (INFO: blocked_clients), as text.
std::string blocked_clients(Connection& server) {
  const auto info = server.execute({"INFO", "clients"});
  const auto place = info.text.find("blocked_clients:");
  return info.text.substr(place, info.text.find('\r', place) - place);
}

}  // namespace

ReplayedProcess::ReplayedProcess(std::uint8_t process, Stage& stage)
    : process_(process),
      stage_(stage),
      network_(stage.nodes,
               {stage.model.program->shared_connection(), stage.model.program->greets()}),
      offset_ms_(sim::of_clock(stage.model.clocks_ms, process)),
      host_(*stage.model.program, sim::setup_of(stage.model, process), 0, *this) {}

void ReplayedProcess::expect_alive() const {
  if (host_.crashed()) throw Stopped{Outcome::differs, "the client has crashed"};
}

Client::Did ReplayedProcess::run(sim::TaskId task) {
  expect_alive();
  return host_.run(task);
}

Client::Did ReplayedProcess::fire_timer(sim::TaskId task) {
  if (!host_.wait_of(task)) throw Stopped{Outcome::differs, "the client has no such task"};
  return host_.fire_timer(task);
}

Client::Did ReplayedProcess::deliver(const sim::ConnectionName& connection) {
  expect_alive();
  if (led_on(connection)) return {};
  auto message = network_.take(connection);
  if (message.state == Message::State::broken)
    return host_.hear(message.sender, connection.node, std::nullopt);
  return host_.hear(message.sender, connection.node, std::move(message.reply));
}

/// The client's library hears where the slots are, and sends the request on by itself: true if so.
bool ReplayedProcess::led_on(const sim::ConnectionName& connection) {
  if (connection.listens) return false;
  const Message& message = network_.channel(connection).messages.front();
  const bool of_cluster = stage_.migration && connection.node != sim::kResource;
  if (!of_cluster || message.state != Message::State::answered || !message.reply->is_error())
    return false;
  const auto where = sim::redirection_in(stage_.naming.named(message.reply->text));
  if (!where) return false;
  if (!where->ask) learn(where->node);
  if (network_.in_transaction(connection) || sim::is_name(message.request.at(0), "exec"))
    return false;
  network_.lead_on(connection, where->node, where->ask);
  return true;
}

ReplayedProcess::Executed ReplayedProcess::execute(const sim::ConnectionName& connection) {
  auto& message = network_.next_waiting(connection);
  const auto& channel = network_.channel(connection);
  Executed executed{message.request, channel.node, {}, false};
  if (channel.node == sim::kResource) {
    Resource::Basis nobodys;
    auto& basis = message.request[0] == "WRITE" ? message.basis
                  : channel.former              ? nobodys
                                                : host_.basis(channel.task);
    message.reply = stage_.resource.execute(message.request, basis, executed.lost_update);
    message.state = Message::State::answered;
  } else {
    if (!message.asked) network_.ask(connection, message);
    network_.take_reply(connection, message);
  }
  executed.reply = message.reply;
  network_.tidy();
  return executed;
}

/// Once the server counts it among those that wait, others come behind it.
void ReplayedProcess::begin_to_wait(const sim::ConnectionName& connection) {
  auto& server = stage_.nodes.connection(server_of(connection));
  const auto before = blocked_clients(server);
  network_.ask(connection, network_.next_waiting(connection));
  if (!comes_true([&] { return blocked_clients(server) != before; }))
    throw Stopped{Outcome::differs, "the server does not let the request wait"};
}

void ReplayedProcess::close(const sim::ConnectionName& connection) { network_.close(connection); }

std::ptrdiff_t ReplayedProcess::listeners_at(std::uint8_t server) const {
  return std::ranges::count_if(network_.channels(), [server](const Channel& channel) {
    const bool asks = std::ranges::any_of(channel.messages, [](const Message& message) {
      return message.state == Message::State::waiting;
    });
    return channel.listens && channel.open && channel.socket && channel.server == server && !asks;
  });
}

void ReplayedProcess::learn(std::uint8_t server) {
  learnt_[sim::servers_of(stage_.model).group_of(server)] = server;
}

void ReplayedProcess::exited() { crash(); }

void ReplayedProcess::crash() {
  host_.crash();
  network_.abandon_all();
}

bool ReplayedProcess::go_on() {
  for (const auto& wait : host_.waits()) {
    if (!wait.can_run()) continue;
    host_.run(wait.task);
    return true;
  }
  if (host_.crashed() || network_.channels().empty()) return false;
  const auto place = std::ranges::find_if(network_.channels(), can_go_on);
  if (place == network_.channels().end()) return hear_message();
  const auto& first = *place;
  const sim::ConnectionName name{first.task, first.node, first.open, 0, first.listens};
  if (first.messages.front().state == Message::State::waiting)
    execute(name);
  else
    deliver(name);
  return true;
}

bool ReplayedProcess::waits_in_acquire() {
  return std::ranges::any_of(host_.waits(), [](const sim::Wait& wait) { return wait.in_acquire; });
}

/// Whether the message in front of a connection need not be waited for: a request that waits at its
/// server is answered when that likes.
bool ReplayedProcess::can_go_on(const Channel& channel) {
  if (channel.messages.empty()) return false;
  const Message& first = channel.messages.front();
  const bool waits = first.state == Message::State::waiting && first.asked;
  return !waits || is_readable(channel.socket->connection);
}

/// A message that has come to somebody who listens, and has time for it.
bool ReplayedProcess::hear_message() {
  for (const auto& channel : network_.channels()) {
    const auto* wait = host_.wait_of(channel.task);
    const bool listens = channel.listens && wait && wait->kind == sim::Wait::Kind::message;
    if (!listens || !channel.socket) continue;
    auto message = channel.socket->connection.receive(is_readable(channel.socket->connection));
    if (!message) continue;
    host_.hear(channel.task, channel.node, heard(std::move(*message)));
    return true;
  }
  return false;
}

bool ReplayedProcess::fire_due_timer() {
  const auto task = host_.due();
  if (task) fire_timer(*task);
  return task.has_value();
}

std::optional<std::int64_t> ReplayedProcess::next_timer_ms() const {
  std::optional<std::int64_t> next_ms;
  for (const auto& [task, due] : host_.timers()) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(due).count();
    next_ms = std::min(next_ms.value_or(ms), ms);
  }
  return next_ms;
}

Clocks ReplayedProcess::clocks() const {
  const auto trace_ms = stage_.pace.trace_ms();
  return {stage_.epoch_ms + trace_ms + offset_ms_, std::chrono::milliseconds(trace_ms)};
}

std::string ReplayedProcess::answer(const sim::Query& query) {
  if (query.kind == sim::Query::Kind::token) return stage_.naming.fresh_token(process_);
  auto& left = stage_.choices_left;
  if (left.empty())
    throw Stopped{Outcome::differs, "the client asks choose() more often than in the trace"};
  const int choice = left.front();
  left.erase(left.begin());
  return std::to_string(choice);
}

void ReplayedProcess::send(const sim::Effect& effect) {
  const auto departure = departure_to(effect.node);
  Message message;
  message.request = effect.request;
  if (departure.broken) message.state = Message::State::broken;
  network_.send(effect.task, effect.node, departure.server, std::move(message), effect.subscribes);
}

/// As the trace says; without one, to the master that it knows.
sim::Departure ReplayedProcess::departure_to(std::uint8_t node) {
  auto& left = stage_.departures_left;
  if (!left.empty()) {
    const auto departure = left.front();
    left.pop_front();
    return departure;
  }
  const auto learnt = learnt_.find(node);
  const auto server = learnt == learnt_.end() ? node : learnt->second;
  return {server, !stage_.nodes.is_up(server)};
}

void ReplayedProcess::send_to_resource(sim::TaskId task, const sim::Request& request,
                                       Resource::Basis basis) {
  Message message;
  message.request = request;
  message.basis = basis;
  network_.send(task, sim::kResource, sim::kResource, std::move(message));
}

}  // namespace lockstep::live
