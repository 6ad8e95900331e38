// Near misses: what counts as near, and what an error line ends with.
#include "scenarios/suggest.hpp"

#include <catch2/catch.hpp>

namespace lockstep::scenarios {

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("pause", "") == 5);
  CHECK(edit_distance("pause", "pause") == 0);
  CHECK(edit_distance("puase", "pause") == 1);
  CHECK(edit_distance("pauze", "pause") == 1);
  CHECK(edit_distance("paus", "pause") == 1);
  CHECK(edit_distance("pauuse", "pause") == 1);
  CHECK(edit_distance("crash", "pause") == 4);
}

TEST_CASE("a near miss is the nearest candidate, and nothing that is far") {
  const std::vector<std::string> faults{"pause", "delay", "node-crash", "crash"};
  CHECK(near_miss("puase", faults) == "pause");
  CHECK(near_miss("crush", faults) == "crash");
  CHECK(near_miss("node_crash", faults) == "node-crash");
  CHECK_FALSE(near_miss("earthquake", faults).has_value());
  CHECK_FALSE(near_miss("pause", {}).has_value());
}

TEST_CASE("an error line names the near miss, or all that is possible") {
  CHECK(suggestion("puase", {"pause", "delay"}) == "; did you mean `pause`?");
  CHECK(suggestion("earthquake", {"pause", "delay"}) == "; possible here: pause, delay");
  CHECK(suggestion("pause", {}).empty());
}

}  // namespace lockstep::scenarios
