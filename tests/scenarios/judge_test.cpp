// What a search finds and is no verdict yet: that it needs one microsecond twice, that the lock
// does not work at all.
#include "scenarios/judge.hpp"

#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/trace_file.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/client/turning.hpp"

namespace lockstep::scenarios {

namespace {

const char* const kCompareAndDelete =
    "return redis('EVAL', [[if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('DEL', KEYS[1]) end return 0]], 1, self.key, self.token) == 1";

/// Two clients, of which each makes its token of what TIME says, and takes that token for its own
/// wherever it finds it. Leases end before the work is done if `work_ms` is more than 5000.
class Timed {
 public:
  Timed(const std::string& token, std::int64_t work_ms) {
    folder_.write("protocol.lua",
                  "local L = protocol { title = 't', source = 's' }\nfunction L:acquire()\n"
                  "local t = redis('TIME')\nself.token = " +
                      token + "\nreturn redis('EVAL', [[if redis.call('SET', KEYS[1], ARGV[1], " +
                      "'NX', 'PX', ARGV[2]) or redis.call('GET', KEYS[1]) == ARGV[1] then " +
                      "return 1 end return 0]], 1, self.key, self.token, self.ttl_ms) == 1" +
                      "\nend\nfunction L:release()\n" + kCompareAndDelete + "\nend\nreturn L\n");
    scenario.folder = folder_.path();
    scenario.roles = {{"client",
                       {{sim::WorkStep::Kind::lock, "lock", 0, false},
                        {sim::WorkStep::Kind::work, "", work_ms, false},
                        {sim::WorkStep::Kind::unlock, "lock", 0, false}},
                       1,
                       1,
                       {},
                       {}}};
    scenario.clients = {0, 0};
    scenario.lease_ms = 5000;
    scenario.properties = {sim::Property::mutual_exclusion};
    scenario.witnesses = {sim::Witness::acquired};
  }

  Scenario scenario;

