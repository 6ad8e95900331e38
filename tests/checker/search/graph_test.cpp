// What is read off a finished search: steps, paths, the best among shortest ways, and strongly
// connected components. On puzzles and on graphs that one can draw.
#include "checker/search/graph.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "checker/naive/cycles.hpp"
#include "checker/search/components.hpp"
#include "checker/search/levels.hpp"
#include "checker/search/search.hpp"
#include "checker/search/shortest.hpp"
#include "tests/checker/search/puzzles.hpp"

using namespace lockstep::checker;
using namespace lockstep::tests;

namespace {

template <class S>
struct Searched {
  Watch watch{{}, {}};
  Search<S, Levels> search;
  FirstViolations<S> found;
  explicit Searched(S& puzzle) : search(puzzle, watch) { search.run(found); }
  Way<S> best() { return best_way(search.graph(), search.frontier().starts(), found.steps); }
};

constexpr std::uint8_t kA = 0, kB = 1;

Components all_components(StepEdges edges, std::uint32_t states) {
  std::ranges::sort(edges);
  Watch watch{{}, {}};
  return components(edges, states, watch);
}

}  // namespace

TEST_CASE("the graph of a search finds its states and their steps again") {
  Sliding puzzle;
  Searched<Sliding> searched(puzzle);
  const auto graph = searched.search.graph();
  REQUIRE(graph.states() == 360);
  std::uint64_t steps = 0;
  for (std::uint32_t s = 0; s < graph.states(); ++s) {
    const auto state = graph[s];
    CHECK(graph.find(state.data()) == s);
    graph.successors(s, [&](std::uint32_t to, unsigned, const PuzzleFacts&) {
      REQUIRE(to < 360);
      ++steps;
      unsigned back = 0;  // every move can be taken back, by one move
      graph.successors(to, [&](std::uint32_t again, unsigned, const PuzzleFacts&) {
        if (again == s) ++back;
      });
      CHECK(back == 1);
    });
  }
  CHECK(steps == 60 * 14);
  const Graph<Sliding>::State twice{1, 1, 2, 3, 4, 5};
  CHECK(graph.find(twice.data()) == Graph<Sliding>::kUnvisited);
}

TEST_CASE("the steps along a path lead where it leads") {
  Jugs jugs;
  Searched<Jugs> searched(jugs);
  const auto graph = searched.search.graph();
  for (std::uint32_t s = 0; s < graph.states(); ++s) {
    const auto path = graph.path_to(s);
    CHECK(path.back() == s);
    auto state = graph[0];
    for (const unsigned label : graph.steps_along(path)) {
      bool taken = false;
      const auto from = state;
      jugs.expand(from.data(), kAllPasses,
                  [&](const std::uint32_t* next, unsigned step, const PuzzleFacts&) {
                    if (step == label) std::copy_n(next, 2, state.begin());
                    taken = taken || step == label;
                  });
      REQUIRE(taken);
    }
    CHECK(graph.find(state.data()) == s);
  }
}

TEST_CASE("a step that ends a run leads nowhere in the graph") {
  Jugs jugs;
  jugs.has_goal = true;
  Searched<Jugs> searched(jugs);
  REQUIRE(searched.found.steps.size() == 1);
  const auto graph = searched.search.graph();
  bool seen = false;
  graph.successors(searched.found.steps[0].from,
                   [&](std::uint32_t to, unsigned, const PuzzleFacts& facts) {
                     if (facts.ends()) CHECK(to == Graph<Jugs>::kUnvisited);
                     seen = seen || facts.ends();
                   });
  CHECK(seen);
  CHECK(searched.best().steps == std::vector<unsigned>{1, 5, 2, 5, 1, 5});
  CHECK(searched.best().facts.goal);
}

TEST_CASE("among the shortest ways one with the fewest switches between actors") {
  // Two ways of four steps: A B A goal and, found later, A A B goal.
  Drawn graph({{0, 1, kA},
               {1, 2, kB},
               {1, 3, kA},
               {2, 4, kA},
               {3, 5, kB},
               {4, 9, kB, kGoal},
               {5, 9, kB, kGoal}});
  CHECK(Searched<Drawn>(graph).best().steps == std::vector<unsigned>{0, 2, 4, 6});
}

TEST_CASE("a step of nobody is no switch, and among equal ways the first actor's comes first") {
  Drawn graph({{0, 1, kA},
               {1, 2, kNobody},
               {1, 3, kB},
               {2, 9, kA, kGoal},    // A, nobody, A: none
               {3, 9, kA, kGoal}});  // A, B, A: two
  CHECK(Searched<Drawn>(graph).best().steps == std::vector<unsigned>{0, 1, 3});

  // All without a switch: nobody's step is listed first, B's next, A's last, and A's is taken.
  Drawn equal({{0, 1, kNobody},
               {0, 2, kB},
               {0, 3, kA},
               {1, 9, kNobody, kGoal},
               {2, 9, kNobody, kGoal},
               {3, 9, kNobody, kGoal}});
  CHECK(Searched<Drawn>(equal).best().steps == std::vector<unsigned>{2, 5});
}

