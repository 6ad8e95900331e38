// At which instants a command turns by what it compares, or by what an absolute time is rounded to.
#include <catch2/catch.hpp>
#include <string>

#include "tests/checker/timed_model.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::timed;

}  // namespace

TEST_CASE("EXPIRE GT prolongs a lease or not, by what is left of it: its answer decides",
          "[time]") {
  // Only 3 ms late it is prolonged, to 4 ms; in time it is not, and nobody is in.
  const auto worked = [](std::uint8_t delays) {
    test::InlineLock lock(
        {"  self.token = unique()\n"
         "  if redis('SET', self.key, self.token, 'NX', 'PX', 6) ~= OK then\n"
         "    return false\n  end\n"
         "  return redis('PEXPIRE', self.key, 4, 'GT') == 1",
         test::kCompareAndDelete});
    lock.model.budget[static_cast<std::size_t>(sim::Fault::delay)] = delays;
    return lock.lasting(30, 5).judged(sim::Property::mutual_exclusion);
  };
  CHECK(worked(2) == checker::Verdict::violated);
  CHECK(worked(1) == checker::Verdict::holds);  // nobody else gets in
}

TEST_CASE("a time that is rounded up to seconds turns right after each of them", "[time]") {
  // Where a second begins when the lock is taken, the lease lasts for 1000 ms, and never for less.
  const auto worked = [](std::int64_t stays_ms) {
    const char* const kTaken =
        "  return redis('SET', self.key, unique(), 'NX', 'EXAT',"
        " math.ceil((millis(now()) + 1000) / 1000)) == OK";
    return searched(kTaken, two_clients(stays_ms, 1000));
  };
  CHECK(worked(1000).verdict == checker::Verdict::holds);
  CHECK(worked(1001).verdict == checker::Verdict::violated);
  CHECK(worked(1001).schedule.size() == worked(5000).schedule.size());
}

namespace {

/// Two permits, in a sorted set by clients' clocks; who is not one of two goes again.
test::InlineLock two_permits(const std::string& is_one_of_two) {
  return test::InlineLock({"  self.token = unique()\n  local t = millis(now())\n"
                           "  redis('ZREMRANGEBYSCORE', self.key, '-inf', t - self.ttl_ms)\n"
                           "  redis('ZADD', self.key, t, self.token)\n  if " +
                               is_one_of_two +
                               " then return true end\n"
                               "  redis('ZREM', self.key, self.token)\n  return false",
                           "return redis('ZREM', self.key, self.token) == 1"},
                          ", permits = 2");
}

}  // namespace

TEST_CASE("the rank of a member hangs on the times of all others", "[time]") {
  // Who comes last in a ms may be first by name: a third one.
  const auto held_by = [](std::size_t clients) {
    test::InlineLock lock = two_permits("redis('ZRANK', self.key, self.token) < 2");
    lock.model.processes.resize(clients, lock.model.processes[0]);
    lock.model.properties = {sim::Property::mutual_exclusion};
    return checker::explore(lock.model, {}).verdict;
  };
  CHECK(held_by(2) == checker::Verdict::holds);
  CHECK(held_by(3) == checker::Verdict::violated);
}

TEST_CASE("a time may turn where it meets two that are stored side by side",
          "[time][many-models]") {
  // A ms after one another: what removes the second one by its score had the first one at its
  // bound.
  const auto held_for = [](std::int64_t work_ms) {
    test::InlineLock lock = two_permits("redis('ZCARD', self.key) <= 2");
    lock.model.processes.resize(3, lock.model.processes[0]);
    return lock.lasting(3, work_ms).judged(sim::Property::foreign_release);
  };
  CHECK(held_for(2) == checker::Verdict::holds);
  CHECK(held_for(3) == checker::Verdict::violated);
}

