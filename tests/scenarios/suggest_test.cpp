// What an error line that names an unknown word ends with.
#include "scenarios/suggest.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace lockstep::scenarios {

TEST_CASE("an error line names the near miss, or all that is possible") {
  CHECK(suggestion("puase", {"pause", "delay"}) == "; did you mean `pause`?");
  CHECK(suggestion("earthquake", {"pause", "delay"}) == "; possible here: pause, delay");
  CHECK(suggestion("pause", {}).empty());
}

TEST_CASE("of many names those are shown that have words in common with the unknown one") {
  std::vector<std::string> names;
  for (const char letter : std::string("abcdefghijklmno")) names.push_back({letter, letter});
  names.push_back("redlock-pause");
  names.push_back("exists-set-race");
  const auto line = suggestion("exists-set-no-fault", names);
  CHECK(line.starts_with("; possible here: exists-set-race, aa, bb, "));
  CHECK(line.ends_with(", kk, and 5 more"));
}

}  // namespace lockstep::scenarios
