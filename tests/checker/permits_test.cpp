// Locks that several may hold at once, in both explorers.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

/// Three clients, or threads, of which this many are let in, where two may be.
struct Semaphore : InlineLock {
  Semaphore(int let_in, bool threads)
      : InlineLock({"if redis('INCR', self.key) <= " + std::to_string(let_in) +
                        " then return true end redis('DECR', self.key) return false",
                    "redis('DECR', self.key)"},
                   ", permits = 2") {
    const sim::ProcessSetup one = model.processes[0];
    model.processes.assign(threads ? 1 : 3, one);
    if (threads) model.processes[0].threads = 3;
  }
};

}  // namespace

TEST_CASE("of a semaphore so many may be inside as there are permits, and no more",
          "[permits][many-models]") {
  for (const bool threads : {false, true}) {
    CAPTURE(threads);
    CHECK(Semaphore(2, threads).judged(Property::mutual_exclusion) == Verdict::holds);
    const Semaphore one_more(3, threads);
    CHECK(one_more.judged(Property::mutual_exclusion) == Verdict::violated);
    sim::Model asked = one_more.model;
    asked.properties = {Property::mutual_exclusion};
    const auto found = checker::explore(asked, {});
    CHECK(found.schedule.size() == 9);  // begin, INCR and its answer, of each
    const auto told = checker::tell(asked, found.schedule);
    const std::string inside = threads ? "A, A and A" : "A, B and C";
    CHECK(told.violation == inside +
                                " are in the critical section, and there are 2 permits; all "
                                "were told that they hold the lock.");
  }
}

TEST_CASE("who has one of several permits is not alone, and writes nothing",
          "[permits][many-models]") {
  CHECK(Semaphore(2, false).judged(Property::no_lost_update) == Verdict::holds);
}

TEST_CASE("a pool has what nobody holds: to pop from it takes nothing from who has filled it",
          "[permits]") {
  const std::string fill =
      "if redis('SETNX', 'filled', 1) == 1 then redis('RPUSH', 'pool', '1', '2') end ";
  const auto judged = [](const std::string& acquire, const std::string& release, int rounds) {
    InlineLock lock({acquire, release},
                    ", permits = 2, leases = { 'pool' }, permanent = { 'pool' }");
    for (auto& process : lock.model.processes) process.rounds = rounds;
    return lock.judged(Property::foreign_release);
  };
  const std::string take = "self.permit = redis('LPOP', 'pool') return self.permit ~= nil",
                    give = "redis('RPUSH', 'pool', self.permit) return true";
  for (const int rounds : {1, 2}) CHECK(judged(fill + take, give, rounds) == Verdict::holds);
  // Who says in the list that it is one of two is no such element: to pop that is to take it.
  const std::string add =
      "self.token = unique() redis('RPUSH', 'pool', self.token) "
      "if redis('LLEN', 'pool') <= 2 then return true end "
      "redis('LREM', 'pool', 1, self.token) return false";
  CHECK(judged(add, "return redis('LREM', 'pool', 1, self.token) == 1", 1) == Verdict::holds);
  CHECK(judged(add, "return redis('LPOP', 'pool') ~= nil", 1) == Verdict::violated);
}

TEST_CASE("the oldest of two permits is taken over after a time: their times decide nothing alone",
          "[permits][many-models]") {
  const std::string take =
      "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
      "if redis.call('zcard', KEYS[1]) >= 2 then "
      "local oldest = redis.call('zrange', KEYS[1], 0, 0, 'withscores') "
      "if now - tonumber(oldest[2]) < 7 then return 0 end "
      "redis.call('zrem', KEYS[1], oldest[1]) end "
      "redis.call('zadd', KEYS[1], now, ARGV[1]) return 1";
  InlineLock lock({test::scripted_acquire(take), "return redis('ZREM', self.key, self.token) == 1"},
                  ", permits = 2");
  lock.lasting(12, 4);
  lock.model = test::with_fault(lock.model, sim::Fault::crash);
  CHECK(lock.judged(Property::deadlock) == Verdict::holds);
  lock.model.processes.resize(1);
  CHECK(lock.judged(Property::leak) == Verdict::violated);
}
