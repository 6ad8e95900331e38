// The breadth-first search on puzzles: exact counts, shortest ways, what ends it, what bounds it.
#include "checker/search/search.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "checker/search/levels.hpp"
#include "checker/search/violations.hpp"
#include "tests/checker/search/puzzles.hpp"

using namespace lockstep::checker;
using namespace lockstep::tests;

namespace {

template <class S>
struct Run {
  Watch watch;
  Search<S, Levels> search;
  Run(S& puzzle, const Bounds& bounds, const Progress& progress = {})
      : watch(bounds, progress), search(puzzle, watch) {}
};

/// From every hour a step of time to each later one; and a ring, after which it is the same hour,
/// heard.
struct Clock : Puzzle {
  unsigned width() const { return 2; }
  void initial(std::uint32_t* s) const { s[0] = s[1] = 0; }
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t passes, Sink&& sink) const {
    Next next{s[0], 1};
    sink(next.data(), 0, Facts{});
    for (std::uint32_t hour = s[0] + 1; passes-- > 0 && hour < 10; ++hour) {
      next = {hour, s[1]};
      sink(next.data(), hour, Facts{});
    }
    return {};
  }
  static bool passes_time(Step step) { return step != 0; }
};

/// Counters that show after a while that something had to be known beforehand.
struct Forgetful : Counters {
  using Counters::Counters;
  mutable unsigned expanded = 0;
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t passes, Sink&& sink) const {
    ++expanded;
    return Counters::expand(s, passes, sink);
  }
  bool adequate() const { return expanded < 100; }
};

/// Counters that take long, and ask in every step whether there is time.
struct Hurried : Counters {
  using Counters::Counters;
  Watch* watch = nullptr;
  template <class Sink>
  Facts expand(const std::uint32_t* s, std::size_t passes, Sink&& sink) const {
    return watch->may_go_on() ? Counters::expand(s, passes, sink) : Facts{};
  }
};

/// Counters that find out that they will never be done.
struct Despairing : Forgetful {
  using Forgetful::Forgetful;
  static bool adequate() { return true; }
  std::string obstacle() const { return expanded < 100 ? "" : "there is no end to it"; }
};

}  // namespace

TEST_CASE("two jugs: 16 states, four litres after 6 steps") {
  Jugs jugs;
  Run<Jugs> all(jugs, {});
  Everything counts;
  REQUIRE(all.search.run(counts) == End::complete);
  CHECK(all.search.states() == 16);
  CHECK(all.search.statistics().transitions == 16 * 6);
  CHECK(all.search.facts().met == 0b111111);  // every amount was in the large jug
  CHECK(counts.steps == 16 * 6);
  CHECK(counts.states == 16);
  CHECK(counts.levels == all.search.statistics().depth + 1);

  jugs.has_goal = true;
  Run<Jugs> goal(jugs, {});
  FirstViolations<Jugs> found;
  REQUIRE(goal.search.run(found) == End::found);
  CHECK(goal.search.facts().ends());
  REQUIRE(found.steps.size() == 1);
  const auto path = goal.search.graph().path_to(found.steps.front().from);
  CHECK(path.size() == 6);  // states before the sixth step
  CHECK(path.front() == 0);
}

TEST_CASE("the 2 x 3 sliding puzzle: 360 states, 21 moves deep") {
  Sliding puzzle;
  Run<Sliding> run(puzzle, {});
  Everything counts;
  REQUIRE(run.search.run(counts) == End::complete);
  CHECK(run.search.states() == 360);
  CHECK(run.search.statistics().depth == 21);
  CHECK(run.search.statistics().transitions == 60 * 14);
  CHECK(run.search.graph().path_to(359).size() == 22);
}

TEST_CASE("counters of every width: powers of five, transitions counted") {
  for (unsigned n = 1; n <= 7; ++n) {
    Counters counters{n};
    Run<Counters> run(counters, {});
    Everything counts;
    REQUIRE(run.search.run(counts) == End::complete);
    std::uint64_t states = 1;
    for (unsigned i = 0; i < n; ++i) states *= 5;
    CHECK(run.search.states() == states);
    CHECK(run.search.statistics().transitions == n * 4 * states / 5);
    CHECK(run.search.statistics().depth == 4 * n);
    CHECK(run.search.frontier().starts().size() == 4 * n + 2);
  }
}

TEST_CASE("missionaries and cannibals: a state can end a run by itself, after 11 trips") {
  Missionaries river;
  Run<Missionaries> all(river, {});
  Everything counts;
  REQUIRE(all.search.run(counts) == End::complete);
  CHECK(all.search.states() == 16);
  CHECK(all.search.statistics().transitions == 34);

  Run<Missionaries> run(river, {});
  FirstViolations<Missionaries> found;
  REQUIRE(run.search.run(found) == End::found);
  CHECK(found.steps.empty());
  REQUIRE(found.state.has_value());
  const auto graph = run.search.graph();
  CHECK(graph.steps_along(graph.path_to(*found.state)).size() == 11);
}

