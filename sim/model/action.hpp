// Actions: what a schedule is made of, and all that is said of each kind. A name means the same in
// every reading of the world (docs/semantics.md).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/model/faults.hpp"
#include "sim/model/table.hpp"

namespace lockstep::sim {

struct Action {
  enum class Kind : std::uint8_t {
    begin,         ///< a main task begins its next round; a crashed process restarts with it
    run,           ///< a runnable task runs
    execute,       ///< the node, or the resource, executes the connection's next request
    deliver,       ///< the connection's next reply, or its error, arrives
    timer,         ///< the task's due timer fires (sleep, work, request timeout)
    pass,          ///< time passes
    pause,         ///< the process stands still
    resume,        ///< it goes on
    delay,         ///< the connection's next message is held back
    release,       ///< it goes on its way
    lose,          ///< the connection breaks
    crash,         ///< the process dies
    jump_process,  ///< the process's wall clock jumps
    jump_node,     ///< the node's wall clock jumps
    node_crash,    ///< the node's process dies
    power_loss,    ///< the node's machine dies
    node_restart,  ///< the node is up again
    node_load,     ///< it is, and reads its data: until then it answers LOADING
    loaded,        ///< it has read them
    receive,       ///< a replica reads what its master has sent: it answers LOADING
    save,          ///< an RDB save of the node completes
    lose_late,     ///< the connection breaks, and its request is still on its way
    pause_within,  ///< the process stands still in the middle of a step of its own
    crash_within,  ///< it dies there
    crash_begin,   ///< it dies as it begins, before it has done anything
    preempt,       ///< one of its tasks stops there, and others may go on
    evict,         ///< the node drops a key, for it is short of memory
    flush,         ///< somebody empties the node
    oom,           ///< the node's memory is full
    relief,        ///< there is room again
    cut,           ///< nothing passes between the process and the node
    cut_requests,  ///< nothing from the process to the node
    cut_replies,   ///< nothing from the node to the process
    heal,          ///< what was cut passes again
    heal_late,     ///< but what has waited for that is in no hurry
    lag,           ///< what the replica gets from its master waits
    catch_up,      ///< and arrives
    failover,      ///< the replica becomes master
    follow,        ///< the node becomes a replica of the newest master
    learn,         ///< the process hears which node is the newest master
    freeze,        ///< the node's wall clock stands still from now on
    miss,          ///< a master counts no replica any more that has left it; or one that lags
    migrate,       ///< the node begins to hand its slots to the other one
    move_key,      ///< one of its keys goes there
    hand_over,     ///< and the slots are the other one's
    jump_within,   ///< the process's wall clock jumps in the middle of a step, between two looks
    close,         ///< the connection breaks behind what has been answered: nobody is told
    notice,        ///< the node notices that a key has expired, and tells of it
    overlook,      ///< it does not yet
    notice_late    ///< it does at last
  };
  Kind kind = Kind::begin;
  std::uint8_t process = 0;
  std::uint8_t task = 0;
  std::uint8_t connection = 0;
  std::uint8_t node = 0;
  std::uint8_t image = 0;   ///< which restorable one the node comes back with; 0: nothing is lost
  std::uint8_t key = 0;     ///< which of those that the node may evict, move or notice, by name
  Kind step = Kind::begin;  ///< pause_within, crash_within, jump_within, preempt: what is cut
                            ///< short, of `task` or (deliver) `connection`
  std::uint16_t cut = 0;    ///< and at which of its cuts, from 1 (sim::Cut)
  std::int64_t amount_ms = 0;
  std::vector<std::uint8_t> choices;  ///< what choose(n) gave during this step, in order

