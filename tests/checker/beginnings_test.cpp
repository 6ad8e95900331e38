// Nobody chooses when a run begins: what hangs on the date or the time of day proves nothing.
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using test::InlineLock;

/// Of a lock whose script takes it if `script` answers 1; `now` is the time in ms, `t` TIME's
/// reply.
Verdict of_script(const std::string& script, const std::string& arguments = "") {
  const InlineLock lock(
      {"self.token = unique() return redis('EVAL', [[local t = redis.call('time') "
       "local now = t[1] * 1000 + math.floor(t[2] / 1000) " +
           script + "]], 1, self.key, self.token" + arguments + ") == 1",
       test::kCompareAndDelete});
  sim::Model model = lock.model;
  model.server = sim::ServerVersion::redis_7_2;
  model.properties = {sim::Property::mutual_exclusion};
  return checker::explore(model, {}).verdict;
}

std::string set_with(const std::string& option) {
  return "return redis.call('set', KEYS[1], ARGV[1], 'nx', " + option + ") and 1 or 0";
}

}  // namespace

TEST_CASE("a lease until a round time may end right after it has begun", "[beginnings]") {
  for (const char* option : {"'exat', t[1] - t[1] % 10 + 10", "'px', 86400000 - now % 86400000"}) {
    INFO(option);
    CHECK(of_script(set_with(option)) == Verdict::violated);
  }
}

TEST_CASE("a lease until a date, or until a rarer round time, proves nothing",
          "[beginnings][many-models]") {
  for (const char* option : {"'pxat', now - now % 1500 + 1500", "'ex', 60 - t[1] % 60",
                             "'ex', 3600 - t[1] % 3600", "'exat', 1767225610", "'pxat', ARGV[2]"}) {
    INFO(option);
    CHECK(of_script(set_with(option), ", '1767229200000'") == Verdict::inconclusive);
  }
}

TEST_CASE("a window that began at a round time proves nothing", "[beginnings][many-models]") {
  const std::array<std::pair<const char*, const char*>, 3> windows{
      {{"now - now % 10000", "100000"},
       {"t[1] * 1000 - t[1] % 60 * 1000", "200000"},
       {"(t[1] - t[1] % 3600) * 1000", "86400000"}}};
  for (const auto& [window, lasts_ms] : windows) {
    INFO(window);
    CHECK(of_script("local begun = redis.call('get', KEYS[1]) if begun and now - begun <= " +
                    std::string(lasts_ms) + " then return 0 end redis.call('set', KEYS[1], " +
                    window + ") return 1") == Verdict::inconclusive);
  }
}

TEST_CASE("a lease that lasts as long whenever it begins holds", "[beginnings]") {
  for (const char* option : {"'pxat', now + 30", "'px', 30", "'exat', t[1] + 2"}) {
    INFO(option);
    CHECK(of_script(set_with(option)) == Verdict::holds);
  }
}
