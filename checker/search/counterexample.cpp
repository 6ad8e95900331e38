// The choice among shortest counterexamples: the search keeps one parent per state, so the graph of
// all shortest paths is expanded once more, level by level, with the least number of switches to
// each (state, last process).
#include "checker/search/counterexample.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "sim/world/expand.hpp"

namespace lockstep::checker {

namespace {

using State = std::array<std::uint32_t, sim::World::kMaxWidth>;
constexpr std::uint8_t kNobody = 255;  // no process has done anything yet

/// The process that a step belongs to, or kNobody for time and nodes.
std::uint8_t actor_of(const sim::Candidate& candidate) {
  return row(candidate.kind).fields.process ? candidate.actor : kNobody;
}

/// A state and the process that acted last on the way to it.
struct Place {
  std::uint32_t state = 0;
  std::uint8_t last = kNobody;
  friend auto operator<=>(const Place&, const Place&) = default;
};

unsigned switches(const Place& place, const sim::Candidate& candidate) {
  const std::uint8_t actor = actor_of(candidate);
  return place.last != kNobody && actor != kNobody && place.last != actor ? 1 : 0;
}

/// All shortest paths to the offences, with the least number of switches that is still to come from
/// each place.
class ShortestPaths {
 public:
  static constexpr unsigned kNone = std::numeric_limits<unsigned>::max();

  ShortestPaths(sim::World& world, Search<sim::World>& search, const std::vector<Offence>& offences)
      : world_(world), search_(search), offences_(offences) {
    lay_out();
    measure();
  }

  /// The steps of a best path; among equal ones those that come first: A's before B's, the shorter
  /// wait before the longer.
  sim::Schedule best(Offence& offence) const {
    sim::Schedule schedule;
    Place place;
    for (std::size_t depth = 0; depth + 1 < levels_.size(); ++depth) {
      const Node& node = levels_[depth].at(place);
      std::optional<std::pair<std::pair<std::uint8_t, sim::Action>, Place>> first;
      for (const Edge& edge : node.edges) {
        const unsigned rest = levels_[depth + 1].at(edge.to).to_come;
        if (rest == kNone || rest + switches(place, edge.candidate) != node.to_come) continue;
        const std::pair key{actor_of(edge.candidate), label(place, edge.candidate)};
        if (!first || key < first->first) first = {key, edge.to};
      }
      LOCKSTEP_CHECK(first.has_value());
      schedule.push_back(first->first.second);
      place = first->second;
    }
    const Offence* last = nullptr;
    for (const Offence& each : offences_) {
      if (each.parent != place.state ||
          switches(place, each.candidate) != levels_.back().at(place).to_come)
        continue;
      if (last == nullptr || label(place, each.candidate) < label(place, last->candidate))
        last = &each;
    }
    LOCKSTEP_CHECK(last != nullptr);
    schedule.push_back(label(place, last->candidate));
    offence = *last;
    return schedule;
  }

 private:
  struct Edge {
    Place to;
    sim::Candidate candidate;
  };
  struct Node {
    std::vector<Edge> edges;
    unsigned to_come = kNone;
  };

  void lay_out() {
    const auto& starts = search_.levels();  // the offending states lie between the last two
    levels_.emplace_back()[Place{}];
    for (std::size_t depth = 0; depth + 2 < starts.size(); ++depth) {
      std::map<Place, Node> next;
      for (auto& [place, node] : levels_[depth]) {
        node.edges = edges_from(place, starts[depth + 1], starts[depth + 2]);
        for (const Edge& edge : node.edges) next[edge.to];
      }
      levels_.push_back(std::move(next));
    }
  }

  std::vector<Edge> edges_from(const Place& place, std::uint32_t from, std::uint32_t to) {
    std::vector<Edge> edges;
    State state{};
    search_.store().load(place.state, state.data());
    world_.expand(
        state.data(), true,
        [&](const std::uint32_t* reached, const sim::Candidate& candidate, const sim::Facts&) {
          const std::uint32_t index = search_.store().find(search_.store().fold(reached));
          if (index < from || index >= to) return;  // not one level on
          const std::uint8_t actor = actor_of(candidate);
          edges.push_back({{index, actor == kNobody ? place.last : actor}, candidate});
        });
    return edges;
  }

  void measure() {
    for (auto& [place, node] : levels_.back())
      for (const Offence& offence : offences_)
        if (offence.parent == place.state)
          node.to_come = std::min(node.to_come, switches(place, offence.candidate));
    for (std::size_t depth = levels_.size() - 1; depth-- > 0;) {
      for (auto& [place, node] : levels_[depth]) {
        for (const Edge& edge : node.edges) {
          const unsigned rest = levels_[depth + 1].at(edge.to).to_come;
          if (rest != kNone)
            node.to_come = std::min(node.to_come, rest + switches(place, edge.candidate));
        }
      }
    }
  }

  sim::Action label(const Place& place, const sim::Candidate& candidate) const {
    State state{};
    search_.store().load(place.state, state.data());
    return world_.label(state.data(), candidate);
  }

  sim::World& world_;
  Search<sim::World>& search_;
  const std::vector<Offence>& offences_;
  std::vector<std::map<Place, Node>> levels_;
};

/// The violated property to report: the first in the order of the table in DESIGN.md.
sim::Property first_property(sim::PropertySet violated) {
  for (const auto property : sim::kProperties)
    if ((violated & sim::bit(property)) != 0) return property;
  LOCKSTEP_CHECK(!"a violated property");
  return {};
}

}  // namespace

sim::Schedule schedule_along(sim::World& world, Search<sim::World>& search,
                             const std::vector<std::uint32_t>& path) {
  sim::Schedule schedule;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    State state{};
    search.store().load(path[i], state.data());
    std::optional<sim::Action> action;
    world.expand(
        state.data(), true,
        [&](const std::uint32_t* next, const sim::Candidate& candidate, const sim::Facts&) {
          if (!action && search.store().find(search.store().fold(next)) == path[i + 1])
            action = world.label(state.data(), candidate);
        });
    LOCKSTEP_CHECK(action.has_value());
    schedule.push_back(*action);
  }
  return schedule;
}

Counterexample best_counterexample(sim::World& world, Search<sim::World>& search) {
  constexpr std::uint32_t kMeasurable =
      300'000;  // beyond it the switches are not minimised, only the faults
  std::vector<Offence> offences = search.offences();
  const auto faults = [&](const Offence& offence) {
    State state{};
    search.store().load(offence.parent, state.data());
    return world.faults_used(state.data(), offence.candidate);
  };
  unsigned fewest = std::numeric_limits<unsigned>::max();
  for (const auto& offence : offences) fewest = std::min(fewest, faults(offence));
  std::erase_if(offences, [&](const Offence& offence) { return faults(offence) != fewest; });

  Offence chosen = offences.front();
  if (search.states() <= kMeasurable) {
    const sim::Schedule schedule = ShortestPaths(world, search, offences).best(chosen);
    return {first_property(chosen.violated), schedule};
  }
  sim::Schedule schedule = schedule_along(world, search, search.path_to(chosen.parent));
  State state{};
  search.store().load(chosen.parent, state.data());
  schedule.push_back(world.label(state.data(), chosen.candidate));
  return {first_property(chosen.violated), schedule};
}

}  // namespace lockstep::checker
