// What is sent and never arrives, though everything is up and connected again: behind a link that
// was cut, and on a connection that a machine has forgotten. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

/// Whether both explorers see a lone client's acquire() come out true in some run with this fault.
bool may_come_about(const std::string& acquire, Fault fault) {
  InlineLock lock({acquire, "return true"});
  return lock.alone_with(fault).may_acquire();
}

}  // namespace

TEST_CASE("who gives up what he has sent behind a cut link may never get it through", "[cut]") {
  const auto may_stay = [](const std::string& timeout) {
    InlineLock lock({"return redis('SETNX', self.key, 'x') == 1",
                     "pcall(call, { " + timeout + "'DEL', self.key }) return true"});
    return lock.alone_with(Fault::cut).judged(Property::leak);
  };
  CHECK(may_stay("timeout_ms = 5, ") == Verdict::violated);
  CHECK(may_stay("") == Verdict::holds);
}

TEST_CASE("what was given up behind a cut link comes when it likes once that has healed", "[cut]") {
  // Its own connection is answered twice meanwhile, with 5 ms in between.
  InlineLock lock(
      {"if pcall(call, { timeout_ms = 5, 'SET', self.key, 'x' }) then return true end "
       "redis('DEL', self.key) sleep(5) redis('DEL', self.key) return false",
       "return redis('DEL', self.key) == 1"});
  CHECK(lock.alone_with(Fault::cut).judged(Property::leak) == Verdict::violated);
}

TEST_CASE("what somebody waits for behind a cut link may come later than what is sent anew",
          "[cut]") {
  // The other task's SET has a connection of its own, on which its kernel is in no hurry.
  const auto may_stay = [](const std::string& between) {
    InlineLock lock({"local setting = spawn(function() redis('SET', self.key, 'x') end) " +
                         between + "redis('DEL', self.key) stop(setting) return false",
                     "return true"});
    return lock.alone_with(Fault::cut).judged(Property::leak);
  };
  CHECK(may_stay("sleep(1) redis('GET', self.key) sleep(5) ") == Verdict::violated);
  CHECK(may_stay("await(setting) ") == Verdict::holds);
}

TEST_CASE("a reply that a cut link has kept may come later than what is asked anew", "[cut]") {
  // The one that was asked first is heard of last.
  const std::string overtaken =
      "local heard = 0 local asking = spawn(function() redis('GET', 'x') heard = now() end) "
      "sleep(1) redis('GET', 'y') sleep(5) local late = heard == 0 await(asking) return late";
  CHECK(may_come_about(overtaken, Fault::cut));
  CHECK(may_come_about(overtaken, Fault::delay));
  CHECK_FALSE(may_come_about(overtaken, Fault::flush));
}

TEST_CASE("a machine that has lost power knows nothing of a connection on which nothing was sent",
          "[restarts]") {
  // Another task finds out that it is up again; is the next request on the old connection lost?
  const std::string lost =
      "local sha, up = redis('SCRIPT', 'LOAD', 'return 1'), false "
      "await(spawn(function() local ok, e = pcall(redis, 'EVALSHA', sha, 0) "
      "up = not ok and e.code == 'NOSCRIPT' end)) "
      "return up and not pcall(redis, 'GET', 'x')";
  CHECK(may_come_about(lost, Fault::power_loss));
  CHECK_FALSE(may_come_about(lost, Fault::node_crash));
}
