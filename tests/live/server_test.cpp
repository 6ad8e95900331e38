// Our own redis-server and connections to it: replies, crashes, and what a restart brings back.
#include "live/server.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "live/connection.hpp"
#include "live/observer.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::tests {
namespace {

using sim::Persistence;
using sim::Reply;

TEST_CASE("A connection carries every kind of reply") {
  const live::Server server(Persistence::none);
  live::Connection connection(server.address());
  CHECK(connection.execute({"SET", "k", std::string("a\0b", 3)}) == Reply::ok());
  CHECK(connection.execute({"GET", "k"}) == Reply::bulk(std::string("a\0b", 3)));
  CHECK(connection.execute({"GET", "none"}) == Reply::null());
  CHECK(connection.execute({"EXISTS", "k"}) == Reply::number(1));
  CHECK(connection.execute({"MGET", "k", "none"}) ==
        Reply::array({Reply::bulk(std::string("a\0b", 3)), Reply::null()}));
  CHECK(connection.execute({"INCR", "k"}).is_error());
}

TEST_CASE("A crash breaks connections; what comes back is what the persistence kept") {
  const auto kept = [](Persistence persistence, bool saved) {
    live::Server server(persistence);
    live::Connection connection(server.address());
    connection.execute({"SET", "k", "v"});
    if (saved) live::Observer(server.address(), {}).save();
    connection.execute({"SET", "later", "v"});
    server.crash();
    CHECK_THROWS_AS(connection.execute({"PING"}), live::ConnectionBroken);
    CHECK_THROWS_AS(live::Connection(server.address()), live::ConnectionBroken);
    server.start();
    return live::Observer(server.address(), {}).keys().size();
  };
  CHECK(kept(Persistence::none, false) == 0);
  CHECK(kept(Persistence::rdb, false) == 0);
  CHECK(kept(Persistence::rdb, true) == 1);
  CHECK(kept(Persistence::aof_everysec, false) == 2);
  CHECK(kept(Persistence::aof_always, false) == 2);
}

TEST_CASE("A server of ours leaves nothing behind") {
  std::filesystem::path folder;
  live::Address address;
  {
    const live::Server server(Persistence::aof_always);
    folder = server.folder();
    address = server.address();
    REQUIRE_FALSE(std::filesystem::is_empty(folder));
  }
  CHECK_FALSE(std::filesystem::exists(folder));
  CHECK_THROWS_AS(live::Connection(address), live::ConnectionBroken);
}

TEST_CASE("The observer sees strings, hashes and lifetimes") {
  const live::Server server(Persistence::none);
  live::Connection connection(server.address());
  connection.execute({"SET", "s", "v", "PX", "60000"});
  connection.execute({"HSET", "h", "f", "1"});
  live::Observer observer(server.address(), {});
  const auto keys = observer.keys();
  REQUIRE(keys.size() == 2);
  CHECK(std::get<std::string>(keys.at("s").value) == "v");
  CHECK(keys.at("s").left_ms.value() > 50'000);
  CHECK(std::get<1>(keys.at("h").value) == std::map<std::string, std::string>{{"f", "1"}});
  CHECK_FALSE(keys.at("h").left_ms);
  CHECK(live::Observer(server.address(), live::Observer::Names{"s"}).keys().size() == 1);
  CHECK(observer.existing({"none", "s"}) == "s");
  observer.remove({"s", "h"});
  CHECK(observer.keys().empty());
}

TEST_CASE("The observer sees all of a list, a set and a sorted set") {
  const live::Server server(Persistence::none);
  live::Connection connection(server.address());
  connection.execute({"RPUSH", "list", "b", "a", "b"});
  connection.execute({"SADD", "set", "b", "a"});
  connection.execute({"ZADD", "scores", "2", "b", "1.5", "a"});
  const auto keys = live::Observer(server.address(), std::nullopt).keys();
  CHECK(keys.at("list").value == sim::VisibleValue{sim::VisibleList{"b", "a", "b"}});
  CHECK(keys.at("set").value == sim::VisibleValue{sim::VisibleSet{"a", "b"}});
  CHECK(keys.at("scores").value == sim::VisibleValue{sim::VisibleSortedSet{{"a", 1.5}, {"b", 2}}});
}

TEST_CASE("What a server has answered outlives its process as its persistence says") {
  for (const auto persistence : sim::kPersistences) {
    CAPTURE(sim::name(persistence));
    live::Server server(persistence);
    live::Connection(server.address()).execute({"SET", "k", "v"});
    server.crash();
    server.start();
    const bool kept = live::Connection(server.address()).execute({"EXISTS", "k"}).integer == 1;
    CHECK(kept == (persistence != Persistence::none && persistence != Persistence::rdb));
  }
}

TEST_CASE("A server that refuses us, or is not there, is one line") {
  live::Server server(Persistence::none);
  live::Connection(server.address()).execute({"CONFIG", "SET", "requirepass", "secret"});
  auto address = server.address();
  CHECK_THROWS_WITH(live::expect_usable(address), Catch::Contains("NOAUTH"));
  address.password = "wrong";
  CHECK_THROWS_WITH(live::expect_usable(address), Catch::Contains("WRONGPASS"));
  address.password = "secret";
  CHECK_NOTHROW(live::expect_usable(address));
  address.database = 999;
  CHECK_THROWS_WITH(live::expect_usable(address), Catch::Contains("SELECT"));
  server.crash();
  CHECK_THROWS_AS(live::expect_usable(address), sim::BadInput);
}

}  // namespace
}  // namespace lockstep::tests
