// What the commands choose that are random in Redis: the first ones, or as a seed decides.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/redis/reply.hpp"
#include "sim/redis/server/server.hpp"
#include "sim/redis/text.hpp"

namespace {

using namespace lockstep;

/// A simulated server that chooses by `seed`, with a key of each kind.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : server_({.draw_seed = seed}), session_(server_.open()) {
    (*this)("SADD s a b c d e");
    (*this)("SADD ints 1 2 3 4 5");
    (*this)("HSET h a 1 b 2 c 3 d 4 e 5");
    (*this)("ZADD z 1 a 2 b 3 c 4 d 5 e");
  }

  /// The texts of the reply to a line.
  std::vector<std::string> operator()(const std::string& line) {
    const auto written = server_.submit(session_, sim::split_line(line));
    std::vector<std::string> texts;
    for (const auto& item : written.at(0).reply->items) texts.push_back(item.text);
    return texts.empty() ? std::vector{written.at(0).reply->text} : texts;
  }

 private:
  sim::Server server_;
  sim::SessionId session_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("without a seed the first ones are chosen") {
  Drawing client(0);
  CHECK(client("SRANDMEMBER s") == Texts{"a"});
  CHECK(client("SRANDMEMBER ints -7") == Texts{"1", "2", "3", "4", "5", "1", "2"});
  CHECK(client("HRANDFIELD h 2") == Texts{"a", "b"});
  CHECK(client("ZRANDMEMBER z 3") == Texts{"a", "b", "c"});
  CHECK(client("RANDOMKEY") == Texts{"h"});
  CHECK(client("SPOP s 2") == Texts{"a", "b"});
}

TEST_CASE("seeds come to every choice, and one seed always to the same") {
  for (const char* line :
       {"SRANDMEMBER s", "SRANDMEMBER ints", "HRANDFIELD h", "ZRANDMEMBER z", "SPOP s", "SPOP ints",
        "RANDOMKEY", "SRANDMEMBER s 1", "SPOP s 1", "EVAL \"return redis.call('SPOP', 's')\" 0"}) {
    CAPTURE(line);
    std::set<Texts> chosen;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Texts one = Drawing(seed)(line);
      CHECK(one == Drawing(seed)(line));
      chosen.insert(one);
    }
    CHECK(chosen.size() == (std::string(line) == "RANDOMKEY" ? 4 : 5));
  }
}

TEST_CASE("a seed chooses as many as Redis would, different ones in the key's order") {
  std::set<Texts> pairs;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Drawing client(seed);
    pairs.insert(client("SRANDMEMBER s 2"));
    CHECK(client("SRANDMEMBER s 9") == Texts{"a", "b", "c", "d", "e"});
    CHECK(client("HRANDFIELD h -20").size() == 20);
    const Texts taken = client("SPOP s 3");
    const Texts left = client("SMEMBERS s");
    REQUIRE(taken.size() == 3);
    REQUIRE(left.size() == 2);
    Texts all;
    std::ranges::merge(taken, left, std::back_inserter(all));
    CHECK(all == Texts{"a", "b", "c", "d", "e"});
  }
  CHECK(pairs.size() == 10);
}

TEST_CASE("what is chosen hangs on the place, and not on the texts there") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Drawing one(seed), other(seed);
    one("SADD t ⟨A.1⟩ ⟨B.1⟩ ⟨A.2⟩");
    other("SADD u ⟨A.7⟩ ⟨B.1⟩ ⟨A.3⟩");
    const Texts first = one("SRANDMEMBER t"), second = other("SRANDMEMBER u");
    CHECK((first == Texts{"⟨A.1⟩"}) == (second == Texts{"⟨A.7⟩"}));
    CHECK((first == Texts{"⟨A.2⟩"}) == (second == Texts{"⟨A.3⟩"}));
  }
}

TEST_CASE("another seed may choose otherwise where another key is there") {
  bool otherwise = false;
  for (std::uint64_t seed = 1; seed <= 50 && !otherwise; ++seed) {
    Drawing client(seed);
    const Texts before = client("SRANDMEMBER s");
    client("SET lock x");
    otherwise = client("SRANDMEMBER s") != before;
  }
  CHECK(otherwise);
}
