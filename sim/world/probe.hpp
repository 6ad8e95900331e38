// The deadlock probe: a fresh client, alone but for what goes on in the background, tries to
// acquire until it can, or until everything that it could do has been tried (docs/semantics.md,
// section 5).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/base/bounds.hpp"
#include "sim/world/nodes.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/queues.hpp"
#include "sim/world/replica_waits.hpp"
#include "sim/world/run.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

/// What is there when the probe begins: parts of a state of the search.
struct Found {
  std::vector<Id> background;  ///< processes of which something lives on
  std::vector<Id> nodes;
  Id run = 0;
};

/// Sends probes, and remembers what they came to.
class Prober {
 public:
  Prober(Setting& setting, Tables& tables, const Reports& reports, Processes& processes,
         Nodes& nodes, Runs& runs, ReplicaWaits& waits, const Queues& queues, checker::Watch& watch)
      : setting_(setting),
        tables_(tables),
        reports_(reports),
        processes_(processes),
        nodes_(nodes),
        runs_(runs),
        waits_(waits),
        queues_(queues),
        watch_(watch) {}

  /// Whether a fresh client can acquire every lock. True also if a probe came to no end
  /// (Setting::endless_probe), or was cut off by the watch, and from then on.
  bool can_acquire(Found found);

 private:
  friend class Probe;
  /// What one probe comes to.
  struct Answer {
    bool fails = false;
    bool looked_at_time = false;
  };
  Answer send(const Found& found, std::uint32_t setup, unsigned at_once);

  Setting& setting_;
  Tables& tables_;
  const Reports& reports_;
  Processes& processes_;
  Nodes& nodes_;
  Runs& runs_;
  ReplicaWaits& waits_;
  const Queues& queues_;
  checker::Watch& watch_;
  std::map<std::vector<Id>, bool> known_;  ///< by all ids; the run's only in absolute runs
};

}  // namespace lockstep::sim