TEST_CASE("EXPIRE NX, then GT: what is there decides, and then what is left of it", "[time]") {
  // The set lives as long as the latest of its members: who came first never loses it by another.
  const auto judged = [](std::int64_t work_ms) {
    test::InlineLock lock(
        {"  self.token = unique()\n"
         "  return redis('EVAL', \"if redis.call('scard', KEYS[1]) >= 2 then return 0 end"
         " redis.call('sadd', KEYS[1], ARGV[1])"
         " redis.call('pexpire', KEYS[1], ARGV[2], 'NX')"
         " redis.call('pexpire', KEYS[1], ARGV[2], 'GT') return 1\","
         " 1, self.key, self.token, self.ttl_ms) == 1",
         "return redis('SREM', self.key, self.token) == 1"},
        ", permits = 2, server = 'redis-7.2'");
    lock.model.server = sim::ServerVersion::redis_7_2;
    lock.model.processes.resize(3, lock.model.processes[0]);
    return lock.lasting(4, work_ms).judged(sim::Property::mutual_exclusion);
  };
  CHECK(judged(4) == checker::Verdict::holds);
  CHECK(judged(5) == checker::Verdict::violated);
}

TEST_CASE("a script keeps times in microseconds, and compares them", "[time]") {
  const auto judged = [](const std::string& script, std::int64_t work_ms) {
    test::InlineLock lock(
        {"  self.token = unique()\n"
         "  return redis('EVAL', \"local t = redis.call('time') local us = t[1] * 1000000 + t[2] " +
             script + " return 1\", 1, self.key, self.token, self.ttl_ms) == 1",
         "return redis('ZREM', self.key, self.token) == 1"});
    return lock.lasting(6, work_ms).judged(sim::Property::mutual_exclusion);
  };
  const std::string taken = " if redis.call('zcard', KEYS[1]) > 0 then return 0 end ";
  const std::string begun = "redis.call('zremrangebyscore', KEYS[1], '-inf', us - ARGV[2] * 1000)" +
                            taken + "redis.call('zadd', KEYS[1], us, ARGV[1])";
  const std::string ends = "redis.call('zremrangebyscore', KEYS[1], '-inf', us - 1)" + taken +
                           "redis.call('zadd', KEYS[1], us + ARGV[2] * 1000, ARGV[1])";
  CHECK(judged(begun, 5) == checker::Verdict::holds);
  CHECK(judged(begun, 6) == checker::Verdict::violated);  // 6 ms are over
  CHECK(judged(ends, 6) == checker::Verdict::holds);      // they have to be over before
  CHECK(judged(ends, 7) == checker::Verdict::violated);
}

TEST_CASE("Unix seconds with a fraction are times, in texts and as scores", "[time]") {
  // A set of holders, each with when it came by its own clock (Python's time.time()); who came so
  // long ago is taken out.
  const auto judged = [](const std::string& begun, std::int64_t work_ms) {
    test::InlineLock lock(
        {"  self.token = unique()\n  local t = millis(now()) / 1000\n"
         "  local script = \"redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[2])"
         " if redis.call('zcard', KEYS[1]) > 0 then return 0 end"
         " redis.call('zadd', KEYS[1], ARGV[3], ARGV[1]) return 1\"\n"
         "  return redis('EVAL', script, 1, self.key, self.token, " +
             begun + ", t) == 1",
         "return redis('ZREM', self.key, self.token) == 1"});
    lock.model.tick_ms = 1000;
    return lock.lasting(2000, work_ms).judged(sim::Property::mutual_exclusion);
  };
  for (const std::string begun :
       {"t - self.ttl_ms / 1000", "string.format('%.3f', t - self.ttl_ms / 1000)"}) {
    CHECK(judged(begun, 1000) == checker::Verdict::holds);
    CHECK(judged(begun, 2000) == checker::Verdict::violated);
  }
}

