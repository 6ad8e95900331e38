// The naive explorer's search loop on puzzles whose figures are known by reasoning, none of which
// has to do with locks.
#include "checker/naive/search.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

using namespace lockstep::checker;

namespace {

template <typename State>
using Moves = std::vector<Move<State, std::string>>;

bool never(const Statistics&) { return false; }

// ---- two pitchers of 3 and 5 litres: fill, empty, pour over
// -------------------------------------------------------------- Whatever one does, afterwards one
// of the pitchers is empty or full: reachable are the points on the border of the 4 x 6 rectangle
// of fillings, 2 * (3 + 5) = 16.
struct Pitchers {
  int three = 0, five = 0;
};

std::string identity(const Pitchers& pitchers) {
  return std::to_string(pitchers.three) + "/" + std::to_string(pitchers.five);
}

Moves<Pitchers> pour(const Pitchers& pitchers, bool stop_at_four) {
  const int over = std::min(pitchers.three, 5 - pitchers.five);
  const int back = std::min(pitchers.five, 3 - pitchers.three);
  Moves<Pitchers> moves{{"fill 3", {3, pitchers.five}},
                        {"fill 5", {pitchers.three, 5}},
                        {"empty 3", {0, pitchers.five}},
                        {"empty 5", {pitchers.three, 0}},
                        {"3 into 5", {pitchers.three - over, pitchers.five + over}},
                        {"5 into 3", {pitchers.three + back, pitchers.five - back}}};
  for (auto& move : moves) move.goal = stop_at_four && move.state.five == 4;
  return moves;
}

// ---- wolf, goat, cabbage ------------------------------------------------------------------------
// Four things on two banks, 16 placings. Unsafe: the goat is away from the farmer and the wolf or
// the cabbage is with it. For each of the 2 banks of the farmer, the goat opposite leaves 4
// placings of wolf and cabbage of which 1 is safe: 2 * (4 + 1) = 10.
struct Banks {
  bool farmer = false, wolf = false, goat = false, cabbage = false;
};

std::string identity(const Banks& b) {
  return std::string{b.farmer ? '1' : '0', b.wolf ? '1' : '0', b.goat ? '1' : '0',
                     b.cabbage ? '1' : '0'};
}

bool safe(const Banks& b) {
  return b.goat == b.farmer || (b.wolf != b.goat && b.cabbage != b.goat);
}

Moves<Banks> cross(const Banks& banks, bool stop_when_over) {
  Moves<Banks> moves;
  for (bool Banks::*passenger : {&Banks::farmer, &Banks::wolf, &Banks::goat, &Banks::cabbage}) {
    if (banks.*passenger != banks.farmer) continue;
    Banks next = banks;
    next.farmer = !banks.farmer;
    next.*passenger = next.farmer;
    if (!safe(next)) continue;
    moves.push_back({"cross", next, stop_when_over && identity(next) == "1111"});
  }
  return moves;
}

// ---- the sliding puzzle of 2 x 3
// ------------------------------------------------------------------------------------ Half of the
// 6! placings can be reached, 360: a move swaps two tiles and moves the blank by one, so that the
// parity of the permutation follows the blank's place.
using Tiles = std::string;

Moves<Tiles> slide(const Tiles& tiles) {
  static const std::array<std::vector<std::size_t>, 6> neighbours{
      {{1, 3}, {0, 2, 4}, {1, 5}, {0, 4}, {1, 3, 5}, {2, 4}}};
  const std::size_t blank = tiles.find(' ');
  Moves<Tiles> moves;
  for (const std::size_t place : neighbours[blank]) {
    Tiles next = tiles;
    std::swap(next[blank], next[place]);
    moves.push_back({std::string(1, tiles[place]), next});
  }
  return moves;
}

}  // namespace

TEST_CASE("two pitchers: every filling on the border, four litres after six steps") {
  BreadthFirst<Pitchers, std::string> all;
  all.run(
      {}, [](const Pitchers& pitchers) { return identity(pitchers); },
      [](StateNumber, const Pitchers& pitchers) { return pour(pitchers, false); }, never);
  CHECK(all.complete());
  CHECK(all.statistics().states == 16);
  CHECK(all.statistics().transitions == 16 * 6);
  CHECK(all.ways_to_goals().empty());

  BreadthFirst<Pitchers, std::string> four;
  four.run(
      {}, [](const Pitchers& pitchers) { return identity(pitchers); },
      [](StateNumber, const Pitchers& pitchers) { return pour(pitchers, true); }, never);
  CHECK_FALSE(four.complete());
  REQUIRE(four.ways_to_goals().size() == 1);
  CHECK(four.ways_to_goals().front() == std::vector<std::string>{"fill 5", "5 into 3", "empty 3",
                                                                 "5 into 3", "fill 5", "5 into 3"});
}

TEST_CASE("wolf, goat and cabbage: ten safe placings, over in seven") {
  const auto id = [](const Banks& banks) { return identity(banks); };
  BreadthFirst<Banks, std::string> all;
  all.run(
      {}, id, [](StateNumber, const Banks& banks) { return cross(banks, false); }, never);
  CHECK(all.complete());
  CHECK(all.statistics().states == 10);
  CHECK(all.statistics().depth == 7);

  BreadthFirst<Banks, std::string> over;
  over.run(
      {}, id, [](StateNumber, const Banks& banks) { return cross(banks, true); }, never);
  REQUIRE_FALSE(over.ways_to_goals().empty());
  CHECK(over.ways_to_goals().front().size() == 7);
  CHECK(over.statistics().depth == 7);
}

TEST_CASE("2 x 3 sliding puzzle: half of all placings, the farthest 21 moves away") {
  BreadthFirst<Tiles, std::string> search;
  search.run(
      "12345 ", [](const Tiles& tiles) { return tiles; },
      [](StateNumber, const Tiles& tiles) { return slide(tiles); }, never);
  CHECK(search.complete());
  CHECK(search.statistics().states == 360);
  CHECK(search.statistics().depth == 21);
  // Each placing has as many moves as its blank has neighbours; the six places have 14 together, 60
  // placings each.
  CHECK(search.statistics().transitions == 14 * 60);
}

TEST_CASE("a search that is stopped is not complete, and a way leads to every state") {
  std::uint64_t deepest = 0;
  BreadthFirst<Tiles, std::string> search;
  search.run(
      "12345 ", [](const Tiles& tiles) { return tiles; },
      [](StateNumber, const Tiles& tiles) { return slide(tiles); },
      [&](const Statistics& so_far) {
        deepest = so_far.depth;
        return deepest == 3;
      });
  CHECK_FALSE(search.complete());
  CHECK(deepest == 3);
  const auto last = static_cast<StateNumber>(search.statistics().states - 1);
  CHECK(search.way_to(last).size() == 3);
  CHECK(search.way_to(0).empty());
}
