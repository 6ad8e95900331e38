// The nodes of the interned world: what is worked out once for every state of a node, executing a
// request, and what a node becomes by faults, by time and by what others do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/client/node_clocks.hpp"
#include "sim/client/token_bytes.hpp"
#include "sim/keyspace/maker.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/script/vm.hpp"
#include "sim/world/grid.hpp"
#include "sim/world/node.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tables.hpp"
#include "sim/world/tokens.hpp"

namespace lockstep::sim {

struct Entry;
struct Reply;

struct NodeInfo {
  Node value;
  std::vector<LocalAction> actions;
  Ahead ahead;
  TokenUse tokens;
  bool has_expiry = false;
  bool serves = false;              ///< a key has come that somebody waits for
  bool urgent = false;              ///< it notices that a key has expired, before time passes
  bool settled = false;             ///< no fault has a hold on it, and it has noticed everything
  unsigned free_actions = 0;        ///< that are possible, and whose instant matters
  FaultSet timed_faults = 0;        ///< kinds of fault that are possible, and whose instant matters
  unsigned free_while_blocked = 0;  ///< as `free_actions`, but only while some request
  FaultSet timed_while_blocked = 0;  ///< (as `timed_faults`) waits at its node
  bool leaky = false;                ///< holds a lease key without expiry
  OwnLocks own;              ///< what the processes have of its lease keys; nothing if it is down
  std::vector<Id> disowned;  ///< by process; computed when first asked
};

/// What a process has of lease keys, on as many groups as make a lock its own. `info_of(server)` is
/// its NodeInfo.
template <class InfoOf>
Own own_on_groups(const Setting& setting, unsigned process, const InfoOf& info_of) {
  if (setting.nodes == 1)  // asked at every step, and there most often is one
    return info_of(0).value.up ? info_of(0).own[process] : Own{};
  OwnOnNodes own(setting.quorum);
  for (std::uint8_t group = 0; group < setting.servers.nodes; ++group) {
    std::optional<Own> in_group;
    for (std::uint8_t n = group; n < setting.nodes; ++n) {
      const NodeInfo& info = info_of(n);
      if (setting.servers.group_of(n) != group || !info.value.up || !info.value.is_master())
        continue;
      if (in_group && setting.servers.spare > 0)
        *in_group |= info.own[process];  // a key is on one node of a cluster
      else if (in_group)
        in_group->join(info.own[process]);
      else
        in_group = info.own[process];
    }
    own.add(in_group.value_or(Own{}));
  }
  return own.enough();
}

/// A request as a node gets it.
struct Asked {
  Id keyspace = 0;
  Id request = 0;
  Id session = 0;           ///< of the connection
  Id watched = 0;           ///< the places that other connections watch or wait for
  Id listening = 0;         ///< what other connections listen to
  Maker late = kNobody;     ///< who has sent it, if that has crashed since
  Makers gone = 0;          ///< processes that have crashed, also if they are up again
  Makers idle = 0;          ///< processes that hold nothing, and ask for nothing
  Id served = 0;            ///< the place that the session has waited for, if it is served
  bool may_listen = false;  ///< it is sent by a listener
  Maker sender = 0;
  bool releases = false;      ///< release() has sent it
  bool leaves = false;        ///< and its process holds no lock
  bool alone = false;         ///< in a probe, which judges nothing that is done to others
  std::uint8_t rate = 0;      ///< of the node's clock
  bool replica = false;       ///< the node is one
  bool full = false;          ///< its memory
  bool loading = false;       ///< it reads its data
  bool few = false;           ///< its replicas
  Slots slots = Slots::own;   ///< its
  std::uint8_t other = 0;     ///< where it sends clients that it does not serve
  unsigned acknowledged = 0;  ///< replicas that have what the connection has written
  std::int64_t clock = 0;     ///< Nodes::clock
  std::uint16_t micros = 0;   ///< of the node
};

/// What came of one executed command.
struct CommandRun {
  Id keyspace = 0;
  Id reply = 0;
  Id session = 0;
  Id touched = 0;                       ///< places: of those that are watched
  Id published = 0;                     ///< to those who listen
  std::vector<Place> came;              ///< of those that are waited for
  std::optional<std::int64_t> wait_ms;  ///< it waits for a key; 0: for ever
  std::vector<LeaseChange> leases;
  std::vector<LeaseChange> given;      ///< parts to others
  Makers given_to_gone = 0;            ///< what would have been theirs is nobody's
  std::vector<LeaseChange> prolonged;  ///< beside a part of the sender's; judged if it is refused
  bool made = false;                   ///< parts of lease keys of the sender's
  bool marked = false;                 ///< with another token of its own
  LockSet freed = 0;                   ///< of whose lease keys
  LockSet replaced = 0;                ///< marked, and the token that was there is gone
  bool counted = false;                ///< freed some of a share
  bool flushed = false;                ///< it was, or had in it, a FLUSHALL
  bool called = false;                 ///< it ran: it was neither refused before nor queued
  bool read_time = false;              ///< at absolute time
  bool started = false;                ///< a lifetime, or what turns at a time that was looked at
};

class Nodes {
 public:
  Nodes(Setting& setting, Tables& tables, Reports& reports, checker::Watch& watch);