TEST_CASE("when a lock ends is kept in seconds with a fraction", "[time]") {
  const auto judged = [](const std::string& over, std::int64_t work_ms) {
    test::InlineLock lock(
        {"  local t = millis(now()) / 1000\n  local ends = t + self.ttl_ms / 1000\n"
         "  self.mine = string.format('%.6f', ends)\n"
         "  if redis('SETNX', self.key, self.mine) == 1 then return true end\n"
         "  local old = redis('GET', self.key)\n"
         "  return old ~= nil and " +
             over + " and redis('GETSET', self.key, self.mine) == old",
         "if redis('GET', self.key) == self.mine then redis('DEL', self.key) end return true"});
    lock.model.tick_ms = 1000;
    return lock.lasting(2000, work_ms).judged(sim::Property::mutual_exclusion);
  };
  CHECK(judged("tonumber(old) < t", 2000) == checker::Verdict::holds);
  CHECK(judged("tonumber(old) < t", 3000) == checker::Verdict::violated);
  CHECK(judged("tonumber(old) <= t", 1000) == checker::Verdict::holds);
  CHECK(judged("tonumber(old) <= t", 2000) == checker::Verdict::violated);
}

TEST_CASE("where only the rounding of such seconds decides, nothing holds", "[time]") {
  // The naive explorer begins with a whole second, too; at other ms 2.333 s are over 1 ms sooner.
  const auto verdict = [](std::int64_t lease_ms) {
    test::InlineLock lock(
        {"  self.token = unique()\n"
         "  local script = \"local t = redis.call('time') local now = t[1] + t[2] / 1000000"
         " local begun = redis.call('get', KEYS[1])"
         " if begun and tonumber(begun) + ARGV[1] / 1000 >= now then return 0 end"
         " redis.call('set', KEYS[1], string.format('%.6f', now)) return 1\"\n"
         "  return redis('EVAL', script, 1, self.key, self.ttl_ms) == 1",
         "redis('DEL', self.key) return true"});
    lock.lasting(lease_ms, lease_ms);
    lock.model.properties = {sim::Property::mutual_exclusion};
    return checker::explore(lock.model, {}).verdict;
  };
  CHECK(verdict(2000) == checker::Verdict::holds);
  CHECK(verdict(2333) == checker::Verdict::inconclusive);
}

TEST_CASE("of microseconds that a client compares nothing is claimed", "[time]") {
  const std::string apart =
      "  local t = redis('TIME') local us = t[1] * 1000000 + t[2]\n"
      "  if redis('HSETNX', 'times', 'a', us) == 1 then return true end\n"
      "  redis('HSET', 'times', 'b', us)\n"
      "  local both = redis('HMGET', 'times', 'a', 'b')\n  return both[2] - both[1] == 7321000";
  CHECK(verdict_of(apart, two_clients(50'000, 10'000)) != checker::Verdict::holds);
}

TEST_CASE("who sleeps for as many seconds as are left wakes at whole ones", "[time]") {
  // The longest wait: right behind the other one, for 2 s, and 100 ms more, as 0 ms are left then.
  const auto judged = [](sim::Property property, std::int64_t waits_ms) {
    test::InlineLock lock(
        {"  self.token = unique()\n  return retry(function()\n"
         "    if redis('SET', self.key, self.token, 'NX', 'PX', 2000) == OK then return true end\n"
         "    local left = redis('TTL', self.key)\n"
         "    sleep(left > 0 and left * 1000 or 100)\n  end)",
         "return true"},  // the lease ends by itself
        ", permanent = { '{key}' }");
    lock.model.tick_ms = 100;
    lock.model.waits_ms = waits_ms;
    return lock.lasting(2000, 600).judged(property);
  };
  CHECK(judged(sim::Property::mutual_exclusion, 0) == checker::Verdict::holds);
  CHECK(judged(sim::Property::waits, 2000) == checker::Verdict::violated);
  CHECK(judged(sim::Property::waits, 2100) == checker::Verdict::holds);
}
