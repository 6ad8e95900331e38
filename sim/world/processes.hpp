// The processes of the interned world: what is worked out once for every state of a process, what
// can happen to it there, and what it becomes by its own steps, by time and by what others do.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/base/bounds.hpp"
#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/client/clock_use.hpp"
#include "sim/client/token_bytes.hpp"
#include "sim/world/automaton.hpp"
#include "sim/world/grid.hpp"
#include "sim/world/process.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tables.hpp"
#include "sim/world/tokens.hpp"

namespace lockstep::sim {

/// What a process's step may look at outside of the process.
struct Surroundings {
  TokenNumbers used_tokens = 0;  ///< numbers of its tokens that are somewhere in the world
  NodeSet up = 0;                ///< nodes that are up
  NodeSet dark = 0;              ///< those whose machine has died
  LockSet owned = 0;             ///< locks of whose lease keys it has something there
  std::int64_t now_ms = 0;       ///< absolute runs
  friend bool operator==(const Surroundings&, const Surroundings&) = default;
};
/// What of it a step has looked at.
struct Reads {
  bool tokens = false, nodes = false, owned = false, now = false;
  bool any() const { return tokens || nodes || owned || now; }
};

/// Whether a process has come to rest, as bits that all processes must have in common.
enum Rest : std::uint8_t {
  kQuiet = 1,     ///< its main tasks rest, nothing of it is on its way
  kFinished = 2,  ///< its main tasks have ended or never begun
  kAlone = 4,     ///< no spawned task lives
  kGone = 8       ///< nor does any request of it stand at a node: nothing goes on
};

struct ProcessInfo {
  Process value;
  std::vector<LocalAction> actions;
  Ahead ahead;
  TokenUse tokens;
  bool urgent = false;        ///< something other than an execute is urgent
  bool executes = false;      ///< an execute is, if its node is up
  bool free = false;          ///< a free action is possible
  bool blocked = false;       ///< a request of it waits at its node
  bool asks_again = false;    ///< what was answered before, at the same instant
  ToCome to_come;             ///< of what it is, faults aside
  Id to_come_number = 0;      ///< Grid::part
  std::int64_t split_ms = 0;  ///< left of work that a pause would stop, but no other task; or 0
  Id split_number = 0;        ///< Grid::part, as long as there may be such a pause
  FaultSet timed_faults = 0;  ///< kinds of fault that are possible, and whose instant matters
  FaultSet faults = 0;        ///< kinds of fault that are possible
  LockSet held = 0;           ///< locks in their critical section
  LockSet shares = 0;         ///< locks that it holds, acquires or releases in shared mode
  LockSet frozen = 0;         ///< locks for which no wait counts now
  LockSet acquires = 0;       ///< locks inside whose acquire() a main task is
  LockSet unasleep = 0;       ///< of these: it does not wait to be told; or inside whose release()
  NodeSet watching = 0;       ///< nodes at which a connection watches keys
  bool waiting = false, spawned = false;
  bool still = false;      ///< nothing of it changes with time, as far as was asked
  bool stirs = false;      ///< it is paused, cut off, or a message of it is on its way
  bool overdue = false;    ///< a task waits for too long (`waits`)
  bool overtaken = false;  ///< others have got its lock too often meanwhile (`fairness`)
  std::uint8_t rest = 0;   ///< Rest

  /// What came of an action in some surroundings.
  struct Case {
    Surroundings seen;  ///< only what was read
    std::uint32_t results = 0;
  };
  struct Memo {
    Reads reads;
    std::vector<Case> cases;
  };
  std::vector<Memo> memos;  ///< by action
};

class Processes {
 public:
  Processes(Setting& setting, Tables& tables, Reports& reports, Grid& grid, checker::Watch& watch);

