// One connection to a real Redis server, over hiredis: RESP2 in and out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/address.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/shared_reply.hpp"

struct redisContext;

namespace lockstep::sim {
struct Reply;
}

namespace lockstep::live {

/// The connection broke, or the server did not answer in time. Where nobody can go on without it, a
/// bad address like another.
class ConnectionBroken : public sim::BadInput {
 public:
  using sim::BadInput::BadInput;
};

class Connection {
 public:
  /// Connects, authenticates and selects the database. Throws ConnectionBroken if nobody answers,
  /// BadInput if the server does not want us (password, database).
  explicit Connection(const Address& address);
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  /// Sends a request and waits for its reply, at most 10 s. Throws ConnectionBroken.
  sim::Reply execute(const sim::Request& request);
  /// Whether the server answers PING otherwise than by an error; while it loads its files it does
  /// not (LOADING). Throws ConnectionBroken.
  bool serves();
  /// Sends all requests, then waits for all replies: one round trip. Throws ConnectionBroken.
  std::vector<sim::SharedReply> execute_all(const std::vector<sim::Request>& requests);

  /// Sends requests without waiting. Throws ConnectionBroken.
  void send_all(const std::vector<sim::Request>& requests);
  /// Waits for the next reply, at most 10 s. Throws ConnectionBroken.
  sim::Reply await();

  /// Sends a request. Throws ConnectionBroken.
  void send(const sim::Request& request);
  /// The next reply that is here already, without waiting. `readable` says that there are bytes to
  /// read first. Throws ConnectionBroken.
  std::optional<sim::Reply> receive(bool readable);
  /// To wait for bytes, with poll().
  int descriptor() const;

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  [[noreturn]] void broken() const;
  [[noreturn]] void broken(const std::string& why) const;
  void read();
  void append(const sim::Request& request);
  void write_all();

  std::string address_;               ///< for messages
  std::size_t unanswered_bytes_ = 0;  ///< that were read of a reply of which more is to come
  std::unique_ptr<redisContext, Close> context_;
};

/// Throws BadInput, in the server's own words, if it has answered that it serves nobody like us as
/// it is now: a replica, out of memory, unable to save, without this user's leave ... (Redis 7.0
/// server.c, createSharedObjects). That says nothing of a lock.
void expect_served(const Address& address, const sim::Reply& reply);

/// Throws BadInput if nobody answers at `address`, or not to us: one line for who gave it.
void expect_usable(const Address& address);

}  // namespace lockstep::live
