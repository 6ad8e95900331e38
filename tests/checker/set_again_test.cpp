// A mark without a lock token that one client sets as another one has left it: whose it is then
// hangs on whether that one has done with it. In both explorers.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

/// A gate lets one in, who marks a lease; who leaves opens the gate, and then takes its mark away.
Verdict behind_a_gate(const std::string& marks, Property property = Property::foreign_release,
                      const std::string& ends = "redis('DEL', 'held')") {
  const std::string acquire =
      "self.token = unique()\nif redis('SET', 'gate', 1, 'NX') ~= OK then return false end\n" +
      marks + "\nreturn true";
  return test::InlineLock({acquire, "redis('DEL', 'gate') return " + ends + " == 1"},
                          ", leases = { 'held' }")
      .judged(property);
}

std::string set_by_script(const std::string& script) {
  return "redis('EVAL', [[" + script + "]], 1, 'held', self.token)";
}

}  // namespace

TEST_CASE("who sets a mark as the last holder has left it has a mark of its own", "[set-again]") {
  for (const std::string marks : {"redis('SET', 'held', 'x')", "redis('HSET', 'held', 'f', 'x')",
                                  "redis('SADD', 'held', 'x')", "redis('ZADD', 'held', 7, 'x')"}) {
    INFO(marks);
    CHECK(behind_a_gate(marks) == Verdict::violated);
  }
  for (const std::string script :
       {"redis.call('set', KEYS[1], 'x')", "redis.call('hset', KEYS[1], 'f', 'x')",
        "redis.call('del', KEYS[1]) redis.call('sadd', KEYS[1], 'x')",
        "redis.call('zadd', KEYS[1], 7, 'x') redis.call('pexpire', KEYS[1], 30)"}) {
    INFO(script);
    CHECK(behind_a_gate(set_by_script(script)) == Verdict::violated);
  }
  // The same with a token of its own never looks the same.
  CHECK(behind_a_gate(set_by_script("redis.call('set', KEYS[1], ARGV[1])")) == Verdict::violated);
  // Who takes away only its own token takes nothing from anybody.
  CHECK(behind_a_gate(set_by_script("redis.call('hset', KEYS[1], ARGV[1], 'x')"),
                      Property::foreign_release,
                      "redis('HDEL', 'held', self.token)") == Verdict::holds);
}

TEST_CASE("who removes what another has set again has released nothing of its own", "[set-again]") {
  CHECK(behind_a_gate(set_by_script("redis.call('hset', KEYS[1], 'f', 'x')"),
                      Property::honest_result) == Verdict::violated);
}

TEST_CASE("a permit that goes back before its mark does", "[set-again]") {
  const auto judged = [](const std::string& marks, const std::string& release) {
    const std::string pool =
        "if redis('SET', 'made', 1, 'NX') == OK then redis('RPUSH', 'free', 'p') end\n";
    return test::InlineLock({"self.token = unique()\n" + pool +
                                 "if redis('LPOP', 'free') == nil then return false end\n" + marks +
                                 "\nreturn true",
                             release + " return true"},
                            ", permits = 2, leases = { 'held' }")
        .judged(Property::foreign_release);
  };
  const std::string marks = "redis('HSET', 'held', 'p', 'x')";
  const std::string gives = "redis('RPUSH', 'free', 'p') ", unmarks = "redis('HDEL', 'held', 'p') ";
  CHECK(judged(marks, gives + unmarks) == Verdict::violated);
  CHECK(judged(marks, unmarks + gives) == Verdict::holds);
}

TEST_CASE("a test-and-set by a constant that is refused has left nothing", "[set-again]") {
  const auto judged = [](const std::string& tries, Property property) {
    return test::InlineLock({"return " + tries, "return redis('DEL', self.key) == 1"})
        .judged(property);
  };
  for (const std::string tries :
       {"redis('GETSET', self.key, 'x') == nil", "redis('HSET', self.key, 'f', 'x') == 1",
        "redis('SADD', self.key, 'x') == 1"}) {
    INFO(tries);
    for (const Property property :
         {Property::honest_result, Property::foreign_release, Property::mutual_exclusion})
      CHECK(judged(tries, property) == Verdict::holds);
  }
}
