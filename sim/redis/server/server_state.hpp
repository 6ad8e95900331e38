// What the fake server remembers beside the keyspace, and what a command of a connection works on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/execute.hpp"
#include "sim/redis/server/session.hpp"

namespace lockstep::sim {

/// Something that the server writes to a session: a reply, or a message of a subscription.
struct Delivery {
  SessionId to = 0;
  Reply reply;
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

/// Who listens to a channel or a pattern, in the order of their subscriptions.
using Listeners = std::map<std::string, std::vector<SessionId>, std::less<>>;

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
  Reply killed;           ///< what its client gets if it is killed
  bool must_end = false;  ///< SCRIPT KILL or FUNCTION KILL was called
};

struct ServerState {
  Keyspace keyspace;
  ServerMode mode;
  WallTime now = kEpoch;
  std::map<SessionId, Session> sessions;  ///< the open ones
  SessionId last_id = 0;
  Listeners channels;
  Listeners patterns;
  Listeners shard_channels;
  std::vector<SessionId> blocked;    ///< in the order in which they blocked
  std::vector<Place> ready;          ///< keys that blocked sessions wait for and that came to be
  std::vector<SessionId> unblocked;  ///< their unread requests are to be processed
  std::optional<BusyScript> busy;
  std::vector<Delivery> written;  ///< not fetched yet
  bool rehearsing = false;        ///< see Rehearsal
};

/// Who sent a command: the session, and the server around it.
struct Caller {
  ServerState& server;
  Session& session;
  bool replied = false;  ///< the command has written its replies itself
};

/// While it lasts nothing is written: a script runs a second time only to be compared.
class Rehearsal {
 public:
  explicit Rehearsal(Caller* caller) : server_(caller ? &caller->server : nullptr) {
    if (server_) server_->rehearsing = true;
  }
  ~Rehearsal() {
    if (server_) server_->rehearsing = false;
  }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

 private:
  ServerState* server_;
};

/// Writes a reply or, with `push`, a message to a session, as Redis's addReply: not where CLIENT
/// REPLY is OFF, and into the reply of an EXEC under way.
void write(ServerState& server, Session& session, Reply reply, bool push = false);

/// Ends the session's wait; its unread requests stay for Server to process.
void unblock(ServerState& server, Session& session);

}  // namespace lockstep::sim
