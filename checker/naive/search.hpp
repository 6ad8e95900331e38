// The naive explorer's search loop, alone: breadth-first by whole levels with an exact visited set.
// It knows nothing of locks, so that it can also be tested on puzzles whose figures are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/bounds.hpp"

namespace lockstep::checker {

/// One move out of a state. A goal ends the run: its state is neither counted nor explored.
template <typename State, typename Label>
struct Move {
  Label label;
  State state;
  bool goal = false;
};

/// A state, by its number in the order of discovery (the start is 0).
using StateNumber = std::uint32_t;

template <typename State, typename Label>
class BreadthFirst {
 public:
  /// Bytes that are equal for two states iff the states are the same.
  using Identity = std::function<std::string(const State&)>;
  /// All moves out of a state, in a fixed order.
  using Expand = std::function<std::vector<Move<State, Label>>(StateNumber, const State&)>;
  /// Told of every move that is no goal, whether its state is new or was met before.
  using Met = std::function<void(StateNumber from, StateNumber to, const Label&)>;
  /// Asked before each expansion, of a state at the depth that the figures name; true ends the
  /// search.
  using Stop = std::function<bool(const Statistics&)>;

  /// Searches until a level holds a goal (that level is finished), everything is seen, or `stop`
  /// says so.
  void run(State start, const Identity& identity, const Expand& expand, const Stop& stop,
           const Met& met = {}) {
    std::vector<std::pair<StateNumber, State>> level, next;
    discover(std::move(start), identity, {0, Label{}}, level);
    for (std::uint64_t depth = 0; !level.empty() && goals_.empty(); ++depth) {
      statistics_.depth = depth;
      for (const auto& [number, state] : level) {
        if (stop(statistics_)) return;
        for (Move<State, Label>& move : expand(number, state)) {
          ++statistics_.transitions;
          if (move.goal) {
            goals_.push_back({number, std::move(move.label)});
          } else {
            const StateNumber to =
                discover(std::move(move.state), identity, {number, move.label}, next);
            if (met) met(number, to, move.label);
          }
        }
      }
      level = std::move(next);
      next.clear();
    }
    complete_ = goals_.empty();
    if (!goals_.empty()) ++statistics_.depth;
  }

  /// True if every reachable state was expanded.
  bool complete() const { return complete_; }
  /// The figures so far, but for the time.
  const Statistics& statistics() const { return statistics_; }

  /// A way to each goal of the first level that has one; empty if none was found.
  std::vector<std::vector<Label>> ways_to_goals() const {
    std::vector<std::vector<Label>> ways;
    for (const Arrival& goal : goals_) {
      ways.push_back(way_to(goal.from));
      ways.back().push_back(goal.by);
    }
    return ways;
  }

  /// A shortest way to a state.
  std::vector<Label> way_to(StateNumber number) const {
    std::vector<Label> way;
    for (; number != 0; number = arrivals_[number].from) way.push_back(arrivals_[number].by);
    std::reverse(way.begin(), way.end());
    return way;
  }

 private:
  struct Arrival {
    StateNumber from;
    Label by;
  };

  StateNumber discover(State state, const Identity& identity, Arrival arrival,
                       std::vector<std::pair<StateNumber, State>>& into) {
    const auto number = static_cast<StateNumber>(arrivals_.size());
    const auto [place, fresh] = visited_.try_emplace(identity(state), number);
    if (!fresh) return place->second;
    statistics_.visited_bytes += place->first.size() + sizeof(*place) + sizeof(Arrival);
    arrivals_.push_back(std::move(arrival));
    statistics_.states = arrivals_.size();
    into.emplace_back(number, std::move(state));
    return number;
  }

  std::unordered_map<std::string, StateNumber> visited_;  // looked up only, never iterated
  std::vector<Arrival> arrivals_;
  std::vector<Arrival> goals_;
  Statistics statistics_;
  bool complete_ = false;
};

}  // namespace lockstep::checker