  Id initial(unsigned node);
  Id intern(Node node);
  const NodeInfo& info(Id id) const { return nodes_[id]; }

  /// What comes of an action of the node.
  const StepResult& step(Id id, unsigned action);

  /// The same of an action that the other node of a cluster, at `other_slot`, is part of.
  const StepResult& migration(Id id, unsigned action, Id other, unsigned other_slot);

  /// Really runs the command or script, once.
  const CommandRun& run(const Asked& asked);
  /// The node after a request has left it this keyspace.
  Id written(Id id, Id keyspace);
  /// After a FLUSHALL.
  Id flushed(Id id);
  /// It has told the time: whoever asks next hears a later microsecond.
  Id micros_on(Id id);
  /// The node's clock after `now_ms` of an absolute run, since kEpoch, in parts of a ms; 0 in
  /// others.
  std::int64_t clock(Id id, std::int64_t now_ms) const;

  /// What time makes of a node.
  struct Aged {
    Id id = 0;
    bool tokens_changed = false;  ///< it mentions other tokens than before
    bool leases_expired = false;  ///< while it was up
    NodeSet unlisted = 0;         ///< replicas of which it has noticed that they have gone
  };
  Aged aged(Id id, std::int64_t ms);
  /// What becomes of its keyspace then.
  const Tables::Aged& aged_keyspace(Id id, std::int64_t ms) {
    const Node& node = nodes_[id].value;
    return tables_.aged(node.keyspace, node.rate, shown_after(node, ms));
  }
  Id renamed(Id id, const Renaming& renaming);
  /// With all absolute times that it stores so many ms sooner.
  Id sooner(Id id, std::int64_t ms);
  /// Whether they differ by what a replica is sent: keys and functions.
  bool differ_in_stream(Id one, Id other) const;
  /// The same where the node's clock has jumped in between: what is left of its lifetimes is no
  /// other expiry, and only that a key has ended is told.
  bool differ_in_keys(Id one, Id other) const;
  /// After a write of its master, of a replica that lags; after one of its own, of a master that
  /// lists replicas that have gone.
  Id missing(Id id);
  /// After a full synchronization: what a restart would bring back is what it has received.
  Id synchronized(Id id, const Id* nodes);
  /// After the server that it may follow has gone down: it will have to ask for everything.
  Id without_master(Id id, std::uint8_t master);
  /// Without the images that only a power loss brings back.
  Id durable(Id id);
  /// After another server of its group was promoted.
  Id told_of_master(Id id, std::uint8_t newest);
  /// After a replica has left without a word: a master counts it for a while.
  Id left_by(Id id, std::uint8_t replica, bool behind);
  /// After a replica that had gone has got everything of it.
  Id joined_by(Id id, std::uint8_t replica);
  /// After the machine of a server that it may take for a replica has lost its power, or got it
  /// back.
  Id with_power(Id id, std::uint8_t replica, bool power);
  /// Which masters list it though it has gone.
  NodeSet listing(const Id* nodes, std::uint8_t replica) const;
  /// After an action, or time: all nodes, of which replicas become mirrors of their masters. True
  /// if one mentions other tokens than before.
  bool replicate(Id* nodes, bool by_time);
  /// After a node's clock went on, or jumped: whether a replica that is a mirror still has, by its
  /// own clock, what has ended at its master, which tells it so some time later.
  void note_ended(const Id* nodes);
  void synchronize(Node& node);
  /// After a process has died.
  Id disowned(Id id, std::uint8_t process);
  /// Where nobody holds a lock, nobody relies on its keys.
  Id without_reliances(Id id);

  bool decide_by_token_bytes() { return token_bytes_.decide_in_the_end(); }

  std::uint64_t commands_run() const { return commands_.size(); }
  std::uint64_t scripts_run() const { return scripts_.runs(); }

