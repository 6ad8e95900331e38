// Tarjan's algorithm by Boost.Graph. The one file that includes it.
#include "checker/search/components.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

namespace lockstep::checker {

std::vector<bool> Components::with(const std::vector<bool>& holds) const {
  std::vector<bool> found(cyclic.size(), false);
  for (std::size_t state = 0; state < of.size(); ++state)
    if (holds[state]) found[of[state]] = true;
  return found;
}

Components components(const StepEdges& edges, std::uint32_t states) {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
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

}  // namespace lockstep::checker
