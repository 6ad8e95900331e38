// The naive reading of docs/semantics.md: a world is a plain value that is copied whole, a process
// is the history of what it has observed, and every step runs the real Lua on that history.
// Nothing is interned, renamed or reduced.
//
// A history is full, or begins anew at each boundary (Memory). A full one only grows, so that no
// world is ever met twice in one run. One that begins anew makes rounds and retries meet again,
// which is what lets a search over a client that goes on for ever come to its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/client/observation.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/server/session.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::checker::naive {

enum class Life : std::uint8_t { up, paused, dead };
/// What a task's WRITE would be based on: no READ, the newest value, or one that another WRITE has
/// replaced.
enum class Basis : std::uint8_t { none, fresh, stale };

/// For what a request was sent that nobody waits for: an operation that is under way, one that has
/// ended, or an acquire() that has ended and did not acquire.
enum class Sent : std::uint8_t { now, before, for_nothing };

struct Message {
  enum class State : std::uint8_t { waiting, answered, broken };
  sim::TaskId sender = 0;
  sim::Request request;
  State state = State::waiting;
  bool held = false;
  bool orphaned = false;      ///< answered, and the node has died since
  sim::SharedReply reply;     ///< once answered
  Basis basis = Basis::none;  ///< of a WRITE that waits
  bool in_release = false;    ///< it waits, and was sent inside release()
  std::string node_was;       ///< what its node stored when it was executed, if that was just now
  std::int64_t way_ms = 0;    ///< how much longer it may be on its way
  bool unheard = false;       ///< its connection is shared, and its sender does not wait any more
  Sent sent = Sent::now;
  bool idle = false;     ///< answered, as its sender has been answered before at this instant
  bool asking = false;   ///< it has been led here by ASK
  bool blocked = false;  ///< it waits at its node, with others behind it
  std::optional<std::int64_t> blocked_left_ms;  ///< and for how much longer; nothing: for ever
  /// It waits for a key (not a WAIT): its place in the queue of its node, from 1; else 0.
  std::size_t in_queue = 0;
  void unblock() {
    blocked = false;
    blocked_left_ms.reset();
    in_queue = 0;
  }
};

/// A connection to a node that is dark is lost (made before, and forgotten there) or unmade (it is
/// made when the node is up again).
/// One whose node has crashed is reset: its task finds out when it uses it.
enum class Line : std::uint8_t { made, lost, unmade, reset };

struct Connection {
  sim::TaskId task = 0;       ///< of a shared one: means nothing
  bool shared = false;        ///< by all tasks of the process
  std::uint8_t node = 0;      ///< the server that it goes to
  std::uint8_t sent_for = 0;  ///< the node that its task sends for: another one after a failover
  bool open = true;           ///< else abandoned
  bool former = false;        ///< opened by an incarnation that has crashed
  std::vector<Message> messages;
  sim::Session session;          ///< what the node remembers of it
  Sent sent = Sent::now;         ///< what is on it, once it is abandoned
  bool late = false;             ///< abandoned, and left to the network, which is in no hurry
  std::set<std::uint8_t> ahead;  ///< replicas that lack what a WAIT on it would wait for
  Line line = Line::made;        ///< else its node has died
  bool bound = false;            ///< then: what its task has begun lives there alone
  bool listens = false;          ///< it takes messages, for a listener
  bool closing = false;          ///< broken, but what is answered on it arrives
  bool made_before = false;      ///< its node has answered on it; only where power may be lost
  bool stale = false;    ///< that lost power then, and is up again: it is not there any more
  bool greeted = false;  ///< its library has greeted the node; only where that counts

  /// What its node remembers of it is what a library makes known again.
  void make_anew() {
    session = session.reconnected();
    ahead.clear();
    greeted = false;
  }
  /// Whether its next message waits for a node that is dark.
  bool waits_in_the_dark() const;
  /// Whether its next message may be lost at no cost.
  bool doubtful() const;
};

/// A clock reading: what the wall clock showed (since kEpoch), or the monotonic one (since the
/// start), in millionths of a ms, so that a clock's drift (in ppm) loses nothing.
struct Instant {
  bool wall = false;
  std::int64_t reading = 0;
};
constexpr std::int64_t kMillion = 1'000'000;

/// What the world remembers of one live task.
struct TaskState {
  std::optional<std::int64_t>
      timer_ms;  ///< what is left of its sleep, work or request timeout; 0: due
  /// At this instant, tokens normalised: a request, the node in front, and what the node stored.
  std::set<std::pair<sim::Request, std::string>> answered;
  Basis basis = Basis::none;
  bool releasing = false;   ///< inside release()
  bool keeps_mode = false;  ///< inside that of one mode, of a key that it holds in the other
  std::set<std::uint8_t> made, freed;  ///< at which nodes: of a server, its group
  std::set<std::uint8_t> given;        ///< inside acquire(): where others made something for it
  bool counted = false;                ///< some of a share was freed
  bool wrote = false;                  ///< inside release(): some key was changed
  bool stayed = false;                 ///< inside release(): something in a key that stays was left
  bool owned = false;              ///< inside release(): of the holding that ended, or was given up
  std::set<sim::Maker> prolonged;  ///< inside acquire(): whose lease it has prolonged
  std::set<std::uint8_t> given_up;  ///< locks that were owned and are lost, not yet released
  /// How long it has been inside acquire() while its process was up; it grows only if `waits` is
  /// judged, and is there only if that or `fairness` is.
  std::optional<std::int64_t> wait_ms;
  unsigned times_passed = 0;  ///< how often others got the lock meanwhile; if `fairness` is judged
  /// Whose release() has given its lock back, which nobody has acquired since.
  std::optional<std::uint8_t> given_back_by;
  bool overtaken = false;  ///< what was sent for something else made a lease key during release()
  int steps_at_once = 0;   ///< since time last could pass; no part of the identity

