// The invariants that a protocol or its scenario states, judged in states: each is really run once
// for what it is shown, then looked up.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/base/flat_map.hpp"
#include "sim/base/interner.hpp"
#include "sim/model/invariants.hpp"
#include "sim/world/nodes.hpp"
#include "sim/world/processes.hpp"
#include "sim/world/setting.hpp"
#include "sim/world/tables.hpp"

namespace lockstep::sim {

class Invariants {
 public:
  Invariants(Setting& setting, const Tables& tables, const Processes& processes, const Nodes& nodes)
      : setting_(setting),
        tables_(tables),
        processes_(processes),
        nodes_(nodes),
        judged_here_(setting.model.properties.contains(Property::invariant) &&
                     states_invariants(setting.model)) {}

  /// Whether there is anything to judge.
  bool any() const { return judged_here_; }
  /// Whether an invariant is not true of `state`.
  bool broken(const Id* state);

 private:
  Id view_of_process(Id process);
  Id view_of_node(Id node);
  Id intern(std::string view);
  void note_token_order(const std::string& world, bool broken);
  void note_numbers(const std::string& world, const std::vector<Id>& parts);
  void note_keys(const std::string& world, const std::vector<std::string>& nodes,
                 const std::vector<std::string>& clients);

  Setting& setting_;
  const Tables& tables_;
  const Processes& processes_;
  const Nodes& nodes_;
  const bool judged_here_;
  Interner<std::string> views_;
  std::map<Id, std::string> varied_;  ///< by view: the same with other numbers
  FlatMap process_views_, node_views_;
  std::map<std::vector<Id>, bool> judged_;  ///< by the views of the state's parts
};

}  // namespace lockstep::sim
