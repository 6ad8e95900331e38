// What a whole run remembers beside its processes and nodes: the faults that are left, the highest
// fencing token that the protected resource has seen, and, in absolute runs, the time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/world/grid.hpp"
#include "sim/world/setting.hpp"

namespace lockstep::sim {

struct Run {
  std::array<std::int64_t, kMaxLocks> highest{};  ///< fencing token seen by a lock's resource
  Budget budget{};
  // Absolute runs only: the time since the start, and how long a timestamp may still matter.
  std::int64_t now_ms = 0, outlook_ms = 0;
  std::vector<std::int64_t> turns_ms;  ///< when something turns that was looked at; ascending
};

struct RunInfo {
  Run value;
  Ahead ahead;
  FaultSet left = 0;                         ///< kinds of fault with budget left
  unsigned free_actions = 0;                 ///< that its faults may still bring
  unsigned timeouts = 0;                     ///< of requests, that they may
  std::array<Id, kFaults.size()> spent{};    ///< by fault that is left: with one less of it
  Id after_reading_time = FlatMap::kAbsent;  ///< with the outlook full; computed when first asked
};

class Runs {
 public:
  explicit Runs(Setting& setting) : setting_(setting) {}

  Id initial();
  Id intern(const Run& run);
  const RunInfo& info(Id id) const { return runs_[id]; }

  /// Without faults, and with nothing to come: only its time.
  Id time_alone(Id id);
  /// The same so many ms sooner, in an absolute run.
  Id sooner(Id id, std::int64_t ms);
  /// Nothing of what was looked at is left.
  Id without_looks(Id id);
  /// After `ms`, in an absolute run.
  Id aged(Id id, std::int64_t ms) { return setting_.knowledge.absolute ? age(id, ms) : id; }
  /// After a look at absolute time: the outlook is as far as a timestamp can reach.
  Id after_reading_time(Id id);
  /// How long a timestamp may matter to a client whose clock is right, in ms from `now_ms` on:
  /// longer than any that it can have written (docs/semantics.md, section 5).
  std::int64_t patience_ms(std::int64_t now_ms) const {
    return until_all_show(setting_.longest_matter_ms() + setting_.common_unit_ms(), now_ms);
  }

 private:
  Id age(Id id, std::int64_t ms);
  std::int64_t first_outlook_ms() const { return until_all_show(setting_.common_unit_ms(), 0); }
  Ahead ahead_of(const Run& run) const;
  std::int64_t until_all_show(std::int64_t ms, std::int64_t now_ms) const;

  Setting& setting_;
  Interner<RunInfo> runs_;
  FlatMap age_, sooner_, without_looks_;
};

}  // namespace lockstep::sim
