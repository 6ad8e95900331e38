// The watch over a search: which bound is met when, in which words, and how often a caller is told.
#include "sim/base/bounds.hpp"

#include <catch2/catch.hpp>

using namespace lockstep::checker;

namespace {

Statistics at(std::uint64_t states, std::uint64_t depth, std::uint64_t bytes) {
  Statistics figures;
  figures.states = states;
  figures.depth = depth;
  figures.visited_bytes = bytes;
  return figures;
}

}  // namespace

TEST_CASE("without bounds a search goes on") {
  Watch watch({}, {});
  CHECK(watch.may_go_on(at(1'000'000'000'000, 1'000'000, 1'000'000'000'000)));
  CHECK_FALSE(watch.meets_bound(1'000'000'000'000, 1'000'000));
  CHECK(watch.why().empty());
}

TEST_CASE("a bound is met when it is reached") {
  const Bounds bounds{10, 0, 3 << 20, 5};
  const auto why = [&](const Statistics& figures) {
    Watch watch(bounds, {});
    const bool may = watch.may_go_on(figures);
    CHECK(may == watch.why().empty());
    return watch.why();
  };
  CHECK(why(at(9, 4, (3 << 20) - 1)).empty());
  CHECK(why(at(10, 4, 0)) == "the bound of 10 states was reached");
  CHECK(why(at(9, 5, 0)) == "the bound of 5 steps was reached");
  CHECK(why(at(9, 4, 3 << 20)) == "the bound of 3 MiB was reached");
  CHECK(Watch(bounds, {}).meets_bound(10, 0));
  CHECK(Watch(bounds, {}).meets_bound(0, 5));
  CHECK_FALSE(Watch(bounds, {}).meets_bound(9, 4));
}

TEST_CASE("or only when it is exceeded") {
  const Bounds bounds{10, 0, 1000, 5};
  const auto why = [&](const Statistics& figures) {
    Watch watch(bounds, {}, Watch::Met::exceeded);
    watch.may_go_on(figures);
    return watch.why();
  };
  CHECK(why(at(10, 4, 1000)).empty());
  CHECK(why(at(11, 4, 0)) == "more than 10 states");
  CHECK(why(at(0, 5, 0)) == "runs of more than 5 steps");  // from there on there is a sixth
  CHECK(why(at(0, 0, 1001)) == "more than 1000 bytes of visited states");
}

TEST_CASE("time runs from the start of the watch") {
  Bounds bounds;
  bounds.max_seconds = 1e-9;
  Watch watch(bounds, {});
  CHECK_FALSE(watch.may_go_on({}));
  CHECK(watch.why() == "the time limit was reached");
  const double before = watch.seconds();
  CHECK(before > 0);
  CHECK(watch.seconds() >= before);

  bounds.max_seconds = 1000;
  CHECK(Watch(bounds, {}).may_go_on({}));
}

TEST_CASE("the caller is asked each time, and has the last word") {
  unsigned asked = 0;
  Statistics heard;
  Watch watch({}, [&](const Statistics& figures) -> std::string {
    heard = figures;
    return ++asked < 3 ? "" : "interrupted";
  });
  CHECK(watch.may_go_on(at(7, 2, 0)));
  CHECK(watch.may_go_on());  // in the middle of a step: the figures are as before
  CHECK(heard.states == 7);
  CHECK(heard.depth == 2);
  CHECK_FALSE(watch.meets_bound(7, 2));
  CHECK_FALSE(watch.may_go_on());
  CHECK(watch.why() == "interrupted");
  CHECK(watch.meets_bound(0, 0));             // so that the search asks at its next state, and ends
  CHECK_FALSE(watch.may_go_on(at(1, 0, 0)));  // and for good
  CHECK(asked == 3);
}

TEST_CASE("the time of a command is one for all its searches") {
  const auto over = within(1e-9);
  CHECK(over({}) == "the time limit was reached");
  Watch second({}, over);  // which has only just begun
  CHECK_FALSE(second.may_go_on({}));
  CHECK(second.why() == "the time limit was reached");

  const auto refused = [](const Statistics&) { return "interrupted"; };
  CHECK(within(1000)({}).empty());
  CHECK(within(1000, refused)({}) == "interrupted");
  CHECK(within(0, refused)({}) == "interrupted");  // no limit
  CHECK(within(0) == nullptr);                     // and nobody to ask
}
