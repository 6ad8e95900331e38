// Runs a request of a connection on a keyspace, as a Redis 7.0 server would.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/compared.hpp"
#include "sim/base/time.hpp"
#include "sim/keyspace/maker.hpp"
#include "sim/redis/keyspace_events.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/server/session.hpp"
#include "sim/redis/version.hpp"

namespace lockstep::sim {

class ScriptObserver;
class ScriptVm;
struct Connections;
struct Keyspace;
struct Reply;

/// Whose the slots of a cluster are, as one of its nodes sees it; all slots alike.
enum class Slots : std::uint8_t {
  own,
  migrating,  ///< its own, and key by key they go to another node
  importing,  ///< another node's, which is migrating them here
  elsewhere   ///< another node's
};

/// What a whole server is, and what it is set to and says no because of.
struct ServerMode {
  ServerVersion version = ServerVersion::redis_7_0;
  bool replica = false;         ///< a read-only replica: READONLY
  bool few_replicas = false;    ///< fewer than min-replicas-to-write: NOREPLICAS
  bool over_memory = false;     ///< more memory in use than maxmemory, nothing to evict: OOM
  bool loading = false;         ///< it reads its data after a start: LOADING
  bool cluster = false;         ///< cluster mode: CROSSSLOT
  Slots slots = Slots::own;     ///< of a cluster: MOVED, ASK, TRYAGAIN
  std::uint8_t other_node = 0;  ///< then: the number of the other node, from 0
  std::uint64_t draw_seed = 0;  ///< decides what SPOP and its like choose; 0: the first ones
  /// Within a script or a transaction its clock shows 1 ms more from this reading on, counted from
  /// 1, as that of Redis 7.0 may (mstime(); since 7.2 commandTimeSnapshot()); 0: it stands still.
  int later_from = 0;
  /// The order in which scripts meet the fields of a table, where that shows: 0 is by name, and
  /// there are as many more as fields can be put into orders. Redis's own is that of Lua 5.1's hash
  /// part. Without one such a script is refused.
  std::optional<unsigned> field_order = std::nullopt;
  KeyspaceEvents keyspace_events = 0;  ///< which it publishes
  /// Whether it may say no.
  bool restricts() const { return replica || few_replicas || over_memory || loading || cluster; }
  friend bool operator==(const ServerMode&, const ServerMode&) = default;
};

/// What surrounds one execution.
struct Execution {
  WallTime now;      ///< the node's wall clock; stands still while the command or script runs
  Maker sender = 0;  ///< becomes the maker of what the command makes
  ScriptVm* scripts =
      nullptr;  ///< runs EVAL and EVALSHA; must not be null when such a command may come
  std::int64_t acknowledged =
      0;                    ///< replicas that have what the sender has written: what WAIT tells
  std::int64_t micros = 0;  ///< of the ms that has begun at `now`: what TIME adds
  bool may_wait = false;    ///< the caller keeps requests that wait: see execute()
  bool may_listen = false;  ///< and sends messages to this connection: see execute()
  bool looked_at_time =
      false;  ///< out: the result depends on the absolute value of `now` (TIME, PXAT, EXPIREAT,
              ///< EXPIRETIME, ...), not only on remaining lifetimes
  bool looked_at_clock =
      false;  ///< out: the reply tells what a clock shows or how much of a lifetime is left (TTL,
              ///< PEXPIRETIME, TIME, ...), or the result compares that with a number of the request
              ///< (EXPIRE with GT or LT)
  /// How often the clock has been read, within a script or transaction of Redis 7.0: by TIME, PTTL,
  /// for a lifetime, and where a script of a transaction begins. Keys are there or not by `now`,
  /// until such a script begins, and then by what the clock shows (Redis 7.0 `keyIsExpired`).
  int readings = 0;
  int told_by = 0;            ///< the first of them by TIME; 0: none
  bool met_expiry = false;    ///< a key was looked for that has a lifetime
  bool now_is_later = false;  ///< by the 1 ms of mode.later_from, while such a script runs
  /// Out: bit k if it may matter whether a ms begins before the reading k.
  std::uint32_t readings_apart = 0;
  /// Out: TIMEs of a script or transaction of Redis 7.0, whose clock goes on in between (since 7.2
  /// it does not: commandTimeSnapshot).
  int times_within = 0;
  unsigned ordered_fields = 0;  ///< out: a script shows the order of so many fields of a table
  bool looked_at_bytes =
      false;  ///< out: the result depends on texts by more than which of them are equal: on their
              ///< order or their bits (KEYS, SORT ALPHA, ZRANGEBYLEX, LCS, GETBIT, ...)
  bool ordered_tokens = false;  ///< out: which of two lock tokens comes first was asked by a
                                ///< script, or is all that orders two members of a sorted set
  bool flushed_all = false;     ///< out: FLUSHALL was executed
  bool called = false;          ///< out: the command ran: it was neither refused before nor queued
  bool left_open = false;       ///< out: Redis might have answered with other elements, or in
                                ///< another order (SRANDMEMBER, SMEMBERS, math.random)
  bool drew =
      false;  ///< out: so it is, and by what mode.draw_seed decides (SPOP, SRANDMEMBER, ...)
  ServerMode mode{};
  /// Out, if not null: what commands compare, and scripts (ScriptVm), of numbers.
  std::vector<Compared>* compared = nullptr;
  ScriptObserver* observer = nullptr;  ///< watches the scripts that run, if not null
  std::vector<Place> watched{};  ///< the keys that other connections to the node watch or wait for
  std::vector<Place> touched{};  ///< out: of those and the sender's own, what a watch is broken by
  std::vector<Subscriptions> listening{};  ///< of the other connections
  std::vector<Publication> published{};    ///< out: in order
  std::set<std::string> invalidated{};  ///< keys that the request has touched so far, if somebody
                                        ///< may track them; published when it ends
  std::vector<Place> came{};  ///< out: and keys that are there now and were not, or were made anew

