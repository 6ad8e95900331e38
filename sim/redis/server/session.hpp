// One connection to the fake server, as a value: what a Redis server remembers about a client.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

/// Names a session: ascending from 1 and never used twice, as CLIENT ID.
using SessionId = std::int64_t;

/// A key in one database.
struct Place {
  int database = 0;
  std::string key;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// What a blocked session waits for.
struct BlockedOn {
  enum class Kind : std::uint8_t { list, sorted_set, replicas };
  Kind kind = Kind::list;
  std::vector<Place> places;  ///< any of these keys; none for replicas
  /// What it sends then, without its keys: see serve() in commands/blocking.
  Request request;
  std::optional<WallTime> until;  ///< still waiting at this instant, timed out 1 ms later
};

/// CLIENT REPLY.
enum class Replies : std::uint8_t { on, off, skip_next, skip };

struct Session {
  SessionId id = 0;
  bool open = true;
  bool closing = false;  ///< closes when the request under way has its reply
  std::string name;
  int database = 0;
  WallTime opened{};
  WallTime last_request{};
  std::string last_command = "NULL";  ///< as CLIENT LIST shows it
  Replies replies = Replies::on;

  // MULTI
  bool in_transaction = false;
  bool must_abort = false;      ///< a command was refused while queueing
  bool watch_broken = false;    ///< a watched key was touched
  std::vector<Request> queued;  ///< between MULTI and EXEC
  std::set<Place> watched;

  // SUBSCRIBE
  std::set<std::string> channels;
  std::set<std::string> patterns;
  std::set<std::string> shard_channels;

  // blocking commands
  std::optional<BlockedOn> wait;
  std::deque<Request> unread;  ///< requests that came while it was blocked

  /// The replies of the commands of an EXEC under way; see write().
  std::optional<std::vector<Reply>> transcript;

  std::size_t subscriptions() const { return channels.size() + patterns.size(); }
  bool subscribed() const { return subscriptions() + shard_channels.size() > 0; }
};

}  // namespace lockstep::sim
