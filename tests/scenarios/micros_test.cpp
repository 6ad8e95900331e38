// Two who ask TIME in the same ms: what only the same microsecond would do to them is no verdict.
#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "scenarios/judge.hpp"
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
                       {{sim::WorkStep::Kind::lock, "lock", 0},
                        {sim::WorkStep::Kind::work, "", work_ms},
                        {sim::WorkStep::Kind::unlock, "lock", 0}}}};
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

}  // namespace lockstep::scenarios
