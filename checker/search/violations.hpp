// The observer of a search for what ends a run: the steps of the first level that has any, or a
// state that does so by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/search/system.hpp"

namespace lockstep::checker {

/// A step that ends a run, and the state that it is taken in.
template <System S>
struct Violation {
  std::uint32_t from = 0;
  typename S::Step step;
  typename S::Facts facts;
};

template <System S>
struct FirstViolations {
  std::vector<Violation<S>> steps;     ///< all equally far from the start, in order of discovery
  std::optional<std::uint32_t> state;  ///< the first that ends a run by itself

  void step(std::uint32_t from, const typename S::Step& step, const typename S::Facts& facts) {
    if (facts.ends()) steps.push_back({from, step, facts});
  }
  bool shown(std::uint32_t index, const typename S::Facts& facts) {
    if (facts.ends()) state = index;
    return !facts.ends();
  }
  bool level() const { return steps.empty(); }
};

}  // namespace lockstep::checker
