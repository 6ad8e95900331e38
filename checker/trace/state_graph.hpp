// Every world that a model can come to, and every step between two of them, in words: small enough
// to be looked at. On the naive explorer's worlds, as traces are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/model.hpp"

namespace lockstep::checker {

struct StateGraph {
  struct State {
    std::vector<std::string> lines;         ///< "A inside", "lock = A.1, expires in 10000 ms"
    std::size_t depth = 0;                  ///< steps of a shortest run that leads here
    std::optional<sim::Property> violated;  ///< by each step that leads here
    bool open = false;                      ///< what follows was left out: the bound was reached
  };
  struct Step {
    std::size_t from = 0, to = 0;
    std::string text;  ///< "A hears OK: holds the lock"
    bool fault = false;
  };
  std::vector<State> states;  ///< in the order of their depths; the first is where it begins
  std::vector<Step> steps;
  bool complete() const;  ///< nothing was left out
};

/// At most `most` states, those that are reached first. Of time, only the points that are deadlines
/// (as Walk::enabled has them). A step that violates a property leads to a state of its own.
StateGraph state_graph(const sim::Model& model, std::size_t most);

}  // namespace lockstep::checker
