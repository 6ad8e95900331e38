// Strongly connected components by Boost.Graph (Tarjan). The one file that includes it.
#include "checker/search/cycles.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <utility>
#include <vector>

#include "sim/base/token.hpp"
#include "sim/world/expand.hpp"

namespace lockstep::checker {

namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// What the analysis keeps of the state graph.
struct StateGraph {
  Edges zero_time;                  ///< steps that have to happen and take no time
  Edges all;                        ///< all steps but faults
  std::vector<bool> time_passes;    ///< by state
  std::vector<bool> acquires;       ///< by state: some step out of it acquires
  std::vector<std::uint8_t> actor;  ///< by state: whose zero-time step leaves it
};

StateGraph collect(sim::World& world, Search<sim::World>& search) {
  StateGraph graph;
  graph.time_passes.assign(search.states(), false);
  graph.acquires.assign(search.states(), false);
  graph.actor.assign(search.states(), 0);
  std::array<std::uint32_t, sim::World::kMaxWidth> state{};
  for (std::uint32_t from = 0; from < search.states(); ++from) {
    search.store().load(from, state.data());
    world.expand(
        state.data(), true,
        [&](const std::uint32_t* next, const sim::Candidate& candidate, const sim::Facts& facts) {
          if (sim::is_fault(candidate.kind)) return;
          const std::uint32_t to = search.store().find(search.store().fold(next));
          LOCKSTEP_CHECK(to != StateStore::kAbsent);
          graph.all.emplace_back(from, to);
          if (facts.acquired_by != 0) graph.acquires[from] = true;
          if (candidate.kind == sim::Action::Kind::pass) {
            graph.time_passes[from] = true;
          } else {
            graph.zero_time.emplace_back(from, to);
            graph.actor[from] = candidate.actor;
          }
        });
  }
  return graph;
}

/// Component of each state, and for each component whether an edge runs inside it and whether one
/// leaves it.
struct Components {
  std::vector<std::uint32_t> of;
  std::vector<bool> cyclic, left;
};

Components components(const Edges& edges, std::uint32_t states) {
  const Graph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), states);
  Components found;
  found.of.resize(states);
  const auto count = boost::strong_components(
      graph,
      boost::make_iterator_property_map(found.of.begin(), boost::get(boost::vertex_index, graph)));
  found.cyclic.assign(count, false);
  found.left.assign(count, false);
  for (const auto& [from, to] : edges) {
    if (found.of[from] == found.of[to]) {
      found.cyclic[found.of[from]] = true;
    } else {
      found.left[found.of[from]] = true;
    }
  }
  return found;
}

}  // namespace

CycleFindings find_cycles(sim::World& world, Search<sim::World>& search,
                          const std::set<sim::Property>& properties) {
  const StateGraph graph = collect(world, search);
  CycleFindings findings;

  const Components zero = components(graph.zero_time, search.states());
  std::vector<bool> time_passes(zero.cyclic.size(), false);
  for (std::uint32_t s = 0; s < search.states(); ++s)
    if (graph.time_passes[s]) time_passes[zero.of[s]] = true;
  for (std::uint32_t s = 0; s < search.states(); ++s) {
    const std::uint32_t component = zero.of[s];
    if (!zero.cyclic[component] || zero.left[component] || time_passes[component]) continue;
    findings.zero_time = "of process " + sim::process_name(graph.actor[s]);
    return findings;
  }

  const Components all = components(graph.all, search.states());
  std::vector<bool> acquires(all.cyclic.size(), false);
  for (std::uint32_t s = 0; s < search.states(); ++s)
    if (graph.acquires[s]) acquires[all.of[s]] = true;
  std::array<std::uint32_t, sim::World::kMaxWidth> state{};
  for (std::uint32_t s = 0; s < search.states(); ++s) {
    const std::uint32_t component = all.of[s];
    if (all.left[component] || acquires[component]) continue;
    search.store().load(s, state.data());
    const bool stuck =
        world.waiting(state.data()) != 0 && properties.contains(sim::Property::deadlock);
    const bool endless = all.cyclic[component] && world.only_spawned(state.data()) &&
                         properties.contains(sim::Property::leak);
    if (!stuck && !endless) continue;
    findings.property = stuck ? sim::Property::deadlock : sim::Property::leak;
    findings.state = s;
    return findings;
  }
  return findings;
}

}  // namespace lockstep::checker
