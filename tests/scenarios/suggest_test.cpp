// What an error line that names an unknown word ends with.
#include "scenarios/suggest.hpp"

#include <catch2/catch.hpp>

namespace lockstep::scenarios {

TEST_CASE("an error line names the near miss, or all that is possible") {
  CHECK(suggestion("puase", {"pause", "delay"}) == "; did you mean `pause`?");
  CHECK(suggestion("earthquake", {"pause", "delay"}) == "; possible here: pause, delay");
  CHECK(suggestion("pause", {}).empty());
}

}  // namespace lockstep::scenarios