  friend auto operator<=>(const Action&, const Action&) = default;
};

/// Which members of an Action mean something.
struct ActionFields {
  bool process = false, task = false, connection = false, node = false, image = false, key = false,
       amount = false, choices = false, cut = false;
  friend bool operator==(const ActionFields&, const ActionFields&) = default;
};
inline constexpr ActionFields kOfProcess{.process = true};
inline constexpr ActionFields kOfProcessClock{.process = true, .amount = true};
inline constexpr ActionFields kOfTask{.process = true, .task = true, .choices = true};
inline constexpr ActionFields kOfStart{.process = true, .task = true};
inline constexpr ActionFields kOfConnection{.process = true, .connection = true};
inline constexpr ActionFields kOfReply{.process = true, .connection = true, .choices = true};
inline constexpr ActionFields kOfStep{
    .process = true, .task = true, .connection = true, .choices = true, .cut = true};
inline constexpr ActionFields kOfStepClock{.process = true,
                                           .task = true,
                                           .connection = true,
                                           .amount = true,
                                           .choices = true,
                                           .cut = true};
inline constexpr ActionFields kOfNode{.node = true};
inline constexpr ActionFields kOfLink{.process = true, .node = true};
inline constexpr ActionFields kOfNodeClock{.node = true, .amount = true};
inline constexpr ActionFields kOfImage{.node = true, .image = true};
inline constexpr ActionFields kOfKey{.node = true, .key = true};
inline constexpr ActionFields kOfTime{.amount = true};

/// Whether an action can be brought about on a real server.
enum class OnRealServer : std::uint8_t {
  possible,
  if_own,  ///< if lockstep has started the server
  never
};

struct ActionRow {
  Action::Kind value;
  const char* name;  ///< of traces and schedules
  ActionFields fields;
  std::optional<Fault> fault;  ///< whose budget it takes one of
  bool free;                   ///< it is no fault, and yet need not ever happen
  OnRealServer live = OnRealServer::possible;
  const char* why_never_live = nullptr;
};

inline constexpr auto kActionTable = [] {
  using Kind = Action::Kind;
  using enum OnRealServer;
  constexpr bool free = true, no = false;
  return std::to_array<ActionRow>({
      {Kind::begin, "begin", kOfTask, {}, free},
      {Kind::run, "run", kOfTask, {}, no},
      {Kind::execute, "execute", kOfConnection, {}, no},
      {Kind::deliver, "deliver", kOfReply, {}, no},
      {Kind::timer, "timer", kOfTask, {}, no},
      {Kind::pass, "pass", kOfTime, {}, no},
      {Kind::pause, "pause", kOfProcess, Fault::pause, no},
      {Kind::resume, "resume", kOfProcess, {}, free},
      {Kind::delay, "delay", kOfConnection, Fault::delay, no},
      {Kind::release, "release", kOfConnection, {}, free},
      {Kind::lose, "lose", kOfConnection, Fault::lose, no},
      {Kind::crash, "crash", kOfProcess, Fault::crash, no},
      {Kind::jump_process, "jump-process", kOfProcessClock, Fault::jump, no},
      {Kind::jump_node, "jump-node", kOfNodeClock, Fault::jump, no, never,
       "a real server's clock cannot be made to jump"},
      {Kind::node_crash, "node-crash", kOfNode, Fault::node_crash, no, if_own},
      {Kind::power_loss, "power-loss", kOfImage, Fault::power_loss, no, never,
       "the power of a real machine cannot be cut"},
      {Kind::node_restart, "node-restart", kOfNode, {}, free, if_own},
      {Kind::node_load,
       "node-load",
       kOfNode,
       {},
       free,
       never,
       "a real server cannot be held while it reads its data"},
      {Kind::loaded,
       "loaded",
       kOfNode,
       {},
       free,
       never,
       "a real server cannot be held while it reads its data"},
      {Kind::receive,
       "receive",
       kOfNode,
       {},
       free,
       never,
       "a real replica cannot be held while it reads what it is sent"},
      {Kind::save, "save", kOfNode, {}, free, if_own},
      {Kind::lose_late, "lose-late", kOfConnection, Fault::lose, no},
      {Kind::pause_within, "pause-within", kOfStep, Fault::pause, no},
      {Kind::crash_within, "crash-within", kOfStep, Fault::crash, no},
      {Kind::crash_begin, "crash-begin", kOfStart, Fault::crash, no},
      {Kind::preempt, "preempt", kOfStep, Fault::preempt, no},
      {Kind::evict, "evict", kOfKey, Fault::evict, no, if_own},
      {Kind::flush, "flush", kOfNode, Fault::flush, no, if_own},
      {Kind::oom, "oom", kOfNode, Fault::oom, no, if_own},
      {Kind::relief, "relief", kOfNode, {}, free, if_own},
      {Kind::cut, "cut", kOfLink, Fault::cut, no},
      {Kind::cut_requests, "cut-requests", kOfLink, Fault::cut, no},
      {Kind::cut_replies, "cut-replies", kOfLink, Fault::cut, no},
      {Kind::heal, "heal", kOfLink, {}, free},
      {Kind::heal_late, "heal-late", kOfLink, {}, free},
      {Kind::lag, "lag", kOfNode, Fault::lag, no, if_own},
      {Kind::catch_up, "catch-up", kOfNode, {}, free, if_own},
      {Kind::failover, "failover", kOfNode, Fault::failover, no, if_own},
      {Kind::follow, "follow", kOfNode, {}, free, if_own},
      {Kind::learn, "learn", kOfLink, {}, free},
      {Kind::freeze, "freeze", kOfNode, Fault::freeze, no, never,
       "a real server's clock cannot be made to stand still"},
      {Kind::miss, "miss", kOfNode, {}, free, if_own},
      {Kind::migrate, "migrate", kOfNode, Fault::migrate, no, if_own},
      {Kind::move_key, "move-key", kOfKey, {}, free, if_own},
      {Kind::hand_over, "hand-over", kOfNode, {}, free, if_own},
      {Kind::jump_within, "jump-within", kOfStepClock, Fault::jump, no, never,
       "a client's clock cannot be made to jump in the middle of a step"},
      {Kind::close, "close", kOfConnection, Fault::lose, no},
      {Kind::notice, "notice", kOfKey, {}, no},
      {Kind::overlook, "overlook", kOfKey, Fault::delay, no, never,
       "a real server cannot be kept from noticing that a key has expired"},
      {Kind::notice_late, "notice-late", kOfKey, {}, free},
  });
}();
static_assert(is_complete(kActionTable));
constexpr const auto& table_of(Action::Kind) { return kActionTable; }

inline constexpr auto kActions = values_of(kActionTable);

/// Whether an action of this kind is a fault, taken from its budget.
constexpr bool is_fault(Action::Kind kind) { return row(kind).fault.has_value(); }

/// Whether an action of this kind need not ever happen: a fault or a free action.
constexpr bool is_optional(Action::Kind kind) { return is_fault(kind) || row(kind).free; }

/// Whether an action of this kind is a step of a client's program, which can be cut.
constexpr bool is_step(Action::Kind kind) {
  return kind == Action::Kind::begin || kind == Action::Kind::run ||
         kind == Action::Kind::deliver || kind == Action::Kind::timer;
}

/// Whether a client dies.
constexpr bool is_crash(Action::Kind kind) {
  return kind == Action::Kind::crash || kind == Action::Kind::crash_within ||
         kind == Action::Kind::crash_begin;
}

/// Whether an action of this kind is of both nodes of a cluster whose slots migrate.
constexpr bool is_migration(Action::Kind kind) {
  return kind == Action::Kind::migrate || kind == Action::Kind::move_key ||
         kind == Action::Kind::hand_over;
}

/// Whether an action of this kind is about a key that has expired, and of which nobody was told.
constexpr bool is_about_expired(Action::Kind kind) {
  return kind == Action::Kind::notice || kind == Action::Kind::overlook ||
         kind == Action::Kind::notice_late;
}

/// What a client's program does in this action: the step itself, or the one that is cut short.
constexpr Action::Kind step_of(const Action& action) {
  return row(action.kind).fields.cut ? action.step : action.kind;
}

using Schedule = std::vector<Action>;

}  // namespace lockstep::sim
