// The naive explorer's reading of "a set of worlds from which no action leads out": on a plain list
// of edges, knowing nothing of locks, so that it can be tested on graphs drawn by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "checker/naive/search.hpp"

namespace lockstep::checker {

using Edge = std::pair<StateNumber, StateNumber>;

/// The sets of states in which every state can be reached from every other.
struct StrongSets {
  std::vector<std::uint32_t> of;  ///< by state: the set that it is in
  std::vector<bool> cyclic;       ///< by set: an edge runs within it
};

/// Takes time and memory in proportion to states and edges.
StrongSets strong_sets(std::uint32_t states, const std::vector<Edge>& edges);

/// Those of them which no edge leaves.
struct ClosedSets {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> of;  ///< by state: the set that it is in, or kNone
  std::vector<bool> cyclic;       ///< by set: an edge runs within it
};

/// Takes time and memory in proportion to states and edges.
ClosedSets closed_sets(std::uint32_t states, const std::vector<Edge>& edges);

}  // namespace lockstep::checker
