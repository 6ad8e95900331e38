// Strongly connected components of a graph: sets of states in which every one can be reached from
// every other. Those that no edge leaves are where runs end up, and those with an edge inside are
// where they can go on for ever.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/bounds.hpp"

namespace lockstep::checker {

/// Steps from state to state, chosen from a Graph by whoever asks, in order of where they begin.
using StepEdges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Components {
  std::vector<std::uint32_t> of;  ///< by state: the component that it is in
  std::vector<bool> cyclic;       ///< by component: an edge runs inside it
  std::vector<bool> left;         ///< by component: an edge leads out of it

  /// By component: whether it has a state for which `holds`, which is by state.
  std::vector<bool> with(const std::vector<bool>& holds) const;
};

/// Of the states [0, states) and these edges between them. Time and memory in proportion to both.
/// Worth nothing if `watch` has cut it off.
Components components(const StepEdges& edges, std::uint32_t states, Watch& watch);

}  // namespace lockstep::checker
