// One process of the interned world, as a value: the state of its program, its timers, connections,
// instants and holdings. docs/semantics.md, section 1, says what each means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/keyspace/maker.hpp"
#include "sim/world/automaton.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

enum class Life : std::uint8_t { up, paused, dead };
enum class Stage : std::uint8_t { waiting, answered, broken };
/// Of a connection and a node whose machine has died: opened before that, or since. Or whose
/// process has, and has closed it.
enum class Link : std::uint8_t { made, lost, unmade, reset };
enum class Basis : std::uint8_t { none, fresh, stale };
/// Whether a request that its task has given up is sent in an operation that has ended since: in
/// vain if that was an acquire() that did not acquire.
enum class Outlived : std::uint8_t { no, yes, in_vain };

struct Message {
  TaskId task = 0;  ///< whose it is
  Id request = 0;
  Stage stage = Stage::waiting;
  bool held = false;
  bool doubtful = false;      ///< answered by a node that has died since: it may not arrive
  Id reply = 0;               ///< answered
  Basis basis = Basis::none;  ///< a WRITE to the resource
  bool releases = false;      ///< waiting: release() has sent it, the outermost one
  Id asked_in = 0;      ///< answered at this instant: the node's state before (Tables::node_state)
  bool idle = false;    ///< answered, as its task has been answered before at this instant
  bool asking = false;  ///< ASK has led it to its node
  std::int64_t way_ms = 0;  ///< how long it may still be on its way
  // What its node has begun to execute, and waits: WAIT, BLPOP and its like.
  bool blocked = false;
  bool blocked_for_ever = false;
  std::int64_t blocked_ms = 0;  ///< for how much longer, if not for ever
  bool stands_still = false;    ///< so does its node's clock: that does not get less
  bool for_key = false;         ///< until a key comes
  std::uint8_t turn = 0;        ///< then: how many of the process have waited there for longer
  // On a connection that all tasks share:
  bool unheard = false;  ///< its task has given it up
  Outlived outlived = Outlived::no;

  /// Whether it has waited for as long as it would.
  bool has_waited() const { return !blocked_for_ever && blocked_ms == 0; }
  /// It has arrived, and waits at its node for so long by that one's clock; 0: for ever.
  void block(const Setting& setting, std::int64_t ms, bool frozen) {
    blocked = true;
    way_ms = 0;
    blocked_for_ever = ms == 0;
    blocked_ms = setting.rounded(ms);
    stands_still = frozen;
  }
  void unblock() {
    blocked = blocked_for_ever = stands_still = for_key = false;
    blocked_ms = 0;
    turn = 0;
  }
};

/// A connection error on its way to a task.
inline Message broken(const Setting& setting, TaskId task) {
  Message message;
  message.task = task;
  message.stage = Stage::broken;
  message.way_ms = setting.latency_ms;
  return message;
}

/// In place of a task: all tasks of the process send on this connection.
inline constexpr TaskId kEveryTask = 255;

struct Connection {
  TaskId task = 0;        ///< whose it is, or kEveryTask
  std::uint8_t node = 0;  ///< the server that it goes to
  bool open = true;       ///< its task waits for it; else abandoned
  bool former = false;    ///< of a former incarnation
  std::vector<Message> messages;
  Id session = 0;                    ///< what its node remembers of it; 0: nothing, as of a new one
  Outlived outlived = Outlived::no;  ///< abandoned
  bool late = false;             ///< abandoned, and the network delivers its requests when it likes
  std::uint8_t sent_for = node;  ///< the node that its task means
  Link link = Link::made;
  bool bound = false;  ///< lost or reset: what its task has begun lives there, and nowhere else
  bool subscribes = false;   ///< of a listener: it takes messages
  bool closing = false;      ///< broken behind its replies: it takes no more requests
  bool made_before = false;  ///< its node has answered on it; kept only where power may be lost
  bool stale = false;    ///< its node has lost power since, and nothing has been sent on it as yet
  bool greeted = false;  ///< what its library sends first has been executed; only where that counts
  NodeSet ahead_of = 0;  ///< replicas that have not got all of it; only where WAIT is sent

  bool shared() const { return task == kEveryTask; }
  /// Whether its task has begun something on it, and will find out that it leads nowhere.
  bool is_dead() const { return open && bound && (link == Link::lost || link == Link::reset); }
  /// Whether a request can leave on it: not on one that all share once it is broken.
  bool takes_requests() const;
  /// Whether nothing is left of it once its one message has been heard.
  bool is_plain() const {
    return !shared() && !subscribes && !closing && !bound && !greeted && !made_before && !stale &&
           session == 0 && ahead_of == 0 && link == Link::made && messages.size() == 1;
  }
  /// Its node has executed something on it: it is there.
  void is_there(const Setting& setting);
  /// Nobody waits for what is on it, and the network is in no hurry.
  void leave_to_network();
  /// Whether its next message waits for a node without power.
  bool waits_in_the_dark() const;
  /// Whether its next message is on its way to the node.
  bool is_under_way() const;
  /// Whether it may break behind what has been answered, and something is forgotten with it of
  /// which no task is told: who has `begun` something on a connection of its own will be.
  bool may_close(bool begun) const {
    const bool forgets = shared() ? begun || ahead_of != 0 : !begun && ahead_of != 0;
    return forgets && open && link == Link::made && !subscribes && !closing;
  }
  /// A WAIT on it is about nothing as yet.
  void forget_waits() {
    ahead_of = 0;
    greeted = false;
  }
  /// Its node dies: whether its task has `begun` something there.
  void bind(bool begun) { bound = open && !shared() && (begun || ahead_of != 0); }
  /// What waits on it is lost: who waits for that gets an error, behind what has been answered.
  void lose_requests(const Setting& setting);
  /// Breaks it behind what has been answered.
  void close(const Setting& setting);
  /// Breaks it: who waits for something on it gets an error, the rest is gone.
  void break_up(const Setting& setting);
};

