// The slots of a cluster's node go to another one: what of it is not simulated is left open.
#include <catch2/catch.hpp>
#include <string>

#include "checker/explorer.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;

checker::Result with_keys(const std::string& second_key) {
  test::InlineLock lock(
      {"if redis('SET', self.key, 'x', 'NX') ~= OK then return false end "
       "redis('SET', '" +
           second_key + "', 'x') return true",
       "redis('DEL', '" + second_key + "') return redis('DEL', self.key) == 1"});
  lock.model.cluster = true;
  lock.model = test::with_fault(lock.model, sim::Fault::migrate);
  lock.model.properties = {sim::Property::mutual_exclusion};
  return checker::explore(lock.model, {});
}

}  // namespace

TEST_CASE("keys of several slots do not migrate together", "[migration]") {
  CHECK(with_keys("{lock}:of").verdict == Verdict::holds);
  const checker::Result apart = with_keys("lock:of");
  CHECK(apart.verdict == Verdict::inconclusive);
  CHECK(apart.why_inconclusive.find("several slots") != std::string::npos);
}

TEST_CASE("a key that has 0 ms left does not move", "[migration]") {
  // Whether EXEC may not find a key that was there when GET was queued.
  const auto moves_after = [](const std::string& ms) {
    test::InlineLock lock({"redis('SET', self.key, 1, 'PX', 5) sleep(" + ms +
                               ") redis('MULTI') local queued = pcall(redis, 'GET', self.key) "
                               "return not pcall(redis, 'EXEC') and queued",
                           "return true"});
    lock.alone_with(sim::Fault::migrate);
    return lock.may_acquire();
  };
  CHECK(moves_after("4"));
  CHECK_FALSE(moves_after("5"));
}
