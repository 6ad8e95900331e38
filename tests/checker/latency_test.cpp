// Messages that take time: what holds only where they take none, what holds anyway, and that both
// explorers see the same. Also clocks that are apart from the start.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;
using test::kCompareAndDelete;

/// Leases of 6 ms, work of `work_ms`.
void set_times(InlineLock& lock, std::int64_t work_ms, std::int64_t latency_ms) {
  lock.lasting(6, work_ms);
  lock.model.latency_ms = latency_ms;
}

const std::string kSet =
    "self.token = unique() "
    "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then return false end ";

}  // namespace

TEST_CASE("work that fits into a lease only where the reply takes no time", "[latency]") {
  InlineLock lock({kSet + "return true", kCompareAndDelete});
  set_times(lock, 5, 0);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  // READ and WRITE are messages, too: 1 + 2 + 2 ms and 5 of work.
  set_times(lock, 5, 1);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  set_times(lock, 1, 1);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("a request whose answer decides at a time of its own", "[latency]") {
  // GET may be answered while the key is A's, and DEL executed when it is B's.
  InlineLock lock({kSet + "return true",
                   "if redis('GET', self.key) == self.token then"
                   " return redis('DEL', self.key) == 1 end return false"});
  const std::int64_t latency_ms = GENERATE(0, 1, 2);
  set_times(lock, 3, latency_ms);
  CHECK(lock.judged(Property::foreign_release) ==
        (latency_ms == 0 ? Verdict::holds : Verdict::violated));
}

TEST_CASE("a client that counts what acquiring took", "[latency][many-models]") {
  const std::string since = GENERATE(std::string("before"), std::string("after"));
  InlineLock lock({"local before = monotonic() " + kSet +
                       "local after = monotonic() self.since = " + since + " return true",
                   "if monotonic() - self.since >= self.ttl_ms then return true end "
                   "redis('SET', self.key .. ':done', self.token) return true"});
  set_times(lock, 3, 2);
  for (const auto property : {Property::mutual_exclusion, Property::honest_result})
    lock.judged(property);
}

TEST_CASE("latency beside faults and timeouts", "[latency][many-models][long-models]") {
  InlineLock lock({kSet + "return true", kCompareAndDelete});
  const auto fault =
      GENERATE(Fault::pause, Fault::delay, Fault::lose, Fault::crash, Fault::node_crash);
  const std::int64_t timeout_ms = GENERATE(0, 3);
  set_times(lock, 2, 1);
  lock.model.request_timeout_ms = timeout_ms;
  lock.model = test::with_fault(lock.model, fault);
  for (const auto property :
       {Property::mutual_exclusion, Property::foreign_release, Property::deadlock})
    lock.judged(property);
}

TEST_CASE("clocks that are apart from the start", "[clocks]") {
  // An expiry of the client's own clock, which is 4 ms behind the node's: 2 ms are left of 6.
  InlineLock lock(
      {"return redis('SET', self.key, 1, 'NX', 'PXAT', millis(now()) + self.ttl_ms) "
       "== OK",
       "return redis('DEL', self.key) == 1"});
  set_times(lock, 4, 0);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.clocks_ms = {0, -4};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  lock.model.clocks_ms = {4, 0};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model.node_clocks_ms = {4};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("what the resource is asked is never given up", "[latency]") {
  // A READ that is held back outlasts the lease; a SET would be given up after 2 ms.
  InlineLock lock({kSet + "return true", kCompareAndDelete});
  set_times(lock, 1, 0);
  lock.model.request_timeout_ms = 2;
  lock.model = test::with_fault(lock.model, Fault::delay);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a message to who listens may take its time, as what that asks then may", "[latency]") {
  // The key comes with the message, which is heard within 2 ms, and is asked for within 2 ms more.
  const auto may_be_gone = [](const std::string& lease_ms) {
    InlineLock lock(
        {"if redis('INCR', 'clients') == 1 then local latch = semaphore(0) "
         "local heard = listen('news', function() "
         "self.gone = redis('EXISTS', self.key) == 0 latch:release() end) "
         "sleep(5) redis('SET', 'listens', 1) latch:acquire() stop(heard) "
         "return self.gone end "
         "if redis('EXISTS', 'listens') == 0 then return false end "
         "redis('EVAL', [[redis.call('set', KEYS[1], 1, 'px', ARGV[1]) "
         "redis.call('publish', 'news', 'x')]], 1, self.key, " +
             lease_ms + ") return true",
         "return true"});
    lock.model.latency_ms = 2;
    return lock.judged(Property::mutual_exclusion) == Verdict::violated;
  };
  CHECK(may_be_gone("3"));
  CHECK_FALSE(may_be_gone("4"));  // it has 0 ms left then
}
