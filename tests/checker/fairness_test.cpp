// How often others get a lock while a client waits for it: argued by hand, and found by both
// explorers.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

/// Whoever has asked first is served first: a list of tokens, of which the first one has the lock.
const test::Bodies kInTurn{
    "self.token = unique() redis('RPUSH', self.key, self.token) "
    "return retry(function() return redis('LINDEX', self.key, 0) == self.token end, 5)",
    "return redis('LREM', self.key, 1, self.token) == 1"};

/// Asks again every 5 ms, whoever else does.
const test::Bodies kAgain{
    test::kToken +
        "return retry(function() return redis('SET', self.key, self.token, 'NX', 'PX', "
        "self.ttl_ms) == OK end, 5)",
    test::kCompareAndDelete};

/// Both explorers find that nobody is passed more often than `most` times, and that somebody is so
/// often.
void check_most(InlineLock& lock, unsigned most) {
  INFO("passed " << most << " times at most");
  lock.model.overtakes = most;
  CHECK(lock.judged(Property::fairness) == Verdict::holds);
  REQUIRE(most > 0);
  lock.model.overtakes = most - 1;
  CHECK(lock.judged(Property::fairness) == Verdict::violated);
}

}  // namespace

TEST_CASE("in a queue who has been served stands behind", "[fairness]") {
  InlineLock two(kInTurn);
  for (auto& process : two.model.processes) process.rounds = 2;
  check_most(two, 1);
}

TEST_CASE("who asks again and again may be passed by each round of the other", "[fairness]") {
  InlineLock two(kAgain);
  two.model.processes[0].rounds = 3;
  check_most(two, 3);
}

TEST_CASE("each permit that another one gets counts", "[fairness]") {
  InlineLock lock({"self.token = unique() return retry(function() return redis('EVAL', [["
                   "if redis.call('SCARD', KEYS[1]) < 2 then return redis.call('SADD', KEYS[1], "
                   "ARGV[1]) end return 0]], 1, self.key, self.token) == 1 end, 5)",
                   "return redis('SREM', self.key, self.token) == 1"},
                  ", permits = 2");
  lock.model.processes.push_back(lock.model.processes[0]);
  check_most(lock, 2);
}

TEST_CASE("nobody is passed while it is paused, or before it asks", "[fairness]") {
  InlineLock lock(kInTurn);
  lock.model = test::with_fault(lock.model, Fault::pause);
  for (auto& process : lock.model.processes) process.rounds = 2;
  check_most(lock, 1);
  // Who tries once waits for nobody.
  InlineLock once({test::kToken + "return redis('SET', self.key, self.token, 'NX') == OK",
                   test::kCompareAndDelete});
  for (auto& process : once.model.processes) process.rounds = 2;
  once.model.overtakes = 2;
  CHECK(once.judged(Property::fairness) == Verdict::holds);
}

TEST_CASE("a thread is passed by another one of its process", "[fairness]") {
  InlineLock lock(kAgain);
  lock.model.processes.resize(1);
  lock.model.processes[0].threads = 2;
  lock.model.processes[0].rounds = 2;
  check_most(lock, 2);
}