TEST_CASE("the cost of a way counts before its switches") {
  Drawn graph({{0, 1, kA},
               {0, 2, kB},
               {1, 9, kA, kGoal, false, false, 2},
               {2, 9, kA, kGoal, false, false, 1}});
  CHECK(Searched<Drawn>(graph).best().steps == std::vector<unsigned>{1, 3});
}

TEST_CASE("components: where runs end up, and where they can go on for ever") {
  // 0 -> 1 <-> 2 -> 3 <-> 4 <-> 5, 1 -> 6, and 7 that leads to itself.
  const Components found = all_components(
      {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 4}, {4, 3}, {4, 5}, {5, 4}, {1, 6}, {7, 7}}, 8);
  CHECK(std::set<std::uint32_t>(found.of.begin(), found.of.end()).size() == 5);
  CHECK(found.cyclic.size() == 5);
  CHECK(found.of[1] == found.of[2]);
  CHECK(found.of[3] == found.of[4]);
  CHECK(found.of[3] == found.of[5]);
  const auto at = [&](const std::vector<bool>& of_component, std::size_t state) -> bool {
    return of_component[found.of[state]];
  };
  for (const std::size_t left : {0U, 1U, 2U}) CHECK(at(found.left, left));
  for (const std::size_t end : {3U, 6U, 7U}) CHECK_FALSE(at(found.left, end));
  for (const std::size_t cyclic : {1U, 3U, 7U}) CHECK(at(found.cyclic, cyclic));
  for (const std::size_t once : {0U, 6U}) CHECK_FALSE(at(found.cyclic, once));

  const auto with = found.with({false, false, true, false, false, true, false, false});
  for (const std::size_t yes : {1U, 2U, 3U, 4U, 5U}) CHECK(at(with, yes));
  for (const std::size_t no : {0U, 6U, 7U}) CHECK_FALSE(at(with, no));
}

TEST_CASE("every state of the sliding puzzle leads to every other: one component") {
  Sliding puzzle;
  Searched<Sliding> searched(puzzle);
  const auto graph = searched.search.graph();
  StepEdges edges;
  for (std::uint32_t s = 0; s < graph.states(); ++s)
    graph.successors(
        s, [&](std::uint32_t to, unsigned, const PuzzleFacts&) { edges.emplace_back(s, to); });
  const Components all = all_components(edges, graph.states());
  CHECK(all.cyclic == std::vector<bool>{true});
  CHECK(all.left == std::vector<bool>{false});
}

TEST_CASE("a ring with an exit: one component that is left, however long") {
  constexpr std::uint32_t kLength = 100'000;  // no recursion that deep
  StepEdges edges;
  for (std::uint32_t s = 0; s < kLength; ++s) edges.emplace_back(s, (s + 1) % kLength);
  edges.emplace_back(kLength / 3, kLength);
  const Components found = all_components(edges, kLength + 1);
  CHECK(found.cyclic.size() == 2);
  CHECK(found.of[0] == found.of[kLength / 2]);
  CHECK(found.left[found.of[0]]);
  CHECK_FALSE(found.left[found.of[kLength]]);
  CHECK_FALSE(found.cyclic[found.of[kLength]]);
}

TEST_CASE("the look at components ends when the watch says so", "[many-models]") {
  constexpr std::uint32_t kLength = 1'000'000;
  StepEdges edges;
  for (std::uint32_t s = 0; s + 1 < kLength; ++s) edges.emplace_back(s, s + 1);
  int asked = 0;
  const auto ask = [&](int most) {
    asked = 0;
    Watch watch(
        {}, [&, most](const Statistics&) -> std::string { return ++asked > most ? "enough" : ""; });
    components(edges, kLength, watch);
    return watch.why();
  };
  CHECK(ask(3) == "enough");
  CHECK(asked == 4);
  CHECK(ask(1000).empty());
  const int all = asked;
  CHECK(ask(all - 1) == "enough");  // while edges are sorted into components
}

TEST_CASE("two algorithms agree on the closed sets of random graphs") {
  std::mt19937 random(11);  // NOLINT: a fixed seed is the point
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::uint32_t states = 1 + static_cast<std::uint32_t>(random() % 30);
    StepEdges edges;
    for (auto n = random() % (2 * states); n > 0; --n)
      edges.emplace_back(random() % states, random() % states);
    const Components tarjan = all_components(edges, states);
    const ClosedSets kosaraju = closed_sets(states, edges);
    for (std::uint32_t a = 0; a < states; ++a) {
      REQUIRE(tarjan.left[tarjan.of[a]] == (kosaraju.of[a] == ClosedSets::kNone));
      if (kosaraju.of[a] == ClosedSets::kNone) continue;
      REQUIRE(tarjan.cyclic[tarjan.of[a]] == kosaraju.cyclic[kosaraju.of[a]]);
      for (std::uint32_t b = 0; b < states; ++b)
        REQUIRE((tarjan.of[a] == tarjan.of[b]) == (kosaraju.of[a] == kosaraju.of[b]));
    }
  }
}
