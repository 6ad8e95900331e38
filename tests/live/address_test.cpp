// Addresses of servers, and what is none.
#include "live/address.hpp"

#include <catch2/catch.hpp>

#include "sim/base/error.hpp"

namespace lockstep::tests {
namespace {

TEST_CASE("An address names host, port, password and database") {
  const auto all = live::parse_address("redis://me:p:w@example.org:6380/5");
  CHECK(all.host == "example.org");
  CHECK(all.port == 6380);
  CHECK(all.user == "me");
  CHECK(all.password == "p:w");
  CHECK(all.database == 5);
  CHECK(all.shown() == "redis://example.org:6380/5");  // without the password

  const auto least = live::parse_address("redis://localhost");
  CHECK(least.host == "localhost");
  CHECK(least.port == 6379);
  CHECK(least.database == 0);
  CHECK(live::parse_address("redis://:secret@localhost").password == "secret");
  CHECK(live::parse_address("unix:///tmp/redis.sock").socket == "/tmp/redis.sock");
}

TEST_CASE("An IPv6 address stands in brackets, other signs of an address are written in hex") {
  const auto both = live::parse_address("redis://a%3ab:p%40w@[fe80::1]:6380/5");
  CHECK(both.host == "fe80::1");
  CHECK(both.port == 6380);
  CHECK(both.user == "a:b");
  CHECK(both.password == "p@w");
  CHECK(both.shown() == "redis://[fe80::1]:6380/5");
  CHECK(live::parse_address("redis://[::1]").host == "::1");
  CHECK(live::parse_address("redis://[::1]").port == 6379);
}

TEST_CASE("What is no address is refused in one line that says what is one") {
  for (const char* text : {"", "localhost:6379", "http://localhost", "redis://", "redis://:6379",
                           "redis://localhost:0", "redis://localhost:65536", "redis://localhost:x",
                           "redis://localhost/x", "redis://localhost/-1", "unix://relative",
                           "redis://::1", "redis://[::1", "redis://[]", "redis://[::1]7777",
                           "redis://:p%4@localhost", "redis://:p%zz@localhost"}) {
    INFO(text);
    CHECK_THROWS_WITH(live::parse_address(text),
                      Catch::Contains(text) && Catch::Contains("expected redis://"));
  }
}

}  // namespace
}  // namespace lockstep::tests