  Id initial(unsigned process);
  Id intern(const Process& process);
  bool decide_by_token_bytes() { return token_bytes_.decide_in_the_end(); }
  const ProcessInfo& info(Id id) const { return processes_[id]; }
  /// Whether any process has ever watched a key, waited for one, or listened.
  bool any_watching() const { return any_watching_; }
  /// Whether some process has crashed, where that is kept.
  bool any_crashed() const { return any_crashed_; }
  /// A copy of `ProcessInfo::rest`; all of them lie close together.
  std::uint8_t rest(Id id) const { return rest_[id]; }
  /// Whether nothing of it goes on.
  bool has_rested(Id id) const {
    constexpr std::uint8_t kAll = kQuiet | kGone;
    return (rest_[id] & kAll) == kAll;
  }
  /// Locks that one of them but one, by its place among them, holds, acquires or releases in shared
  /// mode.
  LockSet shared_by_others(std::span<const Id> all, std::size_t but) const {
    LockSet used = 0;
    for (std::size_t p = 0; setting_.shared != 0 && p < all.size(); ++p)
      if (p != but) used |= info(all[p]).shares;
    return used;
  }
  /// Who of them but one holds nothing, is inside no acquire(), and, if inside release(), has
  /// written something there; where that matters.
  Makers idle_but(std::span<const Id> all, std::size_t but) const;
  Automaton& automaton() { return automaton_; }
  const Automaton& automaton() const { return automaton_; }

  /// What can come of an action of the process alone (not execute): one result for each way in
  /// which choose() can turn out.
  std::span<const StepResult> steps(Id process, unsigned action, const Surroundings& around);

  /// Whether time may pass before an action of the process that repeats, at this node: its task has
  /// been answered so before at this instant.
  bool waits_for_time(Id id, const LocalAction& action, const Node& node) {
    return action.kind == Action::Kind::deliver || (!action.at_once && polls(id, action, node));
  }
  /// Whether the answer to an `execute` that is done at once is idle.
  bool answers_idly(Id id, const LocalAction& execute, const Node& node) {
    return execute.at_once && polls(id, execute, node);
  }

  Id aged(Id id, std::int64_t ms) { return processes_[id].still ? id : age(id, ms); }
  /// At the end of a pass during which these tasks (a bit for each TaskId) have asked again and
  /// again, since `began`: what they wait for now they have asked for just now.
  Id asked_again(Id id, Id began, std::uint64_t tasks);
  Id renamed(Id id, const Renaming& renaming);
  /// After a WRITE to the resources of these locks was accepted.
  Id stale(Id id, LockSet written);
  /// Another process has made a part of a lease key of this lock for it, at a group of servers.
  Id given(Id id, std::uint8_t lock, std::uint8_t group);
  /// A request of this task's acquire() has prolonged the lease of that one, who holds the lock.
  Id prolonging(Id id, TaskId task, Maker maker);
  /// Whether no fault still has a hold on it, and it has begun all its rounds or goes on for ever.
  bool undisturbed(Id id) const;
  /// After critical sections of the locks `turned` have begun or ended: which locks others hold
  /// now.
  Id told(Id id, LockSet elsewhere, LockSet turned);
  /// After another task has acquired `lock`.
  Id overtaken(Id id, std::uint8_t lock);
  /// The locks are given back by this process to who waits for them, or are taken.
  Id told_of_return(Id id, std::uint8_t by, LockSet given_back);
  Id returns_forgotten(Id id, LockSet taken);
  /// After the node's clock has jumped so far: what it waits for there ends by that clock.
  Id jumped(Id id, std::uint8_t node, std::int64_t ms);
  /// After that stands still.
  Id stopped(Id id, std::uint8_t node);
  /// A server of which something happens, and who counts it for WAIT though it follows them no
  /// more.
  struct Gone {
    std::uint8_t server = 0;
    NodeSet listing = 0;
  };
  /// After the node's machine died: nobody hears of it.
  Id darkened(Id id, Gone node);
  /// After that is back.
  Id lit(Id id, std::uint8_t node);
  /// After the node died: what was on its way to it is lost, and what it remembered.
  Id disconnected(Id id, Gone node);
  /// After a server has become the newest master of its group.
  Id told_of_master(Id id, std::uint8_t group, Gone newest);
  /// After a replica has got all that it was sent.
  Id caught_up(Id id, Gone replica);
  /// After everything at the node was replaced: whatever it watches there was touched.
  Id emptied(Id id, Gone node);
  /// After a master counts these replicas no more, which had gone.
  Id unlisted(Id id, std::uint8_t node, NodeSet replicas);
  /// After another has touched keys at the node, and published.
  Id touched(Id id, std::uint8_t node, Id places, Id publications);

