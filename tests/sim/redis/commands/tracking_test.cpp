// What who tracks keys is told of, and what of CLIENT TRACKING is refused. That redis-server tells
// the same is compared in tests/conform/tracking_test.cpp.
#include <catch2/catch.hpp>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"
#include "sim/redis/text.hpp"

namespace {

using namespace lockstep::sim;

/// A server, and who tracks keys that begin with k.
class Told {
 public:
  Told() {
    server_.mode().keyspace_events = kInvalidations;
    server_.submit(client_, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
    server_.submit(tracker_, {"CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "k"});
  }

  /// The keys of each message, in brackets: "[k1 k2]", of a flush "[all]".
  std::string of(const std::string& line) {
    std::string all;
    for (const auto& [to, reply] : server_.submit(client_, split_line(line))) {
      if (to != tracker_) continue;
      std::string keys;
      for (const Reply& key : reply->items.at(1).items)
        keys += (keys.empty() ? "" : " ") + key.text;
      all += "[" + (reply->items[1].kind == Reply::Kind::array ? keys : "all") + "]";
    }
    return all;
  }
  void wait(std::int64_t ms) { server_.advance_to(server_.now() + Duration{ms}); }
  std::string refusal_of(const Request& request) {
    try {
      server_.submit(client_, request);
    } catch (const BadInput& refusal) {
      return refusal.what();
    }
    return "";
  }

 private:
  Server server_{};
  SessionId client_ = server_.open();
  SessionId tracker_ = server_.open();
};

}  // namespace

TEST_CASE("who tracks keys is told of each request that touches some") {
  Told told;
  CHECK(told.of("SET k1 a") == "[k1]");
  CHECK(told.of("SET k1 a") == "[k1]");  // what stays as it is, too
  CHECK(told.of("SET other a").empty());
  CHECK(told.of("GET k1").empty());
  CHECK(told.of("SADD k2 a") == "[k2]");
  CHECK(told.of("SADD k2 a").empty());
  CHECK(told.of("PEXPIRE k1 1000") == "[k1]");
  CHECK(told.of("RENAME k1 k3") == "[k1 k3]");
  CHECK(told.of("ZADD k4 1 a") == "[k4]");
  CHECK(told.of("ZADD k4 2 a 1 a") == "[k4]");  // there and back
  CHECK(told.of("ZADD k4 NX 2 a 1 a").empty());
  CHECK(told.of("DEL none k3 k2") == "[k2 k3]");
  CHECK(told.of("DEL k3").empty());
}

TEST_CASE("who tracks keys is told once of what a script or a transaction touches") {
  Told told;
  CHECK(
      told.of(
          "EVAL \"for _, k in ipairs({'k2', 'x', 'k1', 'k2'}) do redis.call('incr', k) end\" 0") ==
      "[k1 k2]");
  CHECK(told.of("MULTI").empty());
  CHECK(told.of("SET k9 1").empty());
  CHECK(told.of("DEL k9 k1").empty());
  CHECK(told.of("EXEC") == "[k1 k9]");
}

TEST_CASE("who tracks keys is told of one that has expired when a command meets it") {
  Told told;
  told.of("SET k1 a PX 100");
  told.wait(101);
  CHECK(told.of("GET k2").empty());
  CHECK(told.of("GET k1") == "[k1]");
  CHECK(told.of("GET k1").empty());
}

TEST_CASE("who tracks keys is told of a flush, and of keys of other databases by their names") {
  Told told;
  told.of("SET k1 a");
  CHECK(told.of("FLUSHALL") == "[all]");
  CHECK(told.of("FLUSHDB") == "[all]");
  told.of("SET k1 a");
  CHECK(told.of("MOVE k1 1") == "[k1]");
  CHECK(told.of("SELECT 1").empty());
  CHECK(told.of("COPY k1 k2 DB 2") == "[k2]");
}

TEST_CASE("what of CLIENT TRACKING is not simulated is refused by name") {
  Told told;
  for (const Request& request :
       {Request{"CLIENT", "TRACKING", "ON"}, Request{"CLIENT", "TRACKING", "OFF"},
        Request{"CLIENT", "TRACKING", "ON", "OPTIN"},
        Request{"CLIENT", "TRACKING", "ON", "BCAST", "NOLOOP"}})
    CHECK(told.refusal_of(request) ==
          "command 'client tracking': only ON BCAST, and that with one PREFIX, is simulated");
  Server server;
  CHECK_THROWS_WITH(server.submit(server.open(), {"CLIENT", "TRACKING", "ON", "BCAST"}),
                    Catch::Contains("protocol { tracking = true }"));
}
