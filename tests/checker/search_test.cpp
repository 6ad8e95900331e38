// The search loop and the visited set on puzzles whose state counts are known without this program.
#include "checker/search/search.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace {

using lockstep::checker::Bounds;
using lockstep::checker::Search;
using lockstep::checker::StateStore;
using lockstep::sim::Candidate;
using lockstep::sim::Facts;

constexpr lockstep::sim::PropertySet kGoal = 1;

/// Two jugs of 3 and 5 litres; the goal is 4 litres in the large one. Every reachable state has a
/// full or an empty jug: on the border of the 4 x 6 grid lie 2*4 + 2*6 - 4 = 16 states, and all are
/// reachable. The shortest solution takes 6 steps.
struct Jugs {
  static constexpr std::uint32_t kSmall = 3, kLarge = 5;
  unsigned width() const { return 2; }
  void initial(std::uint32_t* s) const { s[0] = s[1] = 0; }
  template <class Sink>
  void expand(const std::uint32_t* s, bool, Sink&& sink) const {
    const auto go = [&](std::uint32_t small, std::uint32_t large) {
      std::uint32_t next[32] = {small, large};
      Facts facts;
      if (large == 4) facts.violated = kGoal;
      sink(next, Candidate{}, facts);
    };
    go(kSmall, s[1]);
    go(s[0], kLarge);
    go(0, s[1]);
    go(s[0], 0);
    const std::uint32_t to_large = std::min(s[0], kLarge - s[1]),
                        to_small = std::min(s[1], kSmall - s[0]);
    go(s[0] - to_large, s[1] + to_large);
    go(s[0] + to_small, s[1] - to_small);
  }
};

/// The sliding puzzle on 2 x 3 squares: half of 6! arrangements are reachable, 360; the hardest is
/// 21 moves away (known since J. Edwards' and others' tables of the 5-puzzle).
struct Sliding {
  unsigned width() const { return 6; }
  void initial(std::uint32_t* s) const {
    for (std::uint32_t i = 0; i < 6; ++i) s[i] = i;
  }
  template <class Sink>
  void expand(const std::uint32_t* s, bool, Sink&& sink) const {
    const auto hole = static_cast<unsigned>(std::find(s, s + 6, 0U) - s);
    const auto swap_with = [&](unsigned other) {
      std::uint32_t next[32] = {};
      std::copy(s, s + 6, next);
      std::swap(next[hole], next[other]);
      sink(next, Candidate{}, Facts{});
    };
    if (hole % 3 != 0) swap_with(hole - 1);
    if (hole % 3 != 2) swap_with(hole + 1);
    swap_with(hole < 3 ? hole + 3 : hole - 3);
  }
};

/// n independent counters from 0 to 4: 5^n states, 4n levels beyond the first.
struct Counters {
  unsigned n;
  unsigned width() const { return n; }
  void initial(std::uint32_t* s) const { std::fill(s, s + n, 0U); }
  template <class Sink>
  void expand(const std::uint32_t* s, bool, Sink&& sink) const {
    for (unsigned i = 0; i < n; ++i) {
      if (s[i] == 4) continue;
      std::uint32_t next[32] = {};
      std::copy(s, s + n, next);
      ++next[i];
      sink(next, Candidate{}, Facts{});
    }
  }
};

constexpr auto kGoOn = [] { return true; };

}  // namespace

TEST_CASE("two jugs: 16 states, four litres after 6 steps") {
  Jugs jugs;
  Search<Jugs> all(jugs, 0, Bounds{});
  REQUIRE(all.run(kGoOn) == Search<Jugs>::End::complete);
  CHECK(all.states() == 16);

  Search<Jugs> goal(jugs, kGoal, Bounds{});
  REQUIRE(goal.run(kGoOn) == Search<Jugs>::End::offended);
  CHECK(goal.path_to(goal.offences().front().parent).size() == 6);  // states before the sixth step
}

TEST_CASE("the 2 x 3 sliding puzzle: 360 states, 21 moves deep") {
  Sliding puzzle;
  Search<Sliding> search(puzzle, 0, Bounds{});
  REQUIRE(search.run(kGoOn) == Search<Sliding>::End::complete);
  CHECK(search.states() == 360);
  CHECK(search.depth() == 21);
  CHECK(search.path_to(359).size() == 22);
}

TEST_CASE("counters of every width: powers of five, transitions counted") {
  for (unsigned n = 1; n <= 7; ++n) {
    Counters counters{n};
    Search<Counters> search(counters, 0, Bounds{});
    REQUIRE(search.run(kGoOn) == Search<Counters>::End::complete);
    std::uint64_t states = 1;
    for (unsigned i = 0; i < n; ++i) states *= 5;
    CHECK(search.states() == states);
    CHECK(search.transitions() == n * 4 * states / 5);
    CHECK(search.depth() == 4 * n);
  }
}

TEST_CASE("bounds end a search without calling it complete") {
  Counters counters{6};
  Bounds states;
  states.max_states = 1000;
  Search<Counters> by_states(counters, 0, states);
  CHECK(by_states.run(kGoOn) == Search<Counters>::End::bound);
  CHECK(by_states.bound().find("1000 states") != std::string::npos);

  Bounds depth;
  depth.max_depth = 3;
  Search<Counters> by_depth(counters, 0, depth);
  CHECK(by_depth.run(kGoOn) == Search<Counters>::End::bound);
  CHECK(by_depth.states() == 1 + 6 + 21 + 56);  // multisets of size 0..3 from 6 counters

  Search<Counters> interrupted(counters, 0, Bounds{});
  CHECK(interrupted.run([] { return false; }) == Search<Counters>::End::stopped);
}

TEST_CASE("the visited set is exact: against std::set, every state read back") {
  std::mt19937 random(7);  // NOLINT: a fixed seed is the point
  StateStore store(5);
  std::set<std::array<std::uint32_t, 5>> reference;
  std::vector<std::array<std::uint32_t, 5>> in_order;
  for (int i = 0; i < 300'000; ++i) {
    std::array<std::uint32_t, 5> state;
    for (auto& id : state) id = static_cast<std::uint32_t>(random() % 14);
    const bool is_new = reference.insert(state).second;
    const auto [index, added] = store.insert(store.fold(state.data()));
    REQUIRE(added == is_new);
    if (added) {
      REQUIRE(index == in_order.size());
      in_order.push_back(state);
    }
  }
  REQUIRE(store.size() == reference.size());
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    std::array<std::uint32_t, 5> state;
    store.load(i, state.data());
    REQUIRE(state == in_order[i]);
    REQUIRE(store.find(store.fold(state.data())) == i);
  }
}
