// The depth-first search, and where runs can still escape from a violation: on puzzles and on
// graphs that one can draw.
#include "checker/search/stack.hpp"

#include <catch2/catch.hpp>

#include "checker/search/escape.hpp"
#include "tests/checker/search/puzzles.hpp"

using namespace lockstep::checker;
using namespace lockstep::tests;

namespace {

template <class S>
std::optional<LastEscape<unsigned>> last_escape_of(S& puzzle, const std::vector<unsigned>& way,
                                                   std::uint64_t max_states = 0) {
  Bounds bounds;
  bounds.max_states = max_states;
  Watch watch(bounds, {}, Watch::Met::exceeded);
  return last_escape(puzzle, watch, way);
}

constexpr bool kOptional = true;

}  // namespace

TEST_CASE("depth first, the same states are visited") {
  Watch watch({}, {});
  Jugs jugs;
  Search<Jugs, Stack> pouring(jugs, watch);
  Everything poured;
  REQUIRE(pouring.run(poured) == End::complete);
  CHECK(pouring.states() == 16);
  CHECK(poured.states == 16);
  CHECK(pouring.statistics().transitions == 16 * 6);
  CHECK(poured.cycles > 0);

  Sliding tiles;
  Search<Sliding, Stack> sliding(tiles, watch);
  Everything slid;
  REQUIRE(sliding.run(slid) == End::complete);
  CHECK(sliding.states() == 360);
  CHECK(sliding.statistics().depth > 21);  // it follows one run, not the shortest

  Counters counters{5};
  Search<Counters, Stack> counting(counters, watch);
  Everything counted;
  REQUIRE(counting.run(counted) == End::complete);
  CHECK(counting.states() == 3125);
  CHECK(counting.statistics().depth == 20);
  CHECK(counted.cycles == 0);  // counters only go up
}

TEST_CASE("a run that comes back to itself is seen, one that meets another's state is not") {
  Watch watch({}, {});
  Everything seen;
  Drawn diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  Search<Drawn, Stack> without(diamond, watch);
  CHECK(without.run(seen) == End::complete);
  CHECK(seen.cycles == 0);

  Drawn ring({{0, 1}, {1, 2}, {2, 1}, {2, 2}});
  Search<Drawn, Stack> with(ring, watch);
  CHECK(with.run(seen) == End::complete);
  CHECK(seen.cycles == 2);  // 2 -> 1 and 2 -> 2
}

TEST_CASE("a depth-first search keeps to its bounds") {
  Counters counters{6};
  Everything seen;
  Bounds bounds;
  bounds.max_states = 50;
  Watch few(bounds, {}, Watch::Met::exceeded);
  Search<Counters, Stack> search(counters, few);
  CHECK(search.run(seen) == End::stopped);
  CHECK(search.states() == 51);
  CHECK(search.why_stopped() == "more than 50 states");
}

TEST_CASE("four litres can be avoided until the very last pouring") {
  Jugs jugs;
  jugs.has_goal = true;
  const auto last = last_escape_of(jugs, {1, 5, 2, 5, 1, 5});  // fill 5, over, empty 3, over, ...
  REQUIRE(last.has_value());
  CHECK(last->step == 6);
  CHECK(last->way_out == 0U);  // fill the small jug instead: the first of its steps that will do
}

TEST_CASE("the point of no return lies after the last step that could have been another") {
  // A corridor of three steps to the goal, and one side door, at `door`, to a state without steps.
  const auto corridor = [](std::uint32_t door) {
    return Drawn({{0, 1}, {1, 2}, {2, 3, kNobody, kGoal}, {door, 9}});
  };
  for (std::uint32_t door = 0; door < 3; ++door) {
    Drawn graph = corridor(door);
    const auto last = last_escape_of(graph, {0, 1, 2});
    REQUIRE(last.has_value());
    CHECK(last->step == door + 1);
    CHECK(last->way_out == 3U);
  }
  Drawn without = corridor(7);
  CHECK(last_escape_of(without, {0, 1, 2}).value().step == 0);  // unavoidable
}

TEST_CASE("a ring is an escape, and what leads to the goal in two ways is none") {
  // From 1 a ring leads away and back to 1: one can go round for ever.
  Drawn ring({{0, 1}, {1, 2, kNobody, kGoal}, {1, 5}, {5, 6}, {6, 1}});
  const auto round = last_escape_of(ring, {0, 1});
  REQUIRE(round.has_value());
  CHECK(round->step == 2);
  CHECK(round->way_out == 2U);

  // Two ways from 1, both to 2, from where only the goal follows: lost from the start, and known
  // to be, when 2 is met for the second time.
  Drawn lost({{0, 1}, {1, 3}, {1, 4}, {3, 2}, {4, 2}, {2, 8, kNobody, kGoal}});
  CHECK(last_escape_of(lost, {0, 1, 3, 5}).value().step == 0);
}

TEST_CASE("what need not ever happen is no escape: it would only put the harm off") {
  // Beside the goal a step leads away from it that nothing brings about, and from 1 another one.
  Drawn graph({{0, 1},
               {1, 2, kNobody, kGoal},
               {1, 3, kNobody, 0, kOptional},
               {0, 3, kNobody, 0, kOptional}});
  CHECK(last_escape_of(graph, {0, 1}).value().step == 0);
}

TEST_CASE("nothing had to happen where every step is optional") {
  Drawn graph({{0, 1}, {1, 2, kNobody, kGoal, kOptional}});
  const auto last = last_escape_of(graph, {0, 1});
  REQUIRE(last.has_value());
  CHECK(last->step == 2);
  CHECK_FALSE(last->way_out.has_value());

  // One of two steps has to happen, and both are the goal: the way out lies a step earlier.
  Drawn both({{0, 1}, {1, 2, kNobody, kGoal, kOptional}, {1, 2, kNobody, kGoal}, {0, 5}});
  const auto earlier = last_escape_of(both, {0, 1});
  REQUIRE(earlier.has_value());
  CHECK(earlier->step == 1);
  CHECK(earlier->way_out == 3U);
}

TEST_CASE("an escape is never guessed") {
  // A corridor of 100 steps beside the way: too long to be looked along.
  std::vector<Drawn::Edge> edges{{0, 1000, kNobody, kGoal}, {0, 1}};
  for (std::uint32_t s = 1; s < 100; ++s) edges.push_back({s, s + 1});
  Drawn graph(edges);
  CHECK(last_escape_of(graph, {0}).has_value());
  CHECK(last_escape_of(graph, {0}, 101).has_value());
  CHECK_FALSE(last_escape_of(graph, {0}, 50).has_value());
  CHECK_FALSE(last_escape_of(graph, {7, 0}).has_value());  // no such way
}
