// A connection of a client in a live run: its requests leave in envelopes as long as the run is
// watched, and what comes back is the replies as the program would have got them without.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "live/connection.hpp"
#include "live/ownership.hpp"
#include "live/referee.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::live {

class WatchedConnection {
 public:
  /// To the node of this number. `ownership`: who watches, or null. Throws as Connection does.
  WatchedConnection(const Address& address, std::uint8_t process, sim::TaskId task,
                    std::uint8_t node, Referee& referee, Ownership* ownership)
      : address_(address),
        socket_(address),
        process_(process),
        task_(task),
        node_(node),
        referee_(referee),
        ownership_(ownership) {}

  /// Throws ConnectionBroken.
  void send(const sim::Request& request);
  /// The next reply for the program, of what is here already. `readable` says that there are bytes
  /// to read first. Throws ConnectionBroken.
  std::optional<sim::SharedReply> receive(bool readable);
  /// The program does not wait for replies any more; the server executes all the same.
  void give_up() { given_up_ = true; }
  /// Whether replies are to come.
  bool waiting() const { return !pending_.empty(); }
  /// To wait for bytes, with poll().
  int descriptor() const { return socket_.descriptor(); }

 private:
  struct Pending {
    sim::Request request;
    bool enveloped = false;
    Ticket ticket;
    std::vector<sim::SharedReply> replies;
  };

  bool watched() const { return ownership_ && ownership_->watching(); }
  std::optional<sim::SharedReply> opened(Pending asked);
  void note(const sim::Reply& reply);

  Address address_;
  Connection socket_;
  std::uint8_t process_;
  sim::TaskId task_;
  std::uint8_t node_;
  Referee& referee_;
  Ownership* ownership_;
  bool given_up_ = false;
  std::deque<Pending> pending_;  ///< in the order in which they were sent
};

}  // namespace lockstep::live
