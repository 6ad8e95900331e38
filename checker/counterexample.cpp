// The choice among shortest counterexamples: the search keeps one parent per state, so the graph of
// all shortest paths is expanded once more, level by level, with the least number of switches to
// each (state, last process).
#include "checker/counterexample.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace lockstep::checker {

namespace {

using State = std::array<std::uint32_t, sim::World::kMaxWidth>;
constexpr std::uint8_t kNobody = 255;  // no process has done anything yet

/// The process that a step belongs to, or kNobody for time and nodes.
std::uint8_t actor_of(const sim::Candidate& candidate) {
  using Kind = sim::Action::Kind;
  switch (candidate.kind) {
    case Kind::pass:
    case Kind::jump_node:
    case Kind::node_crash:
    case Kind::power_loss:
    case Kind::node_restart:
    case Kind::save:
      return kNobody;
    default:
      return candidate.actor;
  }
}

/// A state and the process that acted last on the way to it.
struct Place {
  std::uint32_t state = 0;
  std::uint8_t last = kNobody;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Arrival {
  unsigned switches = 0;
  Place from;
  sim::Action action;
};

class ShortestPaths {
 public:
  ShortestPaths(sim::World& world, Search<sim::World>& search) : world_(world), search_(search) {}

  /// Fewest switches to every place of the levels before the offending states' own.
  void measure() {
    std::map<Place, Arrival> level{{Place{}, Arrival{}}};
    const auto& levels = search_.levels();
    for (std::size_t depth = 0; depth + 2 < levels.size(); ++depth) {
      std::map<Place, Arrival> next;
      for (const auto& [place, arrival] : level)
        spread(place, arrival.switches, levels[depth + 1], levels[depth + 2], next);
      arrivals_.insert(level.begin(), level.end());
      level = std::move(next);
    }
    arrivals_.insert(level.begin(), level.end());
  }

  /// The best way to take `offence`, or nothing if its state was not measured.
  std::optional<std::pair<unsigned, Place>> best(const Offence& offence) const {
    std::optional<std::pair<unsigned, Place>> found;
    const std::uint8_t actor = actor_of(offence.candidate);
    for (auto at = arrivals_.lower_bound({offence.parent, 0});
         at != arrivals_.end() && at->first.state == offence.parent; ++at) {
      const unsigned switches = at->second.switches + switched(at->first.last, actor);
      if (!found || switches < found->first) found = {switches, at->first};
    }
    return found;
  }

  sim::Schedule schedule_to(Place place) const {
    sim::Schedule schedule;
    while (place.state != 0) {
      const Arrival& arrival = arrivals_.at(place);
      schedule.push_back(arrival.action);
      place = arrival.from;
    }
    std::reverse(schedule.begin(), schedule.end());
    return schedule;
  }

 private:
  static unsigned switched(std::uint8_t last, std::uint8_t actor) {
    return last != kNobody && actor != kNobody && last != actor ? 1 : 0;
  }

  void spread(const Place& place, unsigned switches, std::uint32_t from, std::uint32_t to,
              std::map<Place, Arrival>& next) {
    State state;
    search_.store().load(place.state, state.data());
    world_.expand(
        state.data(), true,
        [&](const std::uint32_t* reached, const sim::Candidate& candidate, const sim::Facts&) {
          const std::uint32_t index = search_.store().find(search_.store().fold(reached));
          if (index < from || index >= to) return;  // not one level on
          const std::uint8_t actor = actor_of(candidate);
          const Place there{index, actor == kNobody ? place.last : actor};
          const Arrival arrival{switches + switched(place.last, actor), place,
                                world_.label(state.data(), candidate)};
          const auto [at, added] = next.try_emplace(there, arrival);
          if (!added && arrival.switches < at->second.switches) at->second = arrival;
        });
  }

  sim::World& world_;
  Search<sim::World>& search_;
  std::map<Place, Arrival> arrivals_;
};

/// The violated property to report: the first in the order of the table in DESIGN.md.
sim::Property first_property(sim::Bits violated) {
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
    State state;
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
    State state;
    search.store().load(offence.parent, state.data());
    return world.faults_used(state.data(), offence.candidate);
  };
  unsigned fewest = std::numeric_limits<unsigned>::max();
  for (const auto& offence : offences) fewest = std::min(fewest, faults(offence));
  std::erase_if(offences, [&](const Offence& offence) { return faults(offence) != fewest; });

  const Offence* chosen = &offences.front();
  sim::Schedule schedule;
  if (search.states() <= kMeasurable) {
    ShortestPaths paths(world, search);
    paths.measure();
    std::optional<std::pair<unsigned, Place>> best;
    for (const auto& offence : offences) {
      const auto here = paths.best(offence);
      if (!here || (best && here->first >= best->first)) continue;
      best = here;
      chosen = &offence;
    }
    LOCKSTEP_CHECK(best.has_value());
    schedule = paths.schedule_to(best->second);
  } else {
    schedule = schedule_along(world, search, search.path_to(chosen->parent));
  }
  State state;
  search.store().load(chosen->parent, state.data());
  schedule.push_back(world.label(state.data(), chosen->candidate));
  return {first_property(chosen->violated), schedule};
}

}  // namespace lockstep::checker
