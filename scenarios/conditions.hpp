// The conditions under which protocols are compared: what each adds to a world. One list, shared by
// `lockstep matrix` and `lockstep diff`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockstep::scenarios {

/// How a condition changes what the clients do between the first lock and the last unlock.
enum class Shape : std::uint8_t {
  as_given,
  nested,          ///< lock, lock, unlock, work, unlock: the inner unlock must not free the lock
  late_nested,     ///< lock, work, lock, work, unlock, unlock: together longer than one lease
  overdue_nested,  ///< lock, work longer than the lease, lock, unlock, unlock
  two_locks,       ///< lock a, lock b, unlock a, work, unlock b: neither must stand for the other
  idle_first       ///< lock, unlock, then all of it: what a holding without work leaves behind
};

struct Condition {
  std::string name;         ///< "pause", "work > lease", ...
  std::string meaning;      ///< one sentence for people
  bool overview = false;    ///< a column of the matrix of several protocols
  sim::Budget faults{};     ///< that a run may contain besides the world's
  bool long_work = false;   ///< all work lasts one and a half leases
  bool short_work = false;  ///< all work lasts a hundredth of the lease
  bool alone = false;       ///< there is the first client only
  int more_rounds = 0, more_clients = 0, more_threads = 0;
  bool timeouts = false;   ///< a request that has no answer within a tenth of the lease is given up
  bool keeps_all = false;  ///< the node's persistence keeps every write (aof-always)
  bool replicated = false;    ///< each node has a replica, if it has none
  bool must_release = false;  ///< vacuous if no release() ever says that it has released
  Shape shape = Shape::as_given;

  /// Whether only a re-entrant lock can stand in it.
  bool needs_reentry() const { return shape == Shape::nested || shape == Shape::late_nested; }
};

/// All conditions, in the order in which they are shown: those of the overview first.
const std::vector<Condition>& conditions();

/// `world` under `condition`.
Scenario under(const Condition& condition, Scenario world);

}  // namespace lockstep::scenarios
