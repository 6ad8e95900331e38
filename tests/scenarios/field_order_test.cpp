// The order in which a script meets the fields of a table is that of Redis's own tables: what a
// script does by it has to be right in every order.
#include <catch2/catch.hpp>
#include <string>

#include "scenarios/judge.hpp"
#include "sim/base/temporary_folder.hpp"

namespace lockstep::scenarios {

namespace {

/// A lock whose value is `{owner, until}` and more, in JSON, which a script encodes; two clients
/// that work for `work_ms`, with a lease of 10 s.
checker::Result judged(const std::string& fields, const std::string& release, std::int64_t work_ms,
                       sim::Property property) {
  const sim::TemporaryFolder folder;
  folder.write("acquire.lua",
               "local t = redis.call('TIME')\n"
               "local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
               "local text = redis.call('GET', KEYS[1])\n"
               "if text and cjson.decode(text).till >= now then return 0 end\n"
               "redis.call('SET', KEYS[1], cjson.encode({" +
                   fields + "}), 'PX', ARGV[2] + 60000)\nreturn 1\n");
  folder.write("release.lua", release);
  folder.write("protocol.lua",
               "local acquire, release = script 'acquire.lua', script 'release.lua'\n"
               "local L = protocol { title = 't', source = 's' }\n"
               "function L:acquire() self.token = unique()\n"
               "  return acquire({ self.key }, { self.token, self.ttl_ms }) == 1 end\n"
               "function L:release()\n"
               "  return release({ self.key }, { self.token,\n"
               "    '{\"by\":7,\"owner\":\"' .. self.token .. '\"}' }) == 1 end\nreturn L\n");
  Scenario scenario;
  scenario.folder = folder.path();
  scenario.roles = {{"client",
                     {{sim::WorkStep::Kind::lock, "lock", 0, false},
                      {sim::WorkStep::Kind::work, "", work_ms, false},
                      {sim::WorkStep::Kind::unlock, "lock", 0, false}},
                     1,
                     1,
                     {},
                     {}}};
  scenario.clients = {0, 0};
  scenario.lease_ms = 10'000;
  scenario.properties = {property};
  scenario.witnesses = {sim::Witness::acquired};
  return judge(scenario).result;
}

const std::string kTwo = "owner = ARGV[1], till = now + ARGV[2]";
const std::string kIfOwner =
    "local text = redis.call('GET', KEYS[1])\n"
    "if text and cjson.decode(text).owner == ARGV[1] then return redis.call('DEL', KEYS[1]) end\n"
    "return 0\n";

}  // namespace

TEST_CASE("a text in JSON that is only decoded is right in every order", "[field_order]") {
  for (const std::string& fields : {kTwo, kTwo + ", by = 7", kTwo + ", by = 7, at = 'x'"}) {
    CAPTURE(fields);
    const auto mutual_exclusion = sim::Property::mutual_exclusion;
    const checker::Result right = judged(fields, kIfOwner, 10'000, mutual_exclusion);
    CHECK(right.ordered_fields >= 2);
    CHECK(right.verdict == checker::Verdict::holds);
    CHECK(judged(fields, kIfOwner, 10'001, mutual_exclusion).verdict == checker::Verdict::violated);
  }
}

TEST_CASE("a text in JSON that is compared is right in one order, and that is not told",
          "[field_order]") {
  const std::string drops_time =
      "local text = redis.call('GET', KEYS[1])\n"
      "if not text then return 0 end\n"
      "local value = cjson.decode(text)\n"
      "if cjson.encode({ owner = value.owner, by = 7 }) ~= ARGV[2] then return 1 end\n"
      "return redis.call('DEL', KEYS[1])\n";
  // By name, `by` is first, as the client writes it.
  const checker::Result found = judged(kTwo, drops_time, 3000, sim::Property::honest_result);
  CHECK(found.verdict == checker::Verdict::inconclusive);
  CHECK_THAT(found.why_inconclusive,
             Catch::Contains("in another order, it violates honest-result"));
}

TEST_CASE("of more fields than four not every order is tried", "[field_order]") {
  const checker::Result found =
      judged(kTwo + ", a = 1, b = 2, c = 3", kIfOwner, 3000, sim::Property::honest_result);
  CHECK(found.verdict == checker::Verdict::inconclusive);
  CHECK_THAT(found.why_inconclusive, Catch::Contains("5 fields of a table"));
}

}  // namespace lockstep::scenarios