 private:
  const Rate& rate_of(const Node& node) const { return setting_.rates[node.rate]; }
  /// How far its clock goes in `ms`, in parts of a ms of its rate.
  std::int64_t shown_after(const Node& node, std::int64_t ms) const {
    return node.frozen ? 0 : rate_of(node).shown_after(ms);
  }
  NodeInfo describe(const Node& node) const;
  Aged age(Id id, std::int64_t ms);
  void list_actions(NodeInfo& info) const;
  void unite_images(Node& node) const;
  static void leave_master(const Node& node, Report& report);
  void note_other_clock(const Node& node, std::optional<std::int64_t> jump_ms) const;
  Node started(Node node, Report& report) const;
  Node died(Node node, const LocalAction& action, Report& report);
  static Node with_other_role(Node node, Action::Kind kind, Report& report);
  Node with_other_clock(Node node, const LocalAction& action, Report& report);
  Id relied_on(Id keyspace, std::int64_t jump_ms);
  Id aged_image(Id keyspace, std::uint8_t rate, std::int64_t parts);
  Node jumped(Node node, std::int64_t ms);
  Node without_keys(Id id, const LocalAction& action, Report& report);
  void tell(const Publications& published, Report& report);
  void notice(Node& node, const LocalAction& action, Report& report);
  void write(Node& node, Id keyspace) const;
  void count_replicas(Id* nodes);
  Node after_power_cut(Node node, unsigned image);
  void save_empty(Node& node, Keyspace keyspace) const;
  void list_deaths(NodeInfo& info) const;
  bool reads_data(const Node& node) const;
  void list_replication(NodeInfo& info) const;
  void list_migration(NodeInfo& info) const;
  void list_unnoticed(NodeInfo& info) const;
  void move_key(Node& source, Node& target, std::size_t key);
  static Node following(Node node);
  Id mirrored(Id replica, Id master, bool by_time);
  Reply execute_named(Keyspace& keyspace, Session& session, const Request& request,
                      Execution& execution);
  Reply answer(const Asked& asked, Keyspace& keyspace, Session& session, Execution& execution);
  Makers tell_whose(const Asked& asked, WallTime now, const Keyspace& before,
                    Keyspace& after) const;
  void note_circumstances(const Request& request, const Execution& execution);
  void note_error(const Asked& asked, const Reply& reply);
  void note_slots(const Request& request, const Keyspace& keyspace);
  Met met_by(const Asked& asked, const Keyspace& keyspace, const Execution& given) const;
  void note_clock_use(const Met& met, bool looked_at_time);
  const std::set<std::size_t>* durations_sent(const Request& request) const;
  void note_durations_sent(const Met& met);
  void note_token_bytes(const Asked& asked, const Met& met, const Reply& reply,
                        const Keyspace& after, const Execution& execution);
  bool same_if_swapped(const Request& request, TokenUse tokens) const;
  /// What a command has looked at: absolute time, or any clock.
  struct LooksAt {
    bool time = false, clock = false;
  };
  bool note_lifetimes(const Met& met, LooksAt looks, const Keyspace& before, Keyspace& after);
  void note_lifetime(const Met& met, LooksAt looks, const Keyspace& before, const Place& place,
                     Expiry& expires);
  std::int64_t like_known(std::int64_t lasts_ms) const;
  void note_prolonged(std::int64_t lasts_ms, Expiry& expires);
  void note_lease_databases(const Keyspace& before, Keyspace& after, Maker sender) const;
  void note_leases(const Keyspace& before, const Keyspace& after, const Asked& asked,
                   CommandRun& command) const;
  void note_change(const PartsChange& change, Maker maker, const std::vector<std::uint8_t>& locks,
                   CommandRun& command) const;

  Setting& setting_;
  Tables& tables_;
  Reports& reports_;
  ScriptVm scripts_;
  NodeClocks clocks_;
  TokenBytes token_bytes_;
  Interner<NodeInfo> nodes_;
  std::vector<CommandRun> commands_;
  std::vector<Aged> aged_;
  /// By session, what others watch and listen to, who has crashed, who is idle, what serves it, the
  /// clock's rate, whether release() sends, and of who leaves, whether in a probe, to a replica,
  /// one whose memory is full, that loads or that has few replicas, its slots and where they are
  /// else, and how many replicas have acknowledged.
  using Circumstances = std::tuple<Id, Id, Id, Maker, Makers, Makers, Id, std::uint8_t, bool, bool,
                                   bool, bool, bool, bool, bool, Slots, std::uint8_t, unsigned>;
  static Circumstances circumstances(const Asked& asked) {
    return {asked.session, asked.watched, asked.listening,   asked.late,     asked.gone,
            asked.idle,    asked.served,  asked.rate,        asked.releases, asked.leaves,
            asked.alone,   asked.replica, asked.full,        asked.loading,  asked.few,
            asked.slots,   asked.other,   asked.acknowledged};
  }
  std::map<Circumstances, FlatMap> run_;
  /// What does not look at clocks was tried with other tokens, whatever the lifetimes.
  std::map<Circumstances, FlatMap> spelt_;
  std::map<std::pair<Id, unsigned>, FlatMap> migrated_;  ///< by node and action: the other node
  std::vector<StepResult> migrations_;
  FlatMap age_, rename_, sooner_, mirrored_, mirrored_by_time_, told_of_master_, left_by_,
      unrelied_;
};

}  // namespace lockstep::sim
