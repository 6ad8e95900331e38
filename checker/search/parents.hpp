// The tree of a search: from which state each state was first reached, and whether by passing time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/search/huge_memory.hpp"

namespace lockstep::checker {

class Parents {
 public:
  /// Where a state comes from, in four bytes.
  using Origin = std::uint32_t;
  static Origin origin(std::uint32_t from, bool by_time) { return from | (by_time ? kByTime : 0); }
  /// States that can be told apart.
  static constexpr std::uint32_t kMost = 0x7FFFFFFF;

  /// Of the next state, in their order. A state in which a run begins is its own parent.
  void push_back(Origin origin) { origins_.push_back(origin); }
  std::uint32_t of(std::uint32_t state) const { return origins_[state] & kMost; }
  bool reached_by_time(std::uint32_t state) const { return (origins_[state] & kByTime) != 0; }
  std::size_t bytes() const { return origins_.bytes(); }

  /// The states from the beginning of a run to `state`, both included.
  std::vector<std::uint32_t> path_to(std::uint32_t state) const {
    std::vector<std::uint32_t> path{state};
    while (of(path.back()) != path.back()) path.push_back(of(path.back()));
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  static constexpr std::uint32_t kByTime = 0x80000000;
  HugeList<Origin> origins_;
};

}  // namespace lockstep::checker
