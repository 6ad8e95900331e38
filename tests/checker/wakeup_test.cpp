// Lost wake-ups in both explorers: whoever waits to be told that a lock is free, while nothing is
// under way that will tell it.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

const std::string kTry = "redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";

/// It listens, tries, and sleeps until it is told, for at most so long.
std::string told(const std::string& wait) {
  return test::kToken +
         "local latch = semaphore(0)\n"
         "local heard = listen('free', function() latch:release() end)\n"
         "return retry(function()\n"
         "  if " +
         kTry + " then stop(heard) return true end\n  " + wait + "\nend)";
}

/// It is told after the lock is deleted, by a request of its own.
const std::string kDeletesAndTells =
    "local ok = " + test::kCompareAndDelete.substr(7) + " redis('PUBLISH', 'free', 'x') return ok";

/// In the request that deletes it.
const std::string kTellsAtOnce =
    "return redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
    " redis.call('publish', 'free', 'x') return redis.call('del', KEYS[1]) end return 0\","
    " 1, self.key, self.token) == 1";

const std::string kWaitsForSignal = test::kToken + "return retry(function()\n  if " + kTry +
                                    " then return true end\n  redis('BLPOP', 'signal', 0)\nend)";

/// A release() that leaves a signal, of which this becomes then.
std::string signals(const std::string& then = "") {
  return "return redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
         " redis.call('del', KEYS[1]) redis.call('del', KEYS[2])"
         " redis.call('rpush', KEYS[2], 1) " +
         then +
         " return 1 end return 0\","
         " 2, self.key, 'signal', self.token) == 1";
}

}  // namespace

TEST_CASE("who tries behind its subscription is told of every release", "[wakeup][many-models]") {
  CHECK(
      test::InlineLock({told("latch:acquire()"), kDeletesAndTells}).judged(Property::lost_wakeup) ==
      Verdict::holds);
  CHECK(test::InlineLock({told("latch:acquire(50)"), kDeletesAndTells})
            .judged(Property::lost_wakeup) == Verdict::holds);
}

TEST_CASE("a release between the try and the subscription is never heard of",
          "[wakeup][many-models]") {
  const std::string late = test::kToken + "if " + kTry +
                           " then return true end\n"
                           "local latch = semaphore(0)\n"
                           "local heard = listen('free', function() latch:release() end)\n"
                           "return retry(function()\n  ";
  const std::string then = "\n  if " + kTry + " then stop(heard) return true end\nend)";
  for (const std::string wait : {"latch:acquire()", "latch:acquire(50)"})
    CHECK(test::InlineLock({late + wait + then, kDeletesAndTells}).judged(Property::lost_wakeup) ==
          Verdict::violated);
  // Who asks again after a time is told by nobody, and waits for nobody to tell it.
  CHECK(test::InlineLock({late + "sleep(50)" + then, kDeletesAndTells})
            .judged(Property::lost_wakeup) == Verdict::holds);
}

TEST_CASE("a release that ends between the deletion and the message tells nobody",
          "[wakeup][many-models]") {
  for (const sim::Fault fault : {sim::Fault::crash, sim::Fault::lose}) {
    test::InlineLock disturbed({told("latch:acquire()"), kDeletesAndTells});
    disturbed.model = test::with_fault(disturbed.model, fault);
    INFO(static_cast<int>(fault));
    CHECK(disturbed.judged(Property::lost_wakeup) == Verdict::violated);
  }
  // In one request nothing comes between; a message that is only late is under way.
  for (const sim::Fault fault : {sim::Fault::crash, sim::Fault::delay}) {
    test::InlineLock disturbed({told("latch:acquire()"), kTellsAtOnce});
    disturbed.model = test::with_fault(disturbed.model, fault);
    INFO(static_cast<int>(fault));
    CHECK(disturbed.judged(Property::lost_wakeup) == Verdict::holds);
  }
}

TEST_CASE("a timer that bounds a wait reminds nobody, and one that does something does",
          "[wakeup][many-models]") {
  const auto bounded = [](const std::string& timer) {
    return test::kToken + "return retry(function()\n  if " + kTry +
           " then return true end\n  await(" + timer + ")\nend)";
  };
  const std::string silent = test::kCompareAndDelete;
  CHECK(test::InlineLock({bounded("spawn(sleep, 50)"), silent}).judged(Property::lost_wakeup) ==
        Verdict::violated);
  CHECK(test::InlineLock({bounded("spawn(function() sleep(50) end)"), silent})
            .judged(Property::lost_wakeup) == Verdict::holds);
}

TEST_CASE("who is served at a node and dies takes the signal along", "[wakeup][many-models]") {
  test::InlineLock three({kWaitsForSignal, signals()});
  three.model.processes.push_back(three.model.processes[0]);
  CHECK(three.judged(Property::lost_wakeup) == Verdict::holds);
  three.model = test::with_fault(three.model, sim::Fault::crash);
  CHECK(three.judged(Property::lost_wakeup) == Verdict::violated);
}

TEST_CASE("a lease that ends by itself is given back by nobody", "[wakeup]") {
  test::InlineLock lock({told("latch:acquire(10)"), kDeletesAndTells});
  lock.lasting(30, 40);
  CHECK(lock.judged(Property::lost_wakeup) == Verdict::holds);
}

TEST_CASE("a pause of who waits is no excuse for a signal that is over when it goes on",
          "[wakeup][many-models]") {
  test::InlineLock for_ever({kWaitsForSignal, signals()}),
      for_a_while({kWaitsForSignal, signals("redis.call('pexpire', KEYS[2], 3)")});
  for (test::InlineLock* lock : {&for_ever, &for_a_while})
    lock->model = test::with_fault(lock->model, sim::Fault::pause);
  CHECK(for_ever.judged(Property::lost_wakeup) == Verdict::holds);
  CHECK(for_a_while.judged(Property::lost_wakeup) == Verdict::violated);
}

TEST_CASE("what a lock was given back for is over once somebody has taken it and died",
          "[wakeup][many-models]") {
  test::InlineLock three({told("latch:acquire(9)"), kTellsAtOnce});
  three.lasting(5, 2);
  three.model.processes.push_back(three.model.processes[0]);
  three.model = test::with_fault(three.model, sim::Fault::crash);
  CHECK(three.judged(Property::lost_wakeup) == Verdict::holds);
}

TEST_CASE("where no release() gives anything back in a lease key, nothing is shown", "[wakeup]") {
  test::InlineLock keyless({"return true", "return true"}, ", leases = { '{key}' }");
  keyless.model.witnesses = {sim::Witness::acquired};
  keyless.model.properties = {Property::lost_wakeup};
  CHECK(keyless.unmet() == std::set{sim::Witness::freed});
}
