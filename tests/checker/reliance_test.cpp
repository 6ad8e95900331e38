// A key that several hold together, and that ends with the last of them: who leaves may shorten it
// to what the others have asked for, and no further.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

const std::string kTwo = ", permits = 2";

/// Asks for the key for as long as the client's lease, but takes nothing from who has longer.
const std::string kAsks =
    test::kToken +
    "return redis('EVAL', \"redis.call('hset', KEYS[1], ARGV[1], 1)"
    " if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then"
    " redis.call('pexpire', KEYS[1], ARGV[2]) end return 1\", 1, self.key, self.token, self.ttl_ms)"
    " == 1";

/// Leaves, and the key lasts for so long at most.
std::string leaves(const std::string& most_ms) {
  return "return redis('EVAL', \"local n = redis.call('hdel', KEYS[1], ARGV[1])"
         " if redis.call('pttl', KEYS[1]) > tonumber(ARGV[2]) then"
         " redis.call('pexpire', KEYS[1], ARGV[2]) end return n\", 1, self.key, self.token, " +
         most_ms + ") == 1";
}

/// A asks for 30 ms and works for 10, B for 12 and works for 5.
struct LongAndShort : test::InlineLock {
  explicit LongAndShort(const test::Bodies& bodies, const std::string& also = kTwo)
      : InlineLock(bodies, also) {
    lasting(30, 10);
    model.processes[1].lease_ms = 12;
    model.processes[1].workload[1].ms = 5;
  }
};

/// Only A shortens.
std::string long_one_leaves(const std::string& most_ms) {
  return "if self.ttl_ms == 12 then return redis('HDEL', self.key, self.token) == 1 end\n" +
         leaves(most_ms);
}

/// Only B does.
std::string short_one_leaves(const std::string& most_ms) {
  return "if self.ttl_ms == 30 then return redis('HDEL', self.key, self.token) == 1 end\n" +
         leaves(most_ms);
}

}  // namespace

TEST_CASE("who leaves may shorten a key to what the others asked for", "[reliance][many-models]") {
  // B may have come in the very ms in which A goes.
  CHECK(LongAndShort({kAsks, long_one_leaves("12")}).judged(Property::foreign_release) ==
        Verdict::holds);
  CHECK(LongAndShort({kAsks, long_one_leaves("11")}).judged(Property::foreign_release) ==
        Verdict::violated);
  CHECK(LongAndShort({kAsks, short_one_leaves("30")}).judged(Property::foreign_release) ==
        Verdict::holds);
  CHECK(LongAndShort({kAsks, short_one_leaves("29")}).judged(Property::foreign_release) ==
        Verdict::violated);
}

TEST_CASE("what the others have asked for last counts", "[reliance][many-models]") {
  // Members have times; who leaves shortens the key to the latest of them.
  const std::string now =
      "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
  const std::string longer =
      " if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then"
      " redis.call('pexpire', KEYS[1], ARGV[2]) end return 1";
  const std::string ask = now + "redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])" + longer;
  const auto acquires = [&](const std::string& renew) {
    return test::kToken + "local token = self.token\nif self.ttl_ms == 12 then spawn(function()" +
           " sleep(4) redis('EVAL', [[" + renew +
           "]], 2, self.key, self.key .. ':seen', token, self.ttl_ms) end) end\n" +
           "return redis('EVAL', [[" + ask + "]], 1, self.key, self.token, self.ttl_ms) == 1";
  };
  const std::string release =
      "return redis('EVAL', [[local n = redis.call('zrem', KEYS[1], ARGV[1])"
      " local last = redis.call('zrange', KEYS[1], -1, -1, 'withscores')"
      " if last[2] then redis.call('pexpireat', KEYS[1], last[2]) end return n]],"
      " 1, self.key, self.token) == 1";
  const std::string also = kTwo + ", leases = { '{key}', '{key}:seen' }";
  const auto judged = [&](const std::string& renew) {
    LongAndShort lock({acquires(renew), release}, also);
    lock.model.server = sim::ServerVersion::redis_7_2;  // in 7.0 the clock goes on within a script
    return lock.judged(Property::foreign_release);
  };
  CHECK(judged(ask) != Verdict::violated);  // with times so near the engine leaves it open
  // A renewal that the members do not show.
  CHECK(judged("redis.call('set', KEYS[2], ARGV[1], 'px', 100)" + longer) == Verdict::violated);
  // What asks for nothing.
  CHECK(judged("return redis.call('pttl', KEYS[1])") == Verdict::holds);
}

TEST_CASE("a key that lasts longer since its server's clock was set back", "[reliance]") {
  // B asks anew for as long as it always does, which is less than there is: to A it is enough.
  const std::string sets =
      test::kToken +
      "return redis('EVAL', \"redis.call('hset', KEYS[1], ARGV[1], 1)"
      " redis.call('pexpire', KEYS[1], ARGV[2]) return 1\", 1, self.key, self.token, self.ttl_ms)"
      " == 1";
  const auto judged = [&](std::int64_t jump_ms, std::int64_t lease_ms) {
    test::InlineLock lock({sets, leaves("1000")}, kTwo);
    lock.lasting(30, 10);
    lock.model.processes[1].lease_ms = lease_ms;
    lock.model = test::with_fault(lock.model, sim::Fault::jump);
    lock.model.jumps_ms = {jump_ms};
    return lock.judged(Property::foreign_release);
  };
  CHECK(judged(-20, 30) == Verdict::holds);
  CHECK(judged(20, 30) == Verdict::holds);
  CHECK(judged(-20, 29) == Verdict::violated);
}