  /// Whether what it writes over is its own no more.
  bool gives_back() const { return releasing && !keeps_mode; }
};

/// A lock in its critical section.
struct Held {
  std::string fencing;
  bool owned = false;  ///< its process had something of its lease keys when it was acquired
};

struct Process {
  Life life = Life::up;
  bool crashed = false;           ///< ever
  std::vector<int> rounds_begun;  ///< by main task
  std::string snapshot;           ///< Program::initial of this incarnation
  std::vector<sim::Observation> history;
  std::string round;             ///< where it was at a boundary last, and how much of the history
  std::size_t before_round = 0;  ///< came before that: no part of the identity
  std::vector<sim::Wait> waits;
  std::map<sim::TaskId, TaskState> tasks;
  std::optional<std::int64_t> pause_left_ms;
  std::vector<Connection> connections;
  std::vector<Instant> instants;
  std::map<std::pair<sim::TaskId, std::uint8_t>, Held> holdings;  ///< by task and lock
  sim::Duration offset;                                           ///< of its wall clock
  std::int64_t drift_ppm = 0;                                     ///< of both its clocks
  std::uint16_t tokens_used = 0;
  std::set<std::uint8_t> unreached;  ///< nodes that get nothing of what it sends: the link is cut
  std::set<std::uint8_t> unheard;    ///< and those of which nothing arrives
  std::vector<std::uint8_t> knows;   ///< by group: which server it takes for the master
};

/// How long a write may wait to become durable: Redis, appendfsync everysec, and twice that where
/// an fsync that still goes on postpones the next one. 0: it waits for nothing, or for ever.
constexpr std::int64_t writes_wait_ms(sim::Persistence persistence) {
  switch (persistence) {
    case sim::Persistence::aof_everysec:
      return 1000;
    case sim::Persistence::aof_everysec_2s:
      return 2000;
    default:
      return 0;
  }
}

struct Image {
  sim::Keyspace keyspace;
  std::int64_t age_ms = 0;
};

struct Node {
  bool up = true;
  bool dark = false;              ///< down, and nobody tells its clients
  std::int64_t down_left_ms = 0;  ///< down: how much longer it has to stay so
  /// As in `saved` and `not_durable`, an expiry is `sooner` by so many millionths of a ms.
  sim::Keyspace keyspace;
  sim::Duration offset;
  bool frozen = false;  ///< its clock stands still
  std::int64_t drift_ppm = 0;
  std::int64_t micros = 0;  ///< of this ms that are over, by Model::distinct_micros; else 0
  sim::Keyspace saved;      ///< rdb: the last completed save
  bool loading = false;     ///< it is up, and reads what it had stored
  bool full = false;        ///< its memory, and it may evict nothing
  sim::Slots slots = sim::Slots::own;   ///< of a cluster
  std::optional<std::uint8_t> follows;  ///< the server whose replica it is
  bool syncing = false;                 ///< a replica: it has to ask for everything
  bool receives = false;                ///< and it reads what it has been sent
  bool lags = false;                    ///< a replica: nothing of its master's arrives
  bool misses = false;                  ///< it lags, and its master has been written to since
  bool silent = false;                  ///< it lags, and its master counts it no more
  /// A master: replicas that have left, which it still counts, and for how long at most, in ms.
  std::map<std::uint8_t, std::int64_t> counts_gone;
  std::map<std::uint8_t, std::int64_t> lists;  ///< the same for WAIT
  std::set<std::uint8_t> lists_behind;         ///< of these: who lacks something that it has
  std::vector<sim::Place> came;    ///< keys that somebody waits for, and which is to be served now
  std::vector<Image> not_durable;  ///< aof_everysec(_2s): the keyspace before each write that may
                                   ///< be lost, newest first

  /// Whether that master has it among its replicas: it is up, and has had its first copy.
  bool is_attached_to(std::uint8_t master) const { return up && follows == master && !syncing; }
  /// Whether that one counts it among those that have its writes, for min-replicas-to-write.
  bool is_heard_by(std::uint8_t master) const { return is_attached_to(master) && !silent; }
  void receive_again() { lags = silent = receives = false; }
  /// Whether it says LOADING.
  bool is_reading() const { return loading || receives; }
};

struct World {
  sim::TrueTime now;
  std::vector<Process> processes;
  std::vector<Node> nodes;           ///< all servers: masters first, then the replicas of each
  std::vector<std::uint8_t> newest;  ///< by group: the server that was made its master last
  std::map<std::string, std::int64_t> highest_token;  ///< that the resource has seen, by lock
  sim::Budget budget{};
  bool absolute = false;        ///< the absolute time has been looked at, or will be in some run
  std::int64_t outlook_ms = 0;  ///< absolute: how long a timestamp may still matter
  std::set<std::string> given_back = {};  ///< locks, by the release() of the action's process
};

/// Bytes that are equal iff the worlds are: everything relative to now, unless the world is
/// absolute.
std::string identity(const World& world);
/// The same, but equal also for worlds that differ only in which token has which number.
std::string identity_but_token_names(const World& world);

/// The same request for every token of the process, on the way of one connection.
sim::Request normalised(const Message& message, const Connection& connection, std::uint8_t p);

/// What a restart keeps of a keyspace: its keys, neither the script cache nor the scripts' random
/// numbers.
sim::Keyspace keys_only(const sim::Keyspace& keyspace);
/// Whether a task has something under way, or holds something: what a crash ends.
bool has_begun_something(const Process& process);
/// Takes away what has expired by the node's clock.
void drop_expired(const World& world, const Node& node, sim::Keyspace& keyspace);

}  // namespace lockstep::checker::naive
