// What a Redis server remembers about one connection and behaves by, as a value: the selected
// database, a transaction, watches, subscriptions, a wait. What only a prompt shows of a connection
// (its id, its name, when it last sent something) is a Client's (connections.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct Reply;

/// Names a connection: ascending from 1 and never used twice, as CLIENT ID.
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
  friend bool operator==(const BlockedOn&, const BlockedOn&) = default;
};

/// What a connection listens to.
struct Subscriptions {
  std::set<std::string> channels;
  std::set<std::string> patterns;
  std::set<std::string> tracked;  ///< keys that begin so: CLIENT TRACKING ON BCAST PREFIX
  friend auto operator<=>(const Subscriptions&, const Subscriptions&) = default;
};

/// What a PUBLISH says; or which keys have been touched, which those are told who track them.
struct Publication {
  enum class Kind : std::uint8_t { message, invalidation, flush };
  std::string channel, text;
  Kind kind = Kind::message;
  std::set<std::string> keys{};  ///< of an invalidation; a flush touches all
  friend auto operator<=>(const Publication&, const Publication&) = default;
};

/// CLIENT REPLY.
enum class Replies : std::uint8_t { on, off, skip_next, skip };

/// Equal sessions behave equally. A new connection's is Session{}. Nothing in it hangs on the
/// clock, but the end of a wait.
struct Session {
  int database = 0;
  Replies replies = Replies::on;
  bool asking = false;  ///< ASKING was its last request, or what came before its MULTI

  // MULTI
  bool in_transaction = false;
  bool must_abort = false;      ///< a command was refused while queueing
  bool watch_broken = false;    ///< a watched key was touched; nothing is watched any more
  std::vector<Request> queued;  ///< between MULTI and EXEC
  /// What it watches, and whether the key was there when WATCH was sent. Whatever removes or makes
  /// the key touches it, but expiry: a key that was there and is gone at EXEC has expired.
  std::map<Place, bool> watched;

  // SUBSCRIBE
  std::set<std::string> channels;
  std::set<std::string> patterns;
  std::set<std::string> shard_channels;

  // CLIENT TRACKING ON BCAST: prefixes
  std::set<std::string> tracked;

  // blocking commands
  std::optional<BlockedOn> wait;

  /// Whether the reply to its request under way is written.
  bool answered() const { return replies == Replies::on || replies == Replies::skip_next; }
  std::size_t subscriptions() const { return channels.size() + patterns.size(); }
  Subscriptions listens_to() const { return {channels, patterns, tracked}; }
  /// Whether messages may come that it has not asked for.
  bool hears() const { return subscriptions() > 0 || !tracked.empty(); }
  bool subscribed() const { return subscriptions() + shard_channels.size() > 0; }
  /// Whether it is a new connection's.
  bool fresh() const;
  /// What the connection has that a client's library makes in its place when it breaks: the
  /// database is selected again (ioredis 5 `condition.select`, node-redis 4, lettuce 6, Jedis).
  Session reconnected() const;
  /// Whether that one lacks something: a transaction, a watch.
  bool begun() const { return *this != reconnected(); }
  friend bool operator==(const Session&, const Session&) = default;
};

/// What such a connection gets of it, in order: a message for its channel, then one for each
/// pattern that matches (Redis 7.0 pubsub.c pubsubPublishMessageInternal). Of an invalidation, one
/// for each prefix: ["invalidate", [key, ...]], of a flush ["invalidate", null], as in RESP3
/// (tracking.c trackingBroadcastInvalidationMessages, trackingInvalidateKeysOnFlush).
std::vector<Reply> messages_to(const Subscriptions& listener, const Publication& publication);

/// A key was touched (Redis 7.0 multi.c touchWatchedKey): if the session watches it, its
/// transaction will not run. Returns whether it does.
bool touch(Session& session, const Place& place);

/// Ends the transaction of a session without running it, and its watches (multi.c
/// discardTransaction).
void discard_transaction(Session& session);

/// Every text in it that a client has sent: keys, the words of requests, channels.
std::vector<std::string_view> texts(const Session& session);
/// The session with each of these texts replaced; different texts must stay different.
Session with_texts(const Session& session,
                   const std::function<std::string(std::string_view)>& change);

/// Canonical bytes: equal sessions give equal bytes and the other way round.
std::string encode(const Session& session);

}  // namespace lockstep::sim
