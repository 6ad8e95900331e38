// A step of the world as a value: the parts of the state that it replaces, what it does to all
// others of a kind, and what it shows and tells. Computed once for what it reads, then looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/maker.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

/// What a step showed.
struct Facts {
  PropertySet violated = 0;
  WitnessSet witnessed = 0;
  ProcessSet acquired_by = 0;
  Facts& operator|=(const Facts& other) {
    violated |= other.violated;
    witnessed |= other.witnessed;
    acquired_by |= other.acquired_by;
    return *this;
  }
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// A part of the state, and what it becomes.
struct Change {
  std::uint8_t slot = 0;
  Id id = 0;
};

/// The parts that a step replaces: the actor's own, and at most a node's or the run's.
class Changes {
 public:
  Changes() = default;
  /// What the part that acts becomes.
  explicit Changes(Id own) : own_(own) {}
  Changes(Id own, Change other) : own_(own), other_(other.id), slot_(other.slot) {}

  void apply_to(Id* state, unsigned actor_slot) const {
    state[actor_slot] = own_;
    if (slot_ != kNone) state[slot_] = other_;
  }

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  static_assert(kMaxWidth < kNone);
  Id own_ = 0, other_ = 0;
  std::uint8_t slot_ = kNone;
};

/// What a step tells its task about locks, as sets of locks. Whether it is so, the rest of the
/// world decides (judges.hpp).
struct Claims {
  LockSet acquired = 0;      ///< acquire() succeeded, an outermost one
  LockSet refused_made = 0;  ///< acquire() was refused, although the call made a lease key
  LockSet inside = 0;   ///< the task is told that it still holds the lock, or removed of it itself
  LockSet outside = 0;  ///< that it has left for good, and no other task is there
  LockSet discounted = 0;  ///< of those: release() took something of a share
  LockSet unfreed = 0;     ///< that it has released, although it removed nothing of its own
  LockSet denied = 0;      ///< that it has not released, although it removed a key
  LockSet told_lost = 0;   ///< that an owned holding is lost
  LockSet kept_on = 0;     ///< release() has ended and did not release
  LockSet ended = 0;       ///< the critical section of an owned holding has ended
  LockSet turned = 0;      ///< a critical section has begun or ended; only where waits need it
  LockSet given_back = 0;  ///< a release() has freed it on enough nodes; only for `lost_wakeup`
  friend bool operator==(const Claims&, const Claims&) = default;
};

/// What an executed request, or time, did to a lease of somebody else.
struct LeaseChange {
  enum class Kind : std::uint8_t { taken, extended, given };
  Kind kind = Kind::taken;
  std::uint8_t lock = 0;
  Maker maker = 0;  ///< before
};

/// What a request of an acquire() did to a lease in which its process has something, too.
struct Prolonged {
  TaskId task = 0;
  std::uint8_t lock = 0;  ///< with that lease key
  Maker maker = 0;        ///< for whom
};

/// What a step does to all parts of a kind, each by a remembered function of it.
enum class Spread : std::uint8_t {
  none,
  disown,        ///< nodes: what the actor has made is nobody's
  stale,         ///< the other processes: what they have read is not the newest any more
  jumped,        ///< processes: the acting node's clock has
  stopped,       ///< processes: it stands still
  disconnected,  ///< processes: the acting node has died
  darkened,      ///< processes: its machine has
  lit,           ///< processes: and is back
  touch,         ///< the other processes: what they watch was touched, who listens was told
  told,          ///< the processes: who listens at the acting node was told
  promoted,      ///< nodes of its group, and processes: the acting node is the newest master
  caught_up,     ///< processes: the acting node misses nothing any more
  emptied,       ///< processes: nothing that they watch at the acting node is as it was
};

/// What a step means beyond the parts that it replaces.
struct Report {
  Facts facts;  ///< that need nothing else
  Claims claims;
  std::vector<LeaseChange> leases;
  std::vector<LeaseChange> given;  ///< to other processes, at nodes of the group `given_at`
  std::uint8_t given_at = 0;
  std::vector<Prolonged> prolonged;   ///< by the actor; matters for who holds such a lock
  std::vector<std::uint8_t> entered;  ///< locks that were acquired; only where that is counted
  Spread spread = Spread::none;
  LockSet written = 0;                ///< stale: the locks whose resources were written
  Id touched = 0;                     ///< touch: which places
  Id published = 0;                   ///< touch, told: what was said to those who listen
  std::uint8_t node = 0;              ///< touch: where
  std::int64_t jump_ms = 0;           ///< jumped: how far
  std::uint8_t left = kNoServer;      ///< the server that its actor, a replica of it, has left
  bool left_behind = false;           ///< and had not got all of
  NodeSet unlisted = 0;               ///< replicas that its actor, a master, counts no more
  bool read_time = false;             ///< at absolute time
  std::vector<std::uint8_t> choices;  ///< that led here
  std::uint16_t cut = 0;              ///< at which of its cuts the step ended; 0: at its end
  bool says_nothing() const {
    return facts == Facts{} && claims == Claims{} && leases.empty() && given.empty() &&
           prolonged.empty() && entered.empty() && spread == Spread::none && left == kNoServer &&
           unlisted == 0 && !read_time && choices.empty() && cut == 0;
  }
};

/// The reports of a search by number; kNothing is the one that says nothing.
class Reports {
 public:
  static constexpr Id kNothing = 0;
  Reports() : reports_(1) {}
  Id add(Report report) {
    if (report.says_nothing()) return kNothing;
    reports_.push_back(std::move(report));
    return static_cast<Id>(reports_.size() - 1);
  }
  const Report& operator[](Id id) const { return reports_[id]; }

 private:
  std::vector<Report> reports_;
};

struct StepResult {
  Changes changes;
  Id report = Reports::kNothing;
  bool tokens_changed = false;  ///< the parts mention other tokens than before
};

/// Something that can happen to a part in one of its states, listed when the state is interned.
struct LocalAction {
  Action::Kind kind = Action::Kind::run;
  std::uint8_t index = 0;  ///< task, connection, size of a jump, image
  std::uint8_t node = 0;   ///< execute: where
  bool repeats =
      false;  ///< execute, deliver: of a request that was answered before at this instant
  bool at_once = false;                   ///< execute, repeats: it is the answer that may wait
  bool blocked = false;                   ///< execute: not before a wait at the node is over
  bool urgent = false;                    ///< if possible at all
  FaultSet within = 0;                    ///< possible only while one of these is left; 0: always
  std::uint8_t spends = kFree;            ///< the fault that it is
  Action::Kind step = Action::Kind::run;  ///< pause_within, crash_within: of which action
  std::uint8_t jump = 0;                  ///< jump_within: its size, as an index
  bool alone = false;  ///< `only_result` is all that can come of it, in every state
  StepResult only_result;

  static constexpr std::uint8_t kFree = 0xFF;
};

/// One possible step, in the engine's own terms; World::label gives its name.
struct Candidate {
  Action::Kind kind = Action::Kind::pass;
  std::uint8_t actor = 0;      ///< process or node
  std::uint16_t action = 0;    ///< index into the actor's actions
  Id report = 0;               ///< of the result
  std::int64_t amount_ms = 0;  ///< pass
};

}  // namespace lockstep::sim
