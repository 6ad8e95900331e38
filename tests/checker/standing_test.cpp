// Requests that wait at their nodes without an end, which nobody hears any more, and a release()
// that waits so: what comes to rest beside them. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

const std::string kSetsForGood = "return redis('SET', self.key, 'x', 'NX') == OK";
const std::string kDeletes = "return redis('DEL', self.key) == 1";

const std::string kOnOneConnection = ", shared_connection = true";

}  // namespace

TEST_CASE("a request without an end that was given up hides no deadlock, and no leak",
          "[standing]") {
  for (const std::string asked : {"'WAIT', 1, 0", "'BLPOP', 'ack', 0"})
    for (const std::string& also : {std::string(), kOnOneConnection}) {
      CAPTURE(asked, also);
      const InlineLock lock({kSetsForGood, "if choose(2) == 1 then call { timeout_ms = 5, " +
                                               asked + " } return end " + kDeletes},
                            also);
      CHECK(lock.judged(Property::deadlock) == Verdict::violated);
      CHECK(lock.judged(Property::leak) == Verdict::violated);
    }
}

TEST_CASE("what is sent behind a request without an end on one connection never comes",
          "[standing]") {
  const auto behind = [](const std::string& seconds) {
    InlineLock lock({kSetsForGood, "pcall(call, { timeout_ms = 5, 'BLPOP', 'ack', " + seconds +
                                       " }) " + kDeletes},
                    kOnOneConnection);
    lock.model.request_timeout_ms = 5;
    return lock.judged(Property::deadlock);
  };
  CHECK(behind("0") == Verdict::violated);
  CHECK(behind("0.006") == Verdict::holds);  // then the DEL comes, though nobody hears of it
}

TEST_CASE("a fresh client may be what somebody waits for without an end", "[standing]") {
  // It pushes before it tries, and the DEL behind the BLPOP comes.
  const auto pushes_to = [](const std::string& list) {
    InlineLock lock({"redis('RPUSH', '" + list + "', 1) " + kSetsForGood,
                     "pcall(call, { timeout_ms = 5, 'DEL', 'ack' })"
                     " pcall(call, { timeout_ms = 5, 'BLPOP', 'ack', 0 }) " +
                         kDeletes},
                    kOnOneConnection);
    lock.model.request_timeout_ms = 5;
    lock.model.processes.resize(1);
    return lock.judged(Property::deadlock);
  };
  CHECK(pushes_to("ack") == Verdict::holds);
  CHECK(pushes_to("other") == Verdict::violated);
}

TEST_CASE("a lone client that leaves a request without an end with each try acquires never",
          "[standing]") {
  InlineLock lock({"if redis('SET', self.key, 'x', 'NX') == OK then return true end "
                   "return redis('BLPOP', 'q', 0) ~= nil",
                   "return true"},
                  kOnOneConnection);
  lock.model.request_timeout_ms = 5;
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
}

TEST_CASE(
    "a release() that waits for ever for what nobody sends is a deadlock if the lock is taken",
    "[standing]") {
  for (const std::string waits :
       {"redis('BLPOP', 'ack', 0)", "redis('WAIT', 1, 0)", "semaphore(0):acquire()"}) {
    CAPTURE(waits);
    const std::string may_wait = "if choose(2) == 1 then " + waits + " end ";
    CHECK(InlineLock({kSetsForGood, may_wait + kDeletes}).judged(Property::deadlock) ==
          Verdict::violated);
    // It has deleted the key before.
    CHECK(InlineLock(
              {kSetsForGood, "local gone = " + kDeletes.substr(7) + " " + may_wait + "return gone"})
              .judged(Property::deadlock) == Verdict::holds);
  }
}

TEST_CASE("who waits for a message is not told by a request without an end", "[standing]") {
  const std::string acquire =
      "if redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK then return true end "
      "redis('BLPOP', 'q', 0) return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK";
  const auto judged = [&](const std::string& tells) {
    return InlineLock({acquire, "local gone = redis('DEL', self.key) == 1 " + tells +
                                    " pcall(call, { timeout_ms = 5, 'WAIT', 1, 0 }) return gone"})
        .judged(Property::lost_wakeup);
  };
  CHECK(judged("") == Verdict::violated);
  CHECK(judged("redis('RPUSH', 'q', 1)") == Verdict::holds);
}
