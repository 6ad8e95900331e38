// The deadlock probe: a fresh client, alone and without faults, tries to acquire until it can or
// nothing changes any more (docs/semantics.md, section 5).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/world/nodes.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/run.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

/// Sends probes, and remembers what they came to.
class Prober {
 public:
  Prober(Setting& setting, Tables& tables, Processes& processes, Nodes& nodes, Runs& runs)
      : setting_(setting), tables_(tables), processes_(processes), nodes_(nodes), runs_(runs) {}

  /// Whether a fresh client can acquire every lock.
  bool can_acquire(const std::vector<Id>& nodes, Id run);

 private:
  friend class Probe;
  bool acquires(const std::vector<Id>& nodes, Id run, std::uint32_t setup);

  Setting& setting_;
  Tables& tables_;
  Processes& processes_;
  Nodes& nodes_;
  Runs& runs_;
  std::map<std::vector<Id>, bool> known_;  ///< by node ids and, in absolute runs, the run's
};

}  // namespace lockstep::sim
