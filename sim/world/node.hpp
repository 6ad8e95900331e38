// One Redis node of the interned world, as a value: up or down, its keyspace, and what a restart
// could bring back.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/execute.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

/// What a process has of the lease keys of a keyspace, as sets of locks: Belongings, by lock.
struct Own {
  LockSet any = 0, refused = 0, left = 0, counting = 0;
  LockSet kept = 0;        ///< anything in a lease key that stays by design
  LockSet everywhere = 0;  ///< anything, on every master of a group
  LockSet common = 0;      ///< there is a mark that may be one of all who share the lock
  LockSet sure = 0;        ///< something that is no such mark
  LockSet may_be_for_others() const { return common & static_cast<LockSet>(~sure); }
  LockSet should_go() const { return everywhere & ~kept; }
  /// With what it has on another master of the same group: what it should have it has on one of
  /// them, what it should not have any more only if it is on both.
  void join(const Own& other) {
    any |= other.any;
    kept |= other.kept;
    common |= other.common;
    sure |= other.sure;
    refused &= other.refused;
    left &= other.left;
    counting &= other.counting;
    everywhere &= other.everywhere;
  }
  friend Own operator&(Own one, const Own& other) {
    one.any &= other.any;
    one.refused &= other.refused;
    one.left &= other.left;
    one.counting &= other.counting;
    one.kept &= other.kept;
    one.everywhere &= other.everywhere;
    one.common &= other.common;
    one.sure &= other.sure;
    return one;
  }
  Own& operator|=(const Own& other) {
    any |= other.any;
    refused |= other.refused;
    left |= other.left;
    counting |= other.counting;
    kept |= other.kept;
    everywhere |= other.everywhere;
    common |= other.common;
    sure |= other.sure;
    return *this;
  }
};
using OwnLocks = std::array<Own, kMaxProcesses + 1>;  ///< by process; the probe is one more

/// What a process has on as many groups as make a lock its own.
class OwnOnNodes {
 public:
  explicit OwnOnNodes(unsigned quorum) : quorum_(quorum) {}
  void add(const Own& on_node) {
    for (unsigned more = quorum_ - 1; more > 0; --more)
      on_more_than_[more] |= on_more_than_[more - 1] & on_node;
    on_more_than_[0] |= on_node;
  }
  const Own& enough() const { return on_more_than_[quorum_ - 1]; }

 private:
  unsigned quorum_;
  std::array<Own, kMaxNodes> on_more_than_{};  ///< on more nodes than the index
};

/// A keyspace that a restart would bring back (semantics.md, section 6).
struct Image {
  Id keyspace = 0;
  std::int64_t age_ms = 0;  ///< kept only where it matters: Setting::volatile_ms
};

/// Replicas that have left a master without a word, and for how long at most it takes each for one
/// of its own.
struct Unnoticed {
  NodeSet servers = 0;
  std::array<std::int64_t, kMaxNodes> left_ms{};  ///< 0 where it is none of them

  void add(std::uint8_t replica, std::int64_t ms);
  void remove(NodeSet replicas);
  /// Whose time is over then.
  NodeSet age(std::int64_t ms);
};

struct Node {
  bool up = true;
  Id keyspace = 0;                   ///< interned, expiries relative to the node's clock
  std::uint8_t rate = 0;             ///< of its clock (Setting::rates)
  std::int64_t clock_offset_ms = 0;  ///< kept only in absolute runs, and with replicas
  std::int64_t down_left_ms = 0;     ///< down: how much longer it has to stay so
  bool dark = false;                 ///< down, and nobody tells its clients: a machine that died
  bool loading = false;              ///< up, and it reads its data: it executes next to nothing
  bool full = false;                 ///< its memory: what needs more is refused
  bool frozen = false;               ///< its clock stands still
  Slots slots = Slots::own;          ///< of a cluster (semantics.md, section 8)
  // Where there are replicas (semantics.md, section 7):
  std::uint8_t follows = kNoServer;  ///< the server whose replica it is
  std::uint8_t newest = kNoServer;   ///< the newest master of its group; none if it is that
  bool lags = false;                 ///< a replica: nothing of its master's arrives
  bool syncing = false;              ///< a replica: it has to ask its master for everything anew
  bool receives = false;             ///< it does, and reads what it gets
  bool misses = false;       ///< lags, and something has come since; only where WAIT is sent
  bool silent = false;       ///< lags, and its master counts it no more
  bool few = false;          ///< a master: it counts fewer replicas than Model::min_replicas
  Unnoticed counts_gone;     ///< a master: for min-replicas-to-write
  Unnoticed lists;           ///< the same for WAIT; only where that is sent
  NodeSet lists_behind = 0;  ///< of these: who has not got all
  NodeSet gone_dark = 0;     ///< of both: whose machine is out of power, and says nothing
  // Where requests wait for keys (semantics.md, section 9):
  std::vector<std::uint8_t> queue;  ///< whose they are, in the order in which they have come
  std::vector<Place> came;          ///< keys that they wait for, in the order in which they came
  std::uint16_t micros = 0;         ///< that have begun in this ms: only if Model::distinct_micros
  /// rdb: the last completed save. aof_everysec(_2s): the keyspace before each write that may be
  /// lost, newest first.
  std::vector<Image> images;

  bool is_master() const { return follows == kNoServer; }
  /// Whether it is a replica of that server, as that sees it.
  bool is_online_at(std::uint8_t master) const { return up && follows == master && !syncing; }
  /// Whether that one counts it, for min-replicas-to-write.
  bool is_counted_at(std::uint8_t master) const { return is_online_at(master) && !silent; }
  /// Who does; kNoServer: nobody.
  std::uint8_t counted_by() const { return is_counted_at(follows) ? follows : kNoServer; }
  void lag_no_more() { lags = misses = silent = false; }
  /// Whether it executes next to nothing.
  bool is_loading() const { return loading || receives; }
  void wait_for_nothing() {
    lag_no_more();
    syncing = receives = false;
  }
  /// Whom a master that has it as one of its own takes for a replica though they follow it no more.
  NodeSet gone() const { return counts_gone.servers | lists.servers; }
  /// It hears of these that they have gone.
  void miss(NodeSet servers) {
    counts_gone.remove(servers);
    lists.remove(servers);
    keep_to_gone();
  }
  /// What is known of replicas that have gone is of those that it has not heard of.
  void keep_to_gone() {
    lists_behind &= lists.servers;
    gone_dark &= gone();
  }
  /// Whether what its master writes arrives at once.
  bool is_mirror() const { return !is_master() && !lags && !syncing; }
  /// Whether it is the newest master of its group, or follows that.
  bool is_in_place() const { return newest == kNoServer || follows == newest; }
  /// Whether no fault still has a hold on it.
  bool is_settled() const {
    return up && !loading && !full && !lags && !syncing && is_in_place() &&
           slots != Slots::migrating;
  }
};

std::string encode(const Node& node);

}  // namespace lockstep::sim
