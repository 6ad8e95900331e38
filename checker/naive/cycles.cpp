// Kosaraju's two walks: forwards, noting in which order states are left; then backwards, from the
// state left last. What a backward walk reaches can reach its start and be reached from it.
#include "checker/naive/cycles.hpp"

#include <algorithm>
#include <cstddef>

namespace lockstep::checker {

namespace {

/// The states next to each state, one after the other.
class Neighbours {
 public:
  Neighbours(std::uint32_t states, const std::vector<Edge>& edges, bool backwards)
      : begin_(std::size_t{states} + 1, 0), all_(edges.size()) {
    const auto from = [&](const Edge& edge) { return backwards ? edge.second : edge.first; };
    const auto to = [&](const Edge& edge) { return backwards ? edge.first : edge.second; };
    for (const Edge& edge : edges) ++begin_[std::size_t{from(edge)} + 1];
    for (std::size_t s = 0; s < states; ++s) begin_[s + 1] += begin_[s];
    std::vector<std::size_t> place(begin_.begin(), begin_.end() - 1);
    for (const Edge& edge : edges) all_[place[from(edge)]++] = to(edge);
  }

  std::size_t begin(StateNumber state) const { return begin_[state]; }
  std::size_t end(StateNumber state) const { return begin_[std::size_t{state} + 1]; }
  StateNumber at(std::size_t place) const { return all_[place]; }

 private:
  std::vector<std::size_t> begin_;
  std::vector<StateNumber> all_;
};

/// Appends the states that a depth-first walk from `start` newly reaches, in the order in which it
/// leaves them.
void walk(const Neighbours& neighbours, StateNumber start, std::vector<bool>& reached,
          std::vector<StateNumber>& left) {
  if (reached[start]) return;
  reached[start] = true;
  std::vector<std::pair<StateNumber, std::size_t>> way{{start, neighbours.begin(start)}};
  while (!way.empty()) {
    auto& [state, place] = way.back();
    if (place == neighbours.end(state)) {
      left.push_back(state);
      way.pop_back();
      continue;
    }
    const StateNumber next = neighbours.at(place++);
    if (reached[next]) continue;
    reached[next] = true;
    way.emplace_back(next, neighbours.begin(next));
  }
}

}  // namespace

StrongSets strong_sets(std::uint32_t states, const std::vector<Edge>& edges) {
  std::vector<StateNumber> left;
  std::vector<bool> reached(states, false);
  const Neighbours forwards(states, edges, false);
  for (StateNumber state = 0; state < states; ++state) walk(forwards, state, reached, left);

  StrongSets sets;
  sets.of.assign(states, 0);
  std::uint32_t count = 0;
  std::reverse(left.begin(), left.end());
  reached.assign(states, false);
  const Neighbours backwards(states, edges, true);
  std::vector<StateNumber> together;
  for (const StateNumber state : left) {
    together.clear();
    walk(backwards, state, reached, together);
    for (const StateNumber member : together) sets.of[member] = count;
    if (!together.empty()) ++count;
  }

  sets.cyclic.assign(count, false);
  for (const auto& [from, to] : edges)
    if (sets.of[from] == sets.of[to]) sets.cyclic[sets.of[from]] = true;
  return sets;
}

ClosedSets closed_sets(std::uint32_t states, const std::vector<Edge>& edges) {
  const StrongSets strong = strong_sets(states, edges);
  ClosedSets sets{strong.of, strong.cyclic};
  std::vector<bool> open(sets.cyclic.size(), false);
  for (const auto& [from, to] : edges)
    if (sets.of[from] != sets.of[to]) open[sets.of[from]] = true;
  for (std::uint32_t& set : sets.of) {
    if (open[set]) set = ClosedSets::kNone;
  }
  return sets;
}

}  // namespace lockstep::checker