 private:
  Id age(Id id, std::int64_t ms);
  template <class Change>
  Id changed(FlatMap& memo, Id id, std::uint64_t what, const Change& change);
  void describe(ProcessInfo& info) const;
  void describe(const Connection& connection, ProcessInfo& info) const;
  void describe(const Wait& wait, ProcessInfo& info) const;
  bool rests(const Process& process, const Wait& wait) const;
  void describe_waiting(ProcessInfo& info) const;
  void describe_asleep(ProcessInfo& info) const;
  void list_actions(ProcessInfo& info);
  bool list_task_actions(ProcessInfo& info) const;
  void list_masters_to_learn(ProcessInfo& info) const;
  void list_loss(ProcessInfo& info, Action::Kind kind, std::size_t connection) const;
  void list_message_actions(ProcessInfo& info, std::size_t c);
  bool is_heard_later(const Process& process, std::size_t c) const;
  void list_message_losses(ProcessInfo& info, std::size_t c, bool reached) const;
  bool asks_again(const Process& process, const Connection& connection, const Message& message);
  bool polls(Id id, const LocalAction& execute, const Node& node);
  void note_poll(ProcessInfo& info) const;
  void list_cuts(ProcessInfo& info) const;
  bool has_other_tasks(const Process& process) const;
  std::int64_t divisible_work(const Process& process) const;
  void note_loose_tasks(const Process& process) const;
  void list_split(ProcessInfo& info, std::int64_t work_ms, TimerCounts timers);
  TimerCounts timers_to_come(const ProcessSetup& setup, const Process& process) const;
  unsigned ways_to_come(const Process& process) const;
  unsigned timeouts_to_come(const Process& process) const;
  void list_links(ProcessInfo& info) const;
  void list_process_faults(ProcessInfo& info, bool active) const;
  unsigned rounds_to_begin(const ProcessSetup& setup, Life life, int begun) const;
  bool begins_at_once(const Process& process, TaskId task) const;
  void add_fault(ProcessInfo& info, Action::Kind kind, std::size_t index, Fault fault) const;
  bool try_choices(Id id, unsigned action, const Surroundings& around, std::uint16_t cut,
                   std::vector<StepResult>& found);
  StepResult result(const ProcessInfo& before, const Process& after, Report report);
  void note_clock_use(const ProcessSetup& setup, const std::string& snapshot,
                      const std::vector<Observation>& path, const Step& step);

  Setting& setting_;
  Tables& tables_;
  Reports& reports_;
  Grid& grid_;
  ClockUses clock_uses_;
  TokenBytes token_bytes_;
  Automaton automaton_;
  Interner<ProcessInfo> processes_;
  std::vector<std::uint8_t> rest_;
  /// By case. They stay where they are: a probe asks for more while the results of one are judged.
  std::deque<std::vector<StepResult>> results_;
  bool any_watching_ = false, any_crashed_ = false;
  FlatMap age_, rename_, touch_, stale_, given_, prolong_, tell_, overtake_, return_, forget_;
  std::map<std::uint64_t, FlatMap> asked_again_;  ///< by tasks
  // By what happens at a node.
  FlatMap jump_, stop_, disconnect_, darken_, light_, promote_, catch_up_, empty_, unlist_;
};

}  // namespace lockstep::sim
