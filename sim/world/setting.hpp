// What is fixed for a whole search: the model with its locks and clients by number, and what the
// search knows beforehand; and, beside it, what a run has shown that it should have known.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/request.hpp"

namespace lockstep::sim {

// How much fits into a state.
inline constexpr unsigned kMaxLocks = 8;
inline constexpr unsigned kMaxNodes = 7;
inline constexpr unsigned kMaxWidth = kMaxProcesses + kMaxNodes + 1;
using LockSet = SetOf<kMaxLocks>;
using NodeSet = SetOf<kMaxNodes>;

/// What the search must know beforehand; when a run shows that it knew too little, it starts again
/// (World::needs).
struct Knowledge {
  bool absolute = false;             ///< absolute time is part of the state
  bool reads_clock = false;          ///< the program's literals are durations of the grid
  bool recycles_tokens = true;       ///< off where more than the equality of tokens matters
  std::set<std::int64_t> durations;  ///< durations in use, in ms
  bool cuts = false;                 ///< a step of the program can be cut, and a fault does so
  bool polls = false;                ///< a request is repeated at one instant: node states count
  bool too_many_durations = false;   ///< more than kMaxDurations: the grid lacks some
  friend bool operator==(const Knowledge&, const Knowledge&) = default;
};

class Setting {
 public:
  /// The most durations that make the time grid.
  static constexpr std::size_t kMaxDurations = 24;

  /// Throws BadInput for a model that is too large.
  Setting(const Model& model, const Knowledge& knowledge);

  // The slots of a state: processes, then nodes, then the run.
  unsigned node_slot(unsigned node) const { return processes + node; }
  unsigned run_slot() const { return processes + nodes; }
  unsigned width() const { return processes + nodes + 1; }

  /// Up to the next multiple of the tick.
  std::int64_t rounded(std::int64_t ms) const;
  /// Notes that a duration is in use.
  void use_duration(std::int64_t ms);
  unsigned budget(Fault fault) const { return model.budget[static_cast<std::size_t>(fault)]; }
  /// The number of a lock that a process (or a probe, which has its own) calls `index`.
  std::uint8_t lock_of(unsigned process, std::uint8_t index) const {
    return process < processes ? lock_of_[process].at(index) : index;
  }

  /// The number of the lock with this key.
  std::uint8_t lock_with(std::string_view key) const;
  /// The locks that a READ or WRITE names.
  LockSet locks_in(const Request& request) const;

  const Model& model;
  const unsigned processes, nodes;
  const bool nodes_fail;    ///< some node may be down
  const bool stops_within;  ///< a process may pause or crash in the middle of a step
  Knowledge knowledge;      ///< of this search
  Knowledge needs;          ///< larger than `knowledge` if something turns out to be missing
  /// Lifetimes that followed from an absolute time, in ms: what was left until then.
  std::set<std::int64_t> computed_lifetimes;
  /// The error of the first acquire() or release() that ended in one, of any run; "" if none did.
  std::string first_failure;
  bool endless_probe = false;  ///< a lone client that wanted to acquire came to no end

  std::vector<std::string> locks;  ///< lock keys, by number
  /// Lease key -> the locks that it is a lease of.
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> leases;
  std::vector<LockSet> sharing;  ///< by lock: those that have a lease key in common with it
  std::set<std::string, std::less<>> permanent;  ///< keys that stay by design
  std::vector<ProcessSetup> setups;              ///< different ones, then the probes'
  std::vector<std::uint32_t> setup_of;           ///< by process
  std::vector<std::uint32_t> probe_setups;       ///< one fresh client for each lock

 private:
  void number_locks();

  std::vector<std::vector<std::uint8_t>> lock_of_;  ///< by process: its lock's index -> number
};

}  // namespace lockstep::sim
