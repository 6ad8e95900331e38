// `lockstep why`: what rests on which part of a protocol.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_line.hpp"

namespace lockstep::tests {

using Catch::Contains;

TEST_CASE("each part of the ladder's lock is there for what its rung says") {
  const auto ran = run({"why", "set-token-lua"});
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  const auto lines = [&](const std::string& what, const std::string& breaks) {
    const auto at = ran.out.find(what);
    REQUIRE(at != ran.out.npos);
    CHECK_THAT(ran.out.substr(at, 2 * 140), Contains(breaks));
  };
  // The lessons of the guide, one by one: two clients both set it; a dead client's key stays; a
  // holder whose lease has ended deletes the next one's.
  lines("NX: left out\n", "without any fault; mutual exclusion, after 6");
  lines("EX self.ttl_s: left out\n", "deadlock, after 4 steps, under lose");
  lines("unique(): the same for everybody\n", "under work > lease; foreign release, after 13");
  lines("redis.call(\"get\",KEYS[1]) == ARGV[1]: always true\n", "foreign release, after 13");
  CHECK_THAT(ran.out, Contains("the resource compares fencing tokens: accepts every one\n"));
  CHECK_THAT(ran.out, Contains("3 changes without which not even a lone client"));
}

TEST_CASE("a row's run is told, and all rows are there as JSON") {
  const auto shown = run({"why", "set-ex-nx", "--show", "1"});
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, Contains("VIOLATED  ") && Contains(", the fewest possible"));
  const auto ran = run({"why", "fencing", "--json"});
  const auto all = nlohmann::json::parse(ran.out).at("mechanisms");
  const auto fence =
      std::find_if(all.begin(), all.end(), [](const auto& each) { return each.at("file") == ""; });
  REQUIRE(fence != all.end());
  CHECK(fence->at("breaks").at(0).at("property") == "no-lost-update");
  CHECK(fence->at("breaks").at(0).at("condition") == "work > lease");
}

TEST_CASE("what why cannot do ends in a line") {
  const auto unknown = run({"why", "set-token-lau"});
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.err, Contains("did you mean `set-token-lua`?"));
  const auto row = run({"why", "setnx", "--show", "99"});
  CHECK(row.code == 3);
  CHECK_THAT(row.err, Contains("--show: found 99, expected 1 to "));
  const auto late = run({"why", "set-token-lua", "--max-seconds", "0.001"});
  CHECK(late.code == 2);
  CHECK_THAT(late.err, Contains("nothing is said about what rests on what"));
}

}  // namespace lockstep::tests
