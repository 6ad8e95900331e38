// The connections of one client process in a live replay: requests wait on our side until the trace
// says that the node executes them, replies until it says that they arrive. How connections are
// listed and end is docs/semantics.md, section 1 and 3.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "live/connection.hpp"
#include "live/nodes.hpp"
#include "live/resource.hpp"
#include "sim/client/program.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

struct Message {
  enum class State : std::uint8_t { waiting, answered, broken };
  sim::Request request;
  State state = State::waiting;
  sim::SharedReply reply;  ///< once answered
  Resource::Basis basis;   ///< of a WRITE
};

/// A connection with at least one message on it.
struct Channel {
  sim::TaskId task = 0;
  std::uint8_t node = 0;
  bool open = true;     ///< else abandoned
  bool former = false;  ///< opened by an incarnation that has crashed
  std::shared_ptr<Connection> socket;
  std::deque<Message> messages;
};

class Network {
 public:
  /// `nodes` outlive it.
  explicit Network(const Nodes& nodes) : nodes_(nodes) {}

  void send(sim::TaskId task, std::uint8_t node, Message message);
  /// The connection that an action names by its place. Throws BadInput if there is none.
  Channel& channel(std::size_t place);
  /// The first message of a connection that waits to be executed. Throws BadInput if there is none.
  Message& next_waiting(std::size_t place);
  /// Really sends the request of a waiting message to its node, and takes its reply.
  sim::SharedReply ask(std::size_t place, const sim::Request& request);
  /// Takes the reply, or the error, in front of a connection off it.
  Message take(std::size_t place);
  /// The connection breaks: the real one is closed.
  void lose(std::size_t place);
  /// The connection breaks for the client; its requests are executed later, on the real one.
  void lose_late(std::size_t place);
  void abandon(sim::TaskId task);
  /// The process crashed.
  void abandon_all();
  /// The node died.
  void node_died(std::uint8_t node);
  /// Drops what nobody will hear or execute any more.
  void tidy();

  const std::deque<Channel>& channels() const { return channels_; }

 private:
  void give_up(Channel& channel);

  const Nodes& nodes_;
  std::deque<Channel> channels_;  ///< in the order in which they were opened
  std::map<std::pair<sim::TaskId, std::uint8_t>, std::shared_ptr<Connection>>
      sockets_;  ///< connected, for the next request
};

}  // namespace lockstep::live