struct Timer {
  TaskId task = 0;
  std::int64_t left_ms = 0;
};

/// A task that is inside acquire().
struct Waiting {
  TaskId task = 0;
  std::uint8_t lock = 0;   ///< index into the world's locks
  std::int64_t ms = 0;     ///< for how long, while the process was up; only if `waits` is judged
  unsigned overtaken = 0;  ///< so often others got the lock meanwhile; only if that is judged
};

/// A task inside acquire() to which a release() of another task has given the lock back, and nobody
/// has acquired it since; only if `lost_wakeup` is judged.
struct Return {
  TaskId task = 0;
  std::uint8_t lock = 0;  ///< index into the world's locks
  std::uint8_t by = 0;    ///< the process
};

struct Holding {
  TaskId task = 0;
  std::uint8_t lock = 0;  ///< index into the world's locks
  bool owned = false;     ///< the process had something of its lease keys when it acquired
};

/// A request (tokens normalised) that a task has had answered at this instant, and the state of its
/// node in which it was executed.
struct Answered {
  Id request = 0;
  Id asked_in = 0;
  friend auto operator<=>(const Answered&, const Answered&) = default;
};

/// What the world remembers of a task's operation under way.
struct Operation {
  TaskId task = 0;
  bool releasing = false;
  bool keeps_mode = false;  ///< releasing one mode of a key that the task holds in the other
  NodeSet made = 0;         ///< at these nodes
  NodeSet given = 0;        ///< acquiring: at these others have made something for its process
  NodeSet freed = 0;        ///< at these
  bool counted = false;     ///< freed some of a share
  bool stayed = false;      ///< left what it had in a lease key that stays by design
  bool wrote = false;       ///< releasing: has changed some key; kept only where rewriting matters
  bool owned = false;       ///< releasing: of the holding that ends, or was given up
  bool succeeded = false;   ///< during this release() something else made a lease key
  LockSet given_up = 0;     ///< owned holdings that ended as lost
  Makers prolonged = 0;     ///< acquiring: whose lease it has prolonged
  Basis basis = Basis::none;
  std::vector<Answered> answered;  ///< ascending
  /// Whether what it writes over is the process's no more.
  bool gives_back() const { return releasing && !keeps_mode; }
  bool empty() const {
    return !releasing && !keeps_mode && made == 0 && given == 0 && freed == 0 && !counted &&
           !stayed && !wrote && !owned && !succeeded && given_up == 0 && prolonged == 0 &&
           basis == Basis::none && answered.empty();
  }
};

struct Instant {
  bool wall = false;
  std::int64_t age = 0;  ///< on its clock, in parts of a ms (Rate): exact
};

/// Of a group of servers.
struct KnownMaster {
  std::uint8_t known = 0;   ///< the server that a process takes for the master
  std::uint8_t newest = 0;  ///< and the one that it might hear of
};

struct Process {
  std::uint8_t index = 0;
  Life life = Life::up;
  Id program = 0;
  std::int64_t pause_left_ms = 0;    ///< while paused and pauses are limited
  std::int64_t clock_offset_ms = 0;  ///< kept only in absolute runs
  std::uint16_t tokens_used = 0;     ///< kept only where tokens are not recycled
  Doings doings;                     ///< kept only where messages take time
  Sleeps slept;                      ///< as far as sleeps are counted
  std::vector<int> rounds;           ///< begun, per main task
  bool crashed = false;  ///< once; it may be up again; kept only where locks are handed over
  std::uint8_t waits_in_part = 0;       ///< no whole number of ms long, and over; 2: two or more
  std::vector<Timer> timers;            ///< by task
  std::vector<Waiting> waiting;         ///< by task; kept only where a judge asks
  std::vector<Return> returns;          ///< also while it is paused
  LockSet elsewhere = 0;                ///< locks that others hold; kept only where waits need it
  std::vector<Connection> connections;  ///< in the order of opening
  std::vector<Instant> instants;        ///< by id
  std::vector<Holding> holdings;        ///< in the order of acquisition
  std::vector<Operation> operations;    ///< by task; only non-empty ones
  std::vector<KnownMaster> masters;     ///< by group; none where there is but one server of each
  NodeSet unreached = 0,
          unheard = 0;  ///< nodes that get nothing of it, and of which it hears nothing

  Operation& operation(TaskId task);
  void drop_empty_operations();
  const Timer* timer(TaskId task) const;
  /// Whether it knows the newest masters.
  bool knows_masters() const;
  /// Abandons the open connections of `task` (semantics.md, section 2), with `used` only those that
  /// hold a message; of all, or of those that take messages, or that do not.
  void abandon(TaskId task, bool used = false, std::optional<bool> subscribes = {});
  /// Whether somebody waits for the next message of the connection, which a cut link to that node
  /// keeps from coming through.
  bool waits_for_link(const Connection& connection, std::uint8_t node) const;
  /// The message that executes next on a connection is answered; nobody hears the answer on an
  /// abandoned one.
  void answer(Connection& connection, Id reply, Id asked_in, bool idle);
  /// Removes connections without messages, but for open ones of which the node remembers something.
  void drop_empty_connections();
  /// Index of the first waiting message of a connection that may execute, or -1.
  static int executable(const Connection& connection);
  /// That message; there must be one.
  static Message& to_execute(Connection& connection) {
    return connection.messages[static_cast<std::size_t>(executable(connection))];
  }
  static const Message& to_execute(const Connection& connection) {
    return connection.messages[static_cast<std::size_t>(executable(connection))];
  }
};

std::string encode(const Process& process);

}  // namespace lockstep::sim
