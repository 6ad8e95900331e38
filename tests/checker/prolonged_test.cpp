// A lifetime that is made of what is left of one: which durations are in use then
// (docs/semantics.md, section 4).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/explorer.hpp"
#include "sim/client/program.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

/// A holder adds half a lease again and again (redis-py's `extend(ms)`); others go away.
const test::Bodies kProlonging{test::kToken + R"lua(
  if not redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) then return false end
  self.renewal = every(self.ttl_ms // 2, function()
    return redis('EVAL', [[if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
      local left = redis.call('pttl', KEYS[1])
      return redis.call('pexpire', KEYS[1], ARGV[2] + left)]], 1, self.key, self.token,
      self.ttl_ms // 2) == 1
  end)
  return true)lua",
                               "stop(self.renewal) " + test::kCompareAndDelete};

sim::Model prolonging(test::InlineLock& lock) {
  lock.lasting(6000, 11'000);
  lock.model.properties = {Property::deadlock};
  lock.model.server = sim::ServerVersion::redis_7_2;
  return lock.model;
}

TEST_CASE("a lease that grows by what is left of it lasts from where it was given", "[time]") {
  test::InlineLock lock(kProlonging);
  const sim::Model model = prolonging(lock);
  const checker::Result alone = checker::explore(model, {});
  CHECK(alone.verdict == Verdict::holds);
  CHECK(alone.grid_durations ==
        std::vector<std::int64_t>{3000, 6000, 9000, 11'000, 12'000, 15'000});
  const checker::Result late = checker::explore(test::with_fault(model, sim::Fault::delay), {});
  CHECK(late.verdict == Verdict::holds);
  CHECK(late.time_gap.empty());
  CHECK(late.statistics.states < 60'000);
}

TEST_CASE("what is prolonged again and again makes no more durations than it needs", "[time]") {
  test::InlineLock lock(kProlonging);
  prolonging(lock);
  lock.lasting(6000, 100'000);  // 33 times
  const checker::Result result = checker::explore(lock.model, {});
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.grid_durations.size() <= 8);
}

TEST_CASE("what grows by 1 ms with each of its renewals is told to have no end", "[time]") {
  test::InlineLock lock(kProlonging);
  prolonging(lock);
  lock.lasting(6000, 100'000);
  lock.model.server = sim::ServerVersion::redis_7_0;
  lock.model.later_from = 2;  // a ms begins between the look and the new lifetime
  const checker::Result result = checker::explore(lock.model, {});
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.why_inconclusive.find("what is left of it") != std::string::npos);
}

/// One takes the key for 8 ms, one adds 5 ms to what is left if that is less than 4 ms, and one
/// asks 24 ms after its beginning whether the key ends right then: if so, both believe they hold
/// it.
TEST_CASE("who takes a key may have to come so early that it ends on time once it is prolonged",
          "[time]") {
  test::InlineLock lock(
      {"if setting('asks') then\n"
       "  sleep(24)\n"
       "  return redis('PTTL', self.key) == 0 and redis('EXISTS', 'longer') == 1\n"
       "elseif setting('adds') then\n"
       "  redis('EVAL', [[local left = redis.call('pttl', KEYS[1])\n"
       "    if left <= 0 or left > 3 then return 0 end\n"
       "    redis.call('set', 'longer', 1)\n"
       "    return redis.call('pexpire', KEYS[1], left + 5)]], 1, self.key)\n"
       "else return redis('SET', self.key, 1, 'PX', 8) == OK end\n"
       "return false",
       "return false"},
      ", settings = { asks = false, adds = false }");
  lock.model.processes.push_back(lock.model.processes[1]);
  lock.model.processes[1].settings["adds"] = true;
  lock.model.processes[2].settings["asks"] = true;
  lock.model.server = sim::ServerVersion::redis_7_2;
  lock.lasting(10, 30);
  lock.model.properties = {Property::mutual_exclusion};
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
  const checker::Result result = checker::explore(lock.model, {});
  CHECK(std::ranges::count(result.grid_durations, 13) == 1);
  CHECK(result.statistics.states < 10'000);
}

}  // namespace
