// What a server publishes of what happens to its keys: the events of the commands that locks send.
// That redis-server publishes the same is compared in tests/conform/keyspace_events_test.cpp.
#include <catch2/catch.hpp>

#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"
#include "sim/redis/text.hpp"

namespace {

using namespace lockstep::sim;

/// A server that publishes all events, and who hears of them.
class Heard {
 public:
  explicit Heard(const std::string& letters = "EAmn") {
    server_.submit(client_, {"CONFIG", "SET", "notify-keyspace-events", letters});
    server_.submit(client_, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
    server_.submit(listener_, {"PSUBSCRIBE", "__key*"});
  }

  /// What the request has published: "set k, expire k".
  std::string of(const std::string& line) {
    return heard(server_.submit(client_, split_line(line)));
  }
  /// The same for a request of somebody else, who may have to wait.
  std::string of_another(const std::string& line) {
    return heard(server_.submit(server_.open(), split_line(line)));
  }
  std::string wait(std::int64_t ms) {
    return heard(server_.advance_to(server_.now() + Duration{ms}));
  }

 private:
  std::string heard(const std::vector<Delivery>& written) const {
    std::string all;
    for (const auto& [to, reply] : written) {
      if (to != listener_) continue;
      const std::string& channel = reply->items.at(2).text;
      all += (all.empty() ? "" : ", ") + channel.substr(channel.find(':') + 1) + " " +
             reply->items.at(3).text;
    }
    return all;
  }

  Server server_{};
  SessionId client_ = server_.open();
  SessionId listener_ = server_.open();
};

struct Row {
  const char* request;
  const char* events;
};

void check(const std::vector<Row>& rows) {
  Heard heard;
  for (const auto& [request, events] : rows) {
    INFO(request);
    CHECK(heard.of(request) == events);
  }
}

TEST_CASE("what locks send is told of by its event, with nothing left in a key by del") {
  check({{"SET k t NX PX 1000", "new k, set k, expire k"},
         {"SET k u NX PX 1000", ""},
         {"SET k u", "set k"},
         {"PEXPIRE k 1000", "expire k"},
         {"PEXPIRE k 1000 NX", ""},
         {"PERSIST k", "persist k"},
         {"PERSIST k", ""},
         {"GET none", "keymiss none"},
         {"DEL none k", "del k"},
         {"PEXPIRE k 1000", ""},
         {"INCR n", "new n, incrby n"},
         {"EXPIRE n 0", "del n"},
         {"HSET h a 1 b 1", "new h, hset h"},
         {"HINCRBY h a 1", "hincrby h"},
         {"HDEL h a c", "hdel h"},
         {"HDEL h c", ""},
         {"HDEL h b", "hdel h, del h"},
         {"ZADD z 1 a 2 b", "new z, zadd z"},
         {"ZADD z 1 a", ""},
         {"ZREMRANGEBYSCORE z 0 1", "zremrangebyscore z"},
         {"ZREM z b", "zrem z, del z"},
         {"LPUSH l a", "new l, lpush l"},
         {"RPOPLPUSH l m", "new m, lpush m, rpop l, del l"},
         {"RENAME m l", "new l, rename_from m, rename_to l"},
         {"LREM l 0 a", "lrem l, del l"},
         {"SADD s a", "new s, sadd s"},
         {"SADD s a", ""},
         {"SREM s a", "srem s, del s"},
         {"SET k t GET", "keymiss k, new k, set k"},
         {"GETDEL k", "del k"}});
}

TEST_CASE("an expired key is told of when a command meets it, before what that does") {
  Heard heard;
  CHECK(heard.of("SET k t PX 5") == "new k, set k, expire k");
  CHECK(heard.of("SET other t PX 5") == "new other, set other, expire other");
  CHECK(heard.wait(6) == "");
  CHECK(heard.of("SET k u NX PX 5") == "expired k, new k, set k, expire k");
  CHECK(heard.of("EXISTS k other other") == "expired other, keymiss other, keymiss other");
  heard.wait(6);
  CHECK(heard.of("SUNIONSTORE k none") == "keymiss none, del k");  // it never looks there
}

TEST_CASE("who waits for a list is told of where he takes from it") {
  Heard heard;
  CHECK(heard.of_another("BLPOP l 0") == "");
  CHECK(heard.of("RPUSH l a b") == "new l, rpush l, lpop l");
  CHECK(heard.of_another("BRPOP l 0") == "rpop l, del l");
}

TEST_CASE("only the classes that are asked for are told of") {
  Heard expired("Ex");
  CHECK(expired.of("SET k t PX 5") == "");
  expired.wait(6);
  CHECK(expired.of("DEL k") == "expired k");
  Heard by_key("K$");
  CHECK(by_key.of("SET k t PX 5") == "k set");
}

}  // namespace
