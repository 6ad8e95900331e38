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
#include "live/host.hpp"
#include "live/nodes.hpp"
#include "live/resource.hpp"
#include "sim/client/program.hpp"
#include "sim/model/connections.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

struct Message {
  enum class State : std::uint8_t { waiting, answered, broken };
  sim::TaskId sender = 0;
  bool unheard = false;  ///< on a shared connection: its sender has given it up
  sim::Request request;
  State state = State::waiting;
  bool asked = false;      ///< it waits at its node: sent, and not answered yet
  bool asking = false;     ///< after ASKING, as a node has told its client
  sim::SharedReply reply;  ///< once answered
  Resource::Basis basis;   ///< of a WRITE
};

/// A real connection, and whether what is sent on it is queued for EXEC.
struct Socket {
  explicit Socket(const Address& address) : connection(address) {}
  Connection connection;
  bool in_transaction = false;
};

/// A connection with at least one message on it, or a listener's.
struct Channel {
  sim::TaskId task = 0;     ///< 0 if all tasks share it
  std::uint8_t node = 0;    ///< that its task sends for
  std::uint8_t server = 0;  ///< where it goes: with replicas, the node's master when it was opened
  bool open = true;         ///< else abandoned
  bool former = false;      ///< opened by an incarnation that has crashed
  bool listens = false;     ///< a listener's: its server may send it messages
  std::shared_ptr<Socket> socket;
  std::deque<Message> messages;
  bool closing = false;  ///< broken behind its replies: it takes no more requests
};

/// What the clients' library does by itself.
struct Library {
  bool shares = false;  ///< all tasks share one connection to each node
  bool greets = false;  ///< it sends something first on each new connection
};

class Network {
 public:
  /// `nodes` outlive it.
  explicit Network(const Nodes& nodes, Library library = {}) : nodes_(nodes), library_(library) {}

  /// `server`: where a new connection goes.
  void send(sim::TaskId task, std::uint8_t node, std::uint8_t server, Message message,
            bool listens = false);
  /// The connection of an action. Throws BadInput if there is none.
  Channel& channel(const sim::ConnectionName& name);
  /// The first message of a connection that waits to be executed. Throws BadInput if there is none.
  Message& next_waiting(const sim::ConnectionName& name);
  /// Really sends the request of a waiting message to its server.
  void ask(const sim::ConnectionName& name, Message& message);
  /// Takes the reply to a message that was asked off the real connection.
  void take_reply(const sim::ConnectionName& name, Message& message);
  /// Takes the reply, or the error, in front of a connection off it.
  Message take(const sim::ConnectionName& name);
  /// Whether the session of a connection is not a new one's.
  bool in_transaction(const sim::ConnectionName& name) {
    const auto& socket = channel(name).socket;
    return socket && socket->in_transaction;
  }
  /// The connection goes to another server from now on, and its message in front is sent again.
  void lead_on(const sim::ConnectionName& name, std::uint8_t server, bool asking);
  /// The connection of a request that waits at its node is closed.
  void close(const sim::ConnectionName& name);
  /// The connection breaks: the real one is closed.
  void lose(const sim::ConnectionName& name);
  /// It breaks behind what has been answered, or with nothing on it.
  void close_behind(const sim::ConnectionName& name);
  /// The connection breaks for the client; its requests are executed later, on the real one.
  void lose_late(const sim::ConnectionName& name);
  void abandon(sim::TaskId task, Sent what = Sent::all);
  /// The process crashed.
  void abandon_all();
  void server_died(std::uint8_t server);
  /// Drops what nobody will hear or execute any more.
  void tidy();

  const std::deque<Channel>& channels() const { return channels_; }

 private:
  /// A real connection that stays for the next request of its task for its node.
  struct Kept {
    std::uint8_t server = 0;
    std::shared_ptr<Socket> socket;
  };

  std::shared_ptr<Socket> kept(sim::TaskId task, std::uint8_t node, std::uint8_t server) const;
  bool is_shared(std::uint8_t node) const { return library_.shares && node != sim::kResource; }
  bool takes_requests(const Channel& channel, sim::TaskId task, std::uint8_t node,
                      bool listens) const;
  void give_up(Channel& channel);

  const Nodes& nodes_;
  const Library library_;
  std::deque<Channel> channels_;  ///< in the order in which they were opened
  std::map<std::pair<sim::TaskId, std::uint8_t>, Kept> kept_;  ///< by task and node
  /// The SELECT that a client's library sends again on a new connection (Session::reconnected).
  std::map<std::pair<sim::TaskId, std::uint8_t>, sim::Request> selected_;
};

}  // namespace lockstep::live