  // For the commands that run; execute() sets these, and the pointers are not null there.
  Session* session = nullptr;
  Connections* connections = nullptr;
  SessionId self = 0;      ///< the sender, in `connections`
  bool in_exec = false;    ///< a transaction's command: it cannot wait
  bool in_script = false;  ///< a script's command: it cannot wait
  /// In a cluster: the hash slot of the request, or of all that EXEC runs; where they name no keys,
  /// of the first key that a script of theirs touches.
  std::optional<unsigned> slot{};
  bool replied = false;  ///< the command has written its replies itself, or has none
  /// Who holds no lock, asks for none, and if it releases one has begun to: what it has set is the
  /// sender's if that sets the same.
  Makers idle = 0;
  bool rewrote = false;  ///< out: the sender has set what another process had set, too
};

/// A connection sends `request` (name and arguments). Changes the keyspace and the connection's
/// session as Redis 7.0.15 does, replies and error texts included: between MULTI and EXEC the
/// request is queued, EXEC runs the queue at one instant or gives null if a watched key was
/// touched.
///
/// The caller owns the sessions of the other connections: a key of `execution.watched` that is in
/// `execution.touched` afterwards is to be given to touch() with each of them. (The sender's own
/// session is dealt with.)
///
/// A command that would wait (BLPOP and its like where there is nothing; WAIT) throws BadInput
/// unless `execution.may_wait`: then `session.wait` says afterwards what for and until when, the
/// reply is worth nothing, and the caller sends the session nothing more until it has given the
/// wait to serve() or end_wait(). In an EXEC and in a script nothing waits.
///
/// It is for the caller to send what is `published` to those who listen (messages_to()).
/// (P)SUBSCRIBE of one name throws BadInput unless `execution.may_listen`.
///
/// Such a caller cannot answer a request twice, nor does it know who else is connected. What needs
/// that throws BadInput, here and nowhere else: (P|S)UNSUBSCRIBE, PUBSUB, CLIENT, HELLO, QUIT.
/// Server (server/server.hpp) has them all.
///
/// Never throws for what Redis says no to: that is a reply. Throws BadInput also for an empty
/// request, for what is not simulated, and for a script that the dialect layer refuses to run; what
/// ran before it of an EXEC has happened then.
Reply execute(Keyspace& keyspace, Session& session, const Request& request, Execution& execution);

/// The same on a new connection that sends nothing else. Throws BadInput if its session would have
/// to be remembered (MULTI, WATCH, SELECT of another database).
Reply execute(Keyspace& keyspace, const Request& request, Execution& execution);

/// Whether a session that waits is served by what is there: it waits for the key, which has a value
/// of the kind that it waits for (Redis 7.0 blocked.c handleClientsBlockedOnKeys).
bool can_be_served(const Session& session, const Place& place, const Keyspace& keyspace);

/// Serves it: the reply to the request that it waits with. The session waits no more.
Reply serve(Keyspace& keyspace, Session& session, const Place& place, Execution& execution);

/// Serves the session with what it has waited for, if there is such a place, else executes the
/// request. Throws BadInput.
Reply answer(const std::optional<Place>& served, Keyspace& keyspace, Session& session,
             const Request& request, Execution& execution);

/// Ends its wait in vain: the reply of Redis (blocked.c replyToBlockedClientTimedOut).
Reply end_wait(Session& session);

/// Whether the request may run several commands at one instant: a script, a function, EXEC.
bool runs_several(const Request& request);

/// Whether what the request leaves as it was, nobody can tell from what was there: it runs several
/// commands at one instant, or (GETSET, SET with GET) its sender is told what was there.
bool hides_what_is_equal(const Request& request);

}  // namespace lockstep::sim
