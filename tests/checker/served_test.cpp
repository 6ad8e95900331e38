// Requests that wait for a key and listeners, several of one process at once. Both explorers judge
// each.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

/// Whether a lone client's acquire() comes out true in some run.
bool may_come_about(const std::string& acquire) {
  InlineLock lock({acquire, "return true"});
  lock.model.processes.resize(1);
  return lock.may_acquire();
}

/// Two tasks wait, the one for x and then the other for y; is the other one served with this key?
bool is_served(const std::string& pushed) {
  return may_come_about(
      "local got = false local first = spawn(function() redis('BLPOP', 'x', 0) end) sleep(1) "
      "local second = spawn(function() redis('BLPOP', 'y', 0) got = true end) sleep(1) "
      "redis('RPUSH', '" +
      pushed + "', 1) sleep(1) stop(first) stop(second) return got");
}

/// A listener to each of two channels; do both hear something?
bool are_told(const std::string& script) {
  return may_come_about(
      "local x, y local one = listen('x', function() x = true end) "
      "local other = listen('y', function() y = true end) "
      "redis('EVAL', [[" +
      script + "]], 0) sleep(1) stop(one) stop(other) return (x and y) == true");
}

}  // namespace

TEST_CASE("of two tasks of a process that wait for keys each is served with its own", "[served]") {
  CHECK(is_served("y"));
  CHECK_FALSE(is_served("x"));
}

TEST_CASE("all that one command publishes is heard", "[served]") {
  const std::string to_x = "redis.call('publish', 'x', 1) ",
                    to_y = "redis.call('publish', 'y', 1) ";
  CHECK(are_told(to_x + to_y));
  CHECK(are_told(to_y + to_x));
  CHECK_FALSE(are_told(to_x + to_x));
}

TEST_CASE("what is served does not hang on the tokens that stand beside it", "[served]") {
  // The signal is popped while the key says whose the lock is.
  InlineLock lock({test::kToken +
                       "redis('RPUSH', 'signal', 1) redis('SET', self.key, self.token, 'NX') "
                       "redis('BLPOP', 'signal', 0) return redis('GET', self.key) == self.token",
                   test::kCompareAndDelete});
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.witnesses = {sim::Witness::acquired};
  CHECK(lock.judged(Property::foreign_release) == Verdict::holds);
}
