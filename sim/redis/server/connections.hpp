// What a server with several connections keeps of them beside the keyspace: their sessions, who
// waits and who listens, in order, and what has been written to whom.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/execute.hpp"
#include "sim/redis/server/session.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::sim {

/// Something that the server writes to a connection: a reply, or a message of a subscription.
struct Delivery {
  SessionId to = 0;
  SharedReply reply;
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

/// Who listens to a channel or a pattern, in the order of their subscriptions.
using Listeners = std::map<std::string, std::vector<SessionId>, std::less<>>;

/// One connection: its session, and what only a prompt shows of it.
struct Client {
  SessionId id = 0;
  Session session;
  bool open = true;
  bool closing = false;        ///< closes when the request under way has its reply
  std::deque<Request> unread;  ///< requests that came while it was blocked
  std::string name;
  WallTime opened{};
  WallTime last_request{};
  std::string last_command = "NULL";  ///< as CLIENT LIST shows it
};

/// A script that runs and does not end. The server does nothing else for 5 s
/// (busy-reply-threshold), then it says BUSY to all but a few commands (Redis 7.0 script.c
/// scriptInterrupt).
struct BusyScript {
  SessionId session = 0;  ///< who sent it; may be closed by now
  Request request;        ///< that runs it
  WallTime since{};
  bool deaf = true;  ///< its first 5 s: requests wait
  bool wrote = false;
  std::string why;        ///< it counts as endless
  SharedReply killed;     ///< what its client gets if it is killed
  bool must_end = false;  ///< SCRIPT KILL or FUNCTION KILL was called
};

/// The replies of an EXEC under way, for its connection.
struct Transcript {
  SessionId of = 0;
  std::vector<SharedReply> replies;
};

struct Connections {
  /// Whether this is all of them, so that one can wait, be written to unasked, and be asked about.
  /// False for a caller that has a keyspace and sessions of its own: see execute().
  bool complete = false;
  std::map<SessionId, Client> clients;  ///< the open ones
  SessionId last_id = 0;
  Listeners channels;
  Listeners patterns;
  Listeners shard_channels;
  std::vector<SessionId> blocked;    ///< in the order in which they blocked
  std::vector<Place> ready;          ///< keys that blocked sessions wait for and that came to be
  std::vector<SessionId> unblocked;  ///< their unread requests are to be processed
  std::optional<BusyScript> busy;
  std::optional<Transcript> transcript;
  std::vector<Delivery> written;  ///< not fetched yet
  bool rehearsing = false;        ///< see Rehearsal
  /// Expired keys are told of as time goes on; else where they are met (DEBUG SET-ACTIVE-EXPIRE).
  bool active_expire = true;
};

/// While it lasts nothing is written: a script runs a second time only to be compared.
class Rehearsal {
 public:
  explicit Rehearsal(Connections& connections) : connections_(connections) {
    connections_.rehearsing = true;
  }
  ~Rehearsal() { connections_.rehearsing = false; }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

 private:
  Connections& connections_;
};

/// Writes a reply or, with `push`, a message to a connection, as Redis's addReply: not where CLIENT
/// REPLY is OFF, and into the reply of its EXEC under way.
void write(Connections& connections, const Client& client, SharedReply reply, bool push = false);

/// Ends the connection's wait; its unread requests stay for Server to process.
void unblock(Connections& connections, Client& client);

/// Ends every subscription of a connection, without a reply.
void unsubscribe_all(Connections& connections, Client& client);

/// Ends a connection: its subscriptions, watches and waits.
void close_client(Connections& connections, Client& client);

}  // namespace lockstep::sim
