// A request is executed: by a node, or by the protected resource. What it does to its process and
// to what executed it, computed once for each of both.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/world/nodes.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/queues.hpp"
#include "sim/world/replica_waits.hpp"
#include "sim/world/run.hpp"
#include "sim/world/sessions.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/step.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class Executions {
 public:
  Executions(Setting& setting, Tables& tables, Reports& reports, Processes& processes, Nodes& nodes,
             Runs& runs, ReplicaWaits& waits, const Queues& queues)
      : setting_(setting),
        tables_(tables),
        reports_(reports),
        processes_(processes),
        nodes_(nodes),
        runs_(runs),
        waits_(waits),
        queues_(queues) {}

  /// The `execute` that is the process's action of this number. `state` has the node and the run.
  const StepResult& step(Id process, unsigned action, const Id* state);

 private:
  const StepResult& at_node(Id process, unsigned action, std::uint8_t node, const Id* state);
  FlatMap& memo_of_node(Others others, const Connection& connection, const Id* nodes);
  void travels(Connection& connection) const;
  StepResult blocked(Id process_id, const Process& process, Change node);
  const StepResult& at_resource(Id process, unsigned action, Id run);
  bool accepted(const Request& request, Run& run) const;
  /// What else is known of a request: locks that others share, and whether it changed some key.
  struct Beside {
    LockSet sharing = 0;
    bool wrote = false;
  };
  void note_own_keys(Process& process, const Connection& sender, const CommandRun& command,
                     Beside beside, Report& report) const;
  Report told_by(const CommandRun& command, const Others& others, std::uint8_t n);
  void judge_prolonged_outside(const Process& process, const Connection& sender,
                               const CommandRun& command, Report& report) const;
  static LockSet freed_unknown_to_holders(const Process& process, const Connection& sender,
                                          LockSet freed);
  const StepResult& keep(FlatMap& memo, std::uint64_t a, std::uint64_t b, StepResult result);

  Setting& setting_;
  Tables& tables_;
  Reports& reports_;
  Processes& processes_;
  Nodes& nodes_;
  Runs& runs_;
  ReplicaWaits& waits_;
  const Queues& queues_;
  std::vector<StepResult> results_;
  std::vector<FlatMap> node_memos_;  ///< by what other processes watch there
  /// Where WAIT is sent, somebody listens, has crashed or shares a lock: by that, what others
  /// listen to, who has crashed, who is idle and what is shared, the replicas that lag, those that
  /// miss something, and how many have acknowledged.
  std::map<std::tuple<Id, Id, Makers, Makers, Makers, LockSet, NodeSet, NodeSet, unsigned>, FlatMap>
      wider_memos_;
  FlatMap resource_memo_;
};

}  // namespace lockstep::sim