TEST_CASE(
    "a level is finished before its violations end the search; a step of theirs is not followed") {
  // 0 -> 1, 0 -> 2; from 1 and from 2 a step ends the run; 3 lies behind one of those steps only.
  Drawn graph({{0, 1}, {0, 2}, {1, 3, {}, true}, {2, 4}, {2, 3, {}, true}, {4, 5}});
  Run<Drawn> run(graph, {});
  FirstViolations<Drawn> found;
  REQUIRE(run.search.run(found) == End::found);
  REQUIRE(found.steps.size() == 2);
  CHECK(found.steps[0].from == 1);
  CHECK(found.steps[1].from == 2);
  CHECK(run.search.states() == 4);  // 4 was still reached, 3 and 5 were not
}

TEST_CASE("after time has passed it is not asked to pass once more") {
  Clock clock;
  Run<Clock> run(clock, {});
  Everything counts;
  REQUIRE(run.search.run(counts) == End::complete);
  CHECK(run.search.states() == 20);
  // Every state rings, and time passes from midnight, unheard and heard: the other hours were first
  // reached by it.
  CHECK(run.search.statistics().transitions == 20 + 9 + 9);
  // In the graph, time goes from an hour reached by it to the next one, and so to all later ones.
  const auto graph = run.search.graph();
  std::size_t steps = 0;
  std::map<std::uint32_t, std::set<std::uint32_t>> reached;  // by hour: later ones
  for (std::uint32_t hour = 10; hour-- > 0;) {
    const std::array<std::uint32_t, Unfolded::kRoom> unheard{hour, 0};
    graph.successors(graph.find(unheard.data()),
                     [&](std::uint32_t to, Clock::Step step, const Clock::Facts&) {
                       ++steps;
                       if (!Clock::passes_time(step)) return;
                       const std::uint32_t next = graph[to][0];
                       reached[hour].insert(next);
                       reached[hour].insert(reached[next].begin(), reached[next].end());
                     });
    CHECK(reached[hour].size() == 9 - hour);
  }
  CHECK(steps == 10 + 9 + 8);  // rings, from midnight, and from hour to hour
}

TEST_CASE("bounds end a search without calling it complete, and say which it was") {
  Counters counters{6};
  Everything counts;
  Bounds states;
  states.max_states = 1000;
  Run<Counters> by_states(counters, states);
  CHECK(by_states.search.run(counts) == End::stopped);
  CHECK(by_states.search.why_stopped() == "the bound of 1000 states was reached");
  CHECK(by_states.search.states() >= 1000);
  CHECK(by_states.search.states() < 1000 + StateStore::kBatch + 6);  // what was on its way

  Bounds depth;
  depth.max_depth = 3;
  Run<Counters> by_depth(counters, depth);
  CHECK(by_depth.search.run(counts) == End::stopped);
  CHECK(by_depth.search.why_stopped() == "the bound of 3 steps was reached");
  CHECK(by_depth.search.states() == 1 + 6 + 21 + 56);  // multisets of size 0..3 from 6 counters

  Bounds bytes;
  bytes.max_bytes = 1;
  Run<Counters> by_bytes(counters, bytes);
  CHECK(by_bytes.search.run(counts) == End::stopped);
  CHECK(by_bytes.search.why_stopped() == "the bound of 0 MiB was reached");

  Run<Counters> interrupted(counters, {}, [](const Statistics&) { return "interrupted"; });
  CHECK(interrupted.search.run(counts) == End::stopped);
  CHECK(interrupted.search.why_stopped() == "interrupted");
}

TEST_CASE("a search whose last state was cut off is not complete") {
  Hurried counters(2);
  for (const unsigned times : {1U, 10U, 25U, 26U}) {  // at the start, and in each of 5 * 5 states
    unsigned asked = 0;
    Run<Hurried> run(counters, {}, [&](const auto&) { return ++asked > times ? "over" : ""; });
    counters.watch = &run.watch;
    FirstViolations<Hurried> none;
    CHECK(run.search.run(none) == (times < 26 ? End::stopped : End::complete));
    CHECK(run.watch.why() == (times < 26 ? "over" : ""));
    CHECK(asked == times + (times < 26 ? 1 : 0));  // it ends with the next state
  }
}

TEST_CASE("a system that knew too little is not searched to its end") {
  Forgetful puzzle{7};  // 78,125 states
  Run<Forgetful> run(puzzle, {});
  Everything counts;
  CHECK(run.search.run(counts) == End::stopped);
  CHECK(run.search.why_stopped().empty());
  CHECK(puzzle.expanded == 4096);  // it is asked now and then
}

TEST_CASE("a system that knows that it can come to no end says so") {
  Despairing puzzle{7};
  Run<Despairing> run(puzzle, {});
  Everything counts;
  CHECK(run.search.run(counts) == End::stopped);
  CHECK(run.search.why_stopped() == "there is no end to it: no state is met again");
}
