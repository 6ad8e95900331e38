// Tarjan's algorithm by Boost.Graph. The one file that includes it.
#include "checker/search/components.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include "sim/base/check.hpp"

namespace lockstep::checker {

std::vector<bool> Components::with(const std::vector<bool>& holds) const {
  std::vector<bool> found(cyclic.size(), false);
  for (std::size_t state = 0; state < of.size(); ++state)
    if (holds[state]) found[of[state]] = true;
  return found;
}

namespace {

/// How often something is done between two questions to the watch.
constexpr std::uint64_t kBetween = 1 << 16;

struct CutOff {};

/// The number of each state's component, where Boost writes it; now and then it asks the watch.
/// Throws CutOff.
struct Numbers {
  using key_type = std::size_t;
  using value_type = std::uint32_t;
  using reference = std::uint32_t;
  using category = boost::read_write_property_map_tag;

  std::vector<std::uint32_t>* of;
  std::uint64_t* written;
  Watch* watch;
};
std::uint32_t get(const Numbers& numbers, std::size_t state) { return (*numbers.of)[state]; }
void put(const Numbers& numbers, std::size_t state, std::uint32_t component) {
  if (++*numbers.written % kBetween == 0 && !numbers.watch->may_go_on()) throw CutOff{};
  (*numbers.of)[state] = component;
}

/// Gives each state its component; returns how many there are.
std::uint32_t number(const StepEdges& edges, std::uint32_t states, Watch& watch,
                     std::vector<std::uint32_t>& of) {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  const Graph graph(boost::edges_are_sorted, edges.begin(), edges.end(),
                    Graph::vertices_size_type{states}, edges.size());
  of.resize(states);
  std::uint64_t written = 0;
  return boost::strong_components(graph, Numbers{&of, &written, &watch});
}

}  // namespace

Components components(const StepEdges& edges, std::uint32_t states, Watch& watch) {
  LOCKSTEP_CHECK(std::ranges::is_sorted(edges, {}, &StepEdges::value_type::first));
  Components found;
  try {
    const std::uint32_t count = number(edges, states, watch, found.of);
    found.cyclic.assign(count, false);
    found.left.assign(count, false);
  } catch (const CutOff&) {
    return found;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i % kBetween == 0 && !watch.may_go_on()) break;
    const auto [from, to] = edges[i];
    (found.of[from] == found.of[to] ? found.cyclic : found.left)[found.of[from]] = true;
  }
  return found;
}

}  // namespace lockstep::checker