 private:
  sim::TemporaryFolder folder_;
};

const std::string kMicros = "t[1] .. '.' .. t[2]";

/// What the naive explorer, in steps of a second, and the engine come to is as long.
void check_agreement(sim::Model model) {
  model.tick_ms = sim::kSecondMs;
  const checker::Result naive =
      checker::explore_naively(model, {}, {}, checker::naive::Memory::boundary);
  const checker::Result engine = checker::explore(model, {});
  CHECK(naive.schedule.size() == engine.schedule.size());
  CHECK((naive.verdict == checker::Verdict::violated) ==
        (engine.verdict == checker::Verdict::violated));
}

}  // namespace

TEST_CASE("whose a lock is whose value names several is left open, and nothing else", "[owners]") {
  const auto judged = [](const std::string& refused, std::int64_t work_ms) {
    Scenario scenario = Timed(kMicros, work_ms).scenario;  // for its roles
    const sim::TemporaryFolder folder;
    folder.write("protocol.lua",
                 "local L = protocol { title = 't', source = 's' }\nfunction L:acquire()\n"
                 "self.token = unique()\n"
                 "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) then return true "
                 "end\n" +
                     refused + "\nreturn false\nend\nfunction L:release()\n" +
                     "redis('DEL', self.key)\nend\nreturn L\n");
    scenario.folder = folder.path();
    scenario.properties = {sim::Property::foreign_release, sim::Property::no_lost_update};
    return judge(scenario).result;
  };
  const checker::Result wish = judged("redis('APPEND', self.key, '|' .. self.token)", 2000);
  CHECK(wish.verdict == checker::Verdict::inconclusive);
  CHECK(wish.why_inconclusive == checker::kNamesSeveral);
  // What is violated besides is told.
  const checker::Result late = judged("redis('APPEND', self.key, '|' .. self.token)", 7000);
  CHECK(late.property == sim::Property::no_lost_update);
  // A run in which no value names several is as clear as ever.
  const checker::Result plain = judged("redis('DEL', self.key)", 2000);
  CHECK(plain.property == sim::Property::foreign_release);
}

TEST_CASE("a token of microseconds is nobody else's, one of milliseconds may be", "[micros]") {
  const Timed micros(kMicros, 2000);
  const Judgement none = judge(micros.scenario);
  CHECK(none.result.verdict == checker::Verdict::inconclusive);  // what is no sum with a clock
  CHECK_FALSE(none.result.time_gap.empty());
  CHECK(none.model.distinct_micros);
  check_agreement(none.model);

  const Timed millis("t[1] .. '.' .. t[2] // 1000", 2000);
  const Judgement found = judge(millis.scenario);
  CHECK(found.result.verdict == checker::Verdict::violated);
  CHECK(found.result.schedule.size() == 10);
  CHECK_FALSE(found.model.distinct_micros);
  check_agreement(found.model);
}

TEST_CASE("behind a run that needs the same microsecond another one is found", "[micros]") {
  const Timed lock(kMicros, 6000);
  const Judgement found = judge(lock.scenario);
  REQUIRE(found.result.verdict == checker::Verdict::violated);
  REQUIRE(found.trace.has_value());
  CHECK(found.model.distinct_micros);
  CHECK(found.result.schedule.size() > 10);
  CHECK(found.trace->violated == sim::Property::mutual_exclusion);
  CHECK(to_json(found.scenario, "p").at("distinct_micros") == true);
  check_agreement(found.model);
}

TEST_CASE("a lock of which every call fails is vacuous, and not deadlocked", "[vacuous]") {
  const auto judged = [](const std::string& acquire) {
    const sim::TemporaryFolder folder;
    folder.write("protocol.lua",
                 "local L = protocol { title = 't', source = 's' }\n"
                 "function L:acquire()\n" +
                     acquire +
                     "\nend\nfunction L:release() return redis('DEL', self.key) "
                     "== 1 end\nreturn L\n");
    Scenario scenario = Timed(kMicros, 2000).scenario;
    scenario.folder = folder.path();
    scenario.properties = {sim::Property::mutual_exclusion, sim::Property::deadlock};
    return judge(scenario).result;
  };
  const checker::Result never = judged("redis('GET') return redis('SETNX', self.key, 'x') == 1");
  CHECK(never.vacuous());
  CHECK(never.unmet_detail ==
        "A never acquired, B never acquired; a call failed: acquire() ended in an error: "
        "ERR wrong number of arguments for 'get' command");

  const checker::Result once = judged(  // the first one works, and nobody after it
      "redis('INCR', 'seen') redis('APPEND', 'seen', 'x') "
      "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK");
  CHECK(once.property == sim::Property::deadlock);
  const checker::Result false_alone = judged("return false");
  CHECK(false_alone.property == sim::Property::deadlock);
  const checker::Result left = judged("redis('SETNX', self.key, 'x') error('no')");
  CHECK(left.property == sim::Property::deadlock);  // the key stays
}

TEST_CASE("where it is not known how long a client would have to wait, no run says that it is over",
          "[doubts]") {
  const sim::TemporaryFolder folder;
  folder.write("protocol.lua",
               "local L = protocol { title = 'once a minute', source = 's' }\n"
               "function L:acquire()\nlocal now = millis(now())\n"
               "local v = redis('GET', self.key)\n"
               "if v and not (now // 60000 > tonumber(v) // 60000) then return false end\n"
               "return redis('GETSET', self.key, now) == v\nend\n"
               "function L:release() end\nreturn L\n");
  Scenario scenario = Timed(kMicros, 2000).scenario;
  scenario.folder = folder.path();
  scenario.clients = {0};
  scenario.properties = {sim::Property::deadlock, sim::Property::leak};
  const Judgement judgement = judge(scenario);
  CHECK(judgement.result.property == sim::Property::leak);
  REQUIRE(judgement.trace.has_value());
  CHECK(judgement.trace->violated == sim::Property::leak);
  CHECK_FALSE(judgement.scenario.properties.contains(sim::Property::deadlock));
}

TEST_CASE("where a lone client comes to no end, another violation is told as what it is",
          "[doubts]") {
  const sim::TemporaryFolder folder;
  folder.write("protocol.lua",
               "local L = protocol { title = 't', source = 's' }\nfunction L:acquire()\n"
               "redis('INCR', self.key .. ':tries')\n"
               "redis('PEXPIRE', self.key .. ':tries', 60000)\n"
               "return redis('SETNX', self.key, 'x') == 1\nend\n"
               "function L:release() return redis('DEL', self.key) == 1 end\nreturn L\n");
  auto scenario = default_scenario("endless", folder.path());
  scenario.faults[static_cast<std::size_t>(sim::Fault::crash)] = 1;
  const auto judgement = judge(scenario);
  CHECK(judgement.result.property == sim::Property::leak);
  CHECK(judgement.trace.has_value());
}

TEST_CASE("a wait of many sleeps may be shorter than their sum, where clocks drift", "[drift]") {
  // Whoever is refused takes the lock after so many sleeps of 2 ms.
  const auto judged = [](int sleeps, std::int64_t work_ms, std::vector<std::int64_t> drifts_ppm) {
    const sim::TemporaryFolder folder;
    folder.write("protocol.lua",
                 "local L = protocol { title = 't', source = 's' }\nfunction L:acquire()\n"
                 "if redis('SET', self.key, 'x', 'NX') == OK then return true end\nfor _ = 1, " +
                     std::to_string(sleeps) +
                     " do sleep(2) end redis('SET', self.key, 'x') return true\nend\n"
                     "function L:release() return redis('DEL', self.key) == 1 end\nreturn L\n");
    auto scenario = default_scenario("sleeps", folder.path());
    scenario.roles[0].workload[1].ms = work_ms;
    scenario.properties = {sim::Property::mutual_exclusion};
    scenario.drifts_ppm = std::move(drifts_ppm);
    return judge(scenario);
  };
  CHECK(judged(20, 35, {}).outcome() == Outcome::holds);
  // After 41 ms, told as 60 of them, or as 40.
  for (const std::int64_t work_ms : {35, 50}) {
    const auto many = judged(20, work_ms, {100, -100});
    CHECK(many.outcome() == Outcome::inconclusive);
    CHECK_THAT(many.result.why_inconclusive, Catch::Contains("parts of a ms"));
  }
  // After 2.0002 ms, told as 3.
  const auto one = judged(1, 2, {-100, -100});
  CHECK(one.outcome() == Outcome::inconclusive);
  CHECK_THAT(one.result.why_inconclusive,
             Catch::Contains("each sleep of a client ends up to 1 ms sooner"));
}

}  // namespace lockstep::scenarios
