// What MONITOR prints, and what it does not.
#include "live/wire_log.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/base/error.hpp"

namespace lockstep::tests {
namespace {

using Catch::Contains;

TEST_CASE("a log of MONITOR is read, byte for byte, without what scripts do") {
  const auto log = live::read_wire_log(
      "OK\n"
      "1767225600.000123 [0 127.0.0.1:50231] \"SET\" \"lock\" \"a\\xff\\\"\\\\\\n\" \"NX\"\n"
      "1767225600.000200 [0 lua] \"GET\" \"lock\"\n"
      "1767225601.500000 [3 [::1]:6380] \"PING\"\r\n"
      "1767225602.000000 [0 unix:/tmp/redis.sock] \"GET\" \"\"\n",
      "app.log");
  REQUIRE(log.size() == 3);
  CHECK(log[0].line == 2);
  CHECK(log[0].time_us == 1'767'225'600'000'123);
  CHECK(log[0].connection == "127.0.0.1:50231");
  CHECK(log[0].request == sim::Request{"SET", "lock", "a\xff\"\\\n", "NX"});
  CHECK(log[1].database == 3);
  CHECK(log[1].connection == "[::1]:6380");
  CHECK(log[2].connection == "unix:/tmp/redis.sock");
  CHECK(log[2].request == sim::Request{"GET", ""});
}

TEST_CASE("what MONITOR does not print is refused with its line") {
  const std::string good = "1767225600.000123 [0 127.0.0.1:50231] \"GET\" \"lock\"\n";
  for (const char* bad :
       {"GET lock\n", "1767225600 [0 a:1] \"GET\"\n", "1767225600.1 [0 a:1] \"GET\"\n",
        "1767225600.000123 [x a:1] \"GET\"\n", "1767225600.000123 [0 a:1]\n",
        "1767225600.000123 [0 a:1] \"GET\n", "1767225600.000123 [0 a:1] \"GET\" lock\n",
        "1767225600.000123 [0 a:1] \"\\xg0\"\n"}) {
    INFO(bad);
    CHECK_THROWS_WITH(live::read_wire_log(good + bad, "app.log"),
                      Contains("app.log:2: not a line of MONITOR"));
  }
  CHECK_THROWS_WITH(live::read_wire_log("OK\n", "app.log"), Contains("no request in it"));
  // Its end may be missing: the log was cut off while it was written.
  CHECK(live::read_wire_log(good + "1767225600.000123 [0 a:1] \"GE", "app.log").size() == 1);
}

}  // namespace
}  // namespace lockstep::tests
