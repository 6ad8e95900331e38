// Puzzles for the search: systems whose states, depths and shortest solutions are known without
// this program. None has anything to do with locks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/search/state_store.hpp"

namespace lockstep::tests {

using Next = std::array<std::uint32_t, checker::Unfolded::kRoom>;

/// A goal ends a run; what was met on the way is kept as bits.
struct PuzzleFacts {
  bool goal = false;
  unsigned met = 0;
  PuzzleFacts& operator|=(const PuzzleFacts& other) {
    goal = goal || other.goal;
    met |= other.met;
    return *this;
  }
  bool ends() const { return goal; }
};

/// What a way through a puzzle says of its steps.
inline constexpr std::optional<std::uint8_t> kNobody;
inline constexpr bool kGoal = true;

/// What most puzzles have in common: a step is a number and has no other name.
struct Puzzle {
  using Step = unsigned;
  using Facts = PuzzleFacts;
  static bool passes_time(Step) { return false; }
  static bool adequate() { return true; }
  static std::string obstacle() { return ""; }
  static bool optional(Step) { return false; }
  static Step label(const std::uint32_t*, Step step) { return step; }
  static std::optional<std::uint8_t> actor(Step) { return std::nullopt; }
  static unsigned cost(const std::uint32_t*, Step) { return 0; }
};

/// Two jugs of 3 and 5 litres; the goal is 4 litres in the large one. Every reachable state has a
/// full or an empty jug: on the border of the 4 x 6 grid lie 2*4 + 2*6 - 4 = 16 states, and all are
/// reachable. The shortest solution takes 6 steps.
struct Jugs : Puzzle {
  static constexpr std::uint32_t kSmall = 3, kLarge = 5;
  bool has_goal = false;

  unsigned width() const { return 2; }
  void initial(std::uint32_t* s) const { s[0] = s[1] = 0; }
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t, Sink&& sink) const {
    const auto go = [&](Step step, std::uint32_t small, std::uint32_t large) {
      Next next{small, large};
      sink(next.data(), step, Facts{has_goal && large == 4, 1U << large});
    };
    go(0, kSmall, s[1]);
    go(1, s[0], kLarge);
    go(2, 0, s[1]);
    go(3, s[0], 0);
    const std::uint32_t to_large = std::min(s[0], kLarge - s[1]),
                        to_small = std::min(s[1], kSmall - s[0]);
    go(4, s[0] - to_large, s[1] + to_large);
    go(5, s[0] + to_small, s[1] - to_small);
    return {};
  }
};

/// The sliding puzzle on 2 x 3 squares: half of 6! arrangements are reachable, 360; the hardest is
/// 21 moves away (known since J. Edwards' and others' tables of the 5-puzzle). The hole has 14
/// neighbours in its 6 places together: 60 * 14 moves.
struct Sliding : Puzzle {
  unsigned width() const { return 6; }
  void initial(std::uint32_t* s) const {
    for (std::uint32_t i = 0; i < 6; ++i) s[i] = i;
  }
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t, Sink&& sink) const {
    const auto hole = static_cast<unsigned>(std::find(s, s + 6, 0U) - s);
    const auto swap_with = [&](unsigned other) {
      Next next{};
      std::copy(s, s + 6, next.begin());
      std::swap(next[hole], next[other]);
      sink(next.data(), other, Facts{});
    };
    if (hole % 3 != 0) swap_with(hole - 1);
    if (hole % 3 != 2) swap_with(hole + 1);
    swap_with(hole < 3 ? hole + 3 : hole - 3);
    return {};
  }
};

/// n independent counters from 0 to 4: 5^n states, 4n levels beyond the first, no cycle.
struct Counters : Puzzle {
  unsigned n = 1;

  explicit Counters(unsigned counters) : n(counters) {}
  unsigned width() const { return n; }
  void initial(std::uint32_t* s) const { std::fill(s, s + n, 0U); }
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t, Sink&& sink) const {
    for (unsigned i = 0; i < n; ++i) {
      if (s[i] == 4) continue;
      Next next{};
      std::copy(s, s + n, next.begin());
      ++next[i];
      sink(next.data(), i, Facts{});
    }
    return {};
  }
};

/// Three missionaries and three cannibals cross a river by a boat for two; missionaries are never
/// outnumbered. Of 4 * 4 * 2 placings 16 are reachable, and the shortest crossing takes 11 trips
/// (Amarel, 1968). A state that is the goal ends the run by itself.
struct Missionaries : Puzzle {
  unsigned width() const { return 3; }  ///< missionaries and cannibals on the left, boat gone
  void initial(std::uint32_t* s) const {
    s[0] = s[1] = 3;
    s[2] = 0;
  }
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t, Sink&& sink) const {
    static constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kTrips{
        {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 1}}};
    const bool back = s[2] == 1;
    for (Step trip = 0; trip < kTrips.size(); ++trip) {
      const auto [m, c] = kTrips[trip];
      if ((back ? 3 - s[0] : s[0]) < m || (back ? 3 - s[1] : s[1]) < c) continue;
      Next next{back ? s[0] + m : s[0] - m, back ? s[1] + c : s[1] - c, back ? 0U : 1U};
      const std::uint32_t left = next[0];
      if ((left != 0 && left < next[1]) || (left != 3 && 3 - left < 3 - next[1])) continue;
      sink(next.data(), trip, Facts{});
    }
    return Facts{s[0] + s[1] == 0, 0};
  }
};

/// A graph that one can draw: its edges, from state 0 on, in the order in which they are listed.
struct Drawn : Puzzle {
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::optional<std::uint8_t> actor = {};
    bool goal = false, optional = false, time = false;
    unsigned cost = 0;
  };
  std::vector<Edge> edges;

  explicit Drawn(std::vector<Edge> drawn) : edges(std::move(drawn)) {}
  unsigned width() const { return 1; }
  void initial(std::uint32_t* s) const { s[0] = 0; }
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t passes, Sink&& sink) const {
    for (Step step = 0; step < edges.size(); ++step) {
      const Edge& edge = edges[step];
      if (edge.from != s[0] || (edge.time && passes == 0)) continue;
      if (edge.time) --passes;
      Next next{edge.to};
      sink(next.data(), step, Facts{edge.goal, 0});
    }
    return {};
  }
  bool passes_time(Step step) const { return edges[step].time; }
  bool optional(Step step) const { return edges[step].optional; }
  std::optional<std::uint8_t> actor(Step step) const { return edges[step].actor; }
  unsigned cost(const std::uint32_t*, Step step) const { return edges[step].cost; }
};

/// An observer that wants all there is, and counts what it is told.
struct Everything {
  std::uint64_t steps = 0, states = 0, levels = 0, cycles = 0;
  template <class Step>
  void step(std::uint32_t, const Step&, const PuzzleFacts&) {
    ++steps;
  }
  bool shown(std::uint32_t, const PuzzleFacts&) {
    ++states;
    return true;
  }
  bool level() {
    ++levels;
    return true;
  }
  bool cycle(std::uint32_t) {
    ++cycles;
    return true;
  }
};

}  // namespace lockstep::tests
