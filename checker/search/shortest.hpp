// The choice among the shortest ways to a violation: the search keeps one parent per state, so the
// graph of all shortest ways is expanded once more, level by level, with the least number of
// switches between actors that is still to come from each (state, last actor).
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checker/search/graph.hpp"
#include "checker/search/violations.hpp"
#include "sim/base/check.hpp"

namespace lockstep::checker {

/// Who takes a step, where somebody does: steps of nobody are no switch.
using Actor = std::optional<std::uint8_t>;

/// A system that says of a step who takes it, and what a way that ends with it has cost.
template <class S>
concept CountsSwitches = System<S> &&
    requires(S& system, const std::uint32_t* state, const typename S::Step& step) {
  { system.actor(step) } -> std::convertible_to<Actor>;
  { system.cost(state, step) } -> std::convertible_to<unsigned>;
};

/// A way from the start that ends with a violation.
template <System S>
struct Way {
  std::vector<LabelOf<S>> steps;
  typename S::Facts facts;  ///< of the last step
};

template <CountsSwitches S>
class ShortestWays {
 public:
  /// All shortest ways to the violations. `starts`: the first state of each level, as Levels has
  /// it.
  ShortestWays(const Graph<S>& graph, const std::vector<std::uint32_t>& starts,
               const std::vector<Violation<S>>& violations)
      : graph_(graph), violations_(violations) {
    lay_out(starts);
    measure();
  }

  /// One with the fewest switches; among equal ones the one whose steps come first: the first
  /// actor's before the second's (and nobody's last), then the lesser label.
  Way<S> best() const {
    Way<S> way;
    Place place;
    for (std::size_t depth = 0; depth + 1 < levels_.size(); ++depth) {
      auto [label, to] = first_step(depth, place);
      way.steps.push_back(std::move(label));
      place = to;
    }
    const Violation<S>* last = nullptr;
    for (const auto& each : violations_) {
      if (each.from != place.state ||
          switches(place, each.step) != levels_.back().at(place).to_come)
        continue;
      if (last == nullptr ||
          graph_.label(place.state, each.step) < graph_.label(place.state, last->step))
        last = &each;
    }
    LOCKSTEP_CHECK(last != nullptr);
    way.steps.push_back(graph_.label(place.state, last->step));
    way.facts = last->facts;
    return way;
  }

 private:
  using Step = typename S::Step;
  using Label = LabelOf<S>;
  static constexpr unsigned kNone = std::numeric_limits<unsigned>::max();

  /// A state and who acted last on the way to it.
  struct Place {
    std::uint32_t state = 0;
    Actor last;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Edge {
    Place to;
    Step step;
  };
  struct Node {
    std::vector<Edge> edges;
    unsigned to_come = kNone;  ///< switches, at least
  };

  unsigned switches(const Place& place, const Step& step) const {
    const Actor actor = graph_.system().actor(step);
    return place.last && actor && place.last != actor ? 1 : 0;
  }

  void lay_out(const std::vector<std::uint32_t>& starts) {
    levels_.emplace_back()[Place{}];  // the violating states would lie after the last level
    for (std::size_t depth = 0; depth + 2 < starts.size(); ++depth) {
      std::map<Place, Node> next;
      for (auto& [place, node] : levels_[depth]) {
        node.edges = edges_from(place, starts[depth + 1], starts[depth + 2]);
        for (const Edge& edge : node.edges) next[edge.to];
      }
      levels_.push_back(std::move(next));
    }
  }

  /// To the states [from, to): the others are not one level on.
  std::vector<Edge> edges_from(const Place& place, std::uint32_t from, std::uint32_t to) const {
    std::vector<Edge> edges;
    graph_.successors(place.state,
                      [&](std::uint32_t next, const Step& step, const typename S::Facts&) {
                        if (next < from || next >= to) return;
                        const Actor actor = graph_.system().actor(step);
                        edges.push_back({{next, actor ? actor : place.last}, step});
                      });
    return edges;
  }

  void measure() {
    for (auto& [place, node] : levels_.back())
      for (const auto& violation : violations_)
        if (violation.from == place.state)
          node.to_come = std::min(node.to_come, switches(place, violation.step));
    for (std::size_t depth = levels_.size() - 1; depth-- > 0;) {
      for (auto& [place, node] : levels_[depth]) {
        for (const Edge& edge : node.edges) {
          const unsigned rest = levels_[depth + 1].at(edge.to).to_come;
          if (rest != kNone)
            node.to_come = std::min(node.to_come, rest + switches(place, edge.step));
        }
      }
    }
  }

  std::pair<Label, Place> first_step(std::size_t depth, const Place& place) const {
    const Node& node = levels_[depth].at(place);
    std::optional<std::pair<std::pair<bool, Actor>, Label>> key;
    Place to;
    for (const Edge& edge : node.edges) {
      const unsigned rest = levels_[depth + 1].at(edge.to).to_come;
      if (rest == kNone || rest + switches(place, edge.step) != node.to_come) continue;
      const Actor actor = graph_.system().actor(edge.step);
      std::pair candidate{std::pair{!actor, actor}, graph_.label(place.state, edge.step)};
      if (key && !(candidate < *key)) continue;
      key = std::move(candidate);
      to = edge.to;
    }
    LOCKSTEP_CHECK(key.has_value());
    return {std::move(key->second), to};
  }

  const Graph<S>& graph_;
  const std::vector<Violation<S>>& violations_;
  std::vector<std::map<Place, Node>> levels_;
};

/// The best way to one of the violations, which are all equally far from the start: the least cost,
/// then the fewest switches.
template <CountsSwitches S>
Way<S> best_way(const Graph<S>& graph, const std::vector<std::uint32_t>& starts,
                std::vector<Violation<S>> violations) {
  constexpr std::uint32_t kMeasurable = 300'000;  // beyond it the switches are not counted
  const auto cost = [&](const Violation<S>& violation) -> unsigned {
    return graph.system().cost(graph[violation.from].data(), violation.step);
  };
  unsigned least = std::numeric_limits<unsigned>::max();
  for (const auto& violation : violations) least = std::min(least, cost(violation));
  std::erase_if(violations, [&](const auto& violation) { return cost(violation) != least; });

  if (graph.states() <= kMeasurable) return ShortestWays<S>(graph, starts, violations).best();
  const auto& first = violations.front();
  Way<S> way{graph.steps_along(graph.path_to(first.from)), first.facts};
  way.steps.push_back(graph.label(first.from, first.step));
  return way;
}

}  // namespace lockstep::checker
