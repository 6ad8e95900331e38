// In Redis 7.0 the clock goes on within a script or a transaction, and what such a thing does is
// one instant of a world: what holds of it has to hold where a ms begins in between.
#include <catch2/catch.hpp>
#include <string>

#include "scenarios/judge.hpp"
#include "sim/base/temporary_folder.hpp"

namespace lockstep::scenarios {

namespace {

/// What is found of a client that locks, works 2 s, unlocks, once, with a lease of 10 s; it may
/// pause.
checker::Result judged(const std::string& acquire, const std::string& release,
                       sim::ServerVersion server = sim::ServerVersion::redis_7_0) {
  const sim::TemporaryFolder folder;
  folder.write("protocol.lua",
               "local L = protocol { title = 't', source = 's' }\nfunction L:acquire() " + acquire +
                   " end\nfunction L:release() " + release + " end\nreturn L\n");
  Scenario scenario;
  scenario.folder = folder.path();
  scenario.roles = {{"client",
                     {{sim::WorkStep::Kind::lock, "lock", 0, false},
                      {sim::WorkStep::Kind::work, "", 2000, false},
                      {sim::WorkStep::Kind::unlock, "lock", 0, false}},
                     1,
                     1,
                     {},
                     {}}};
  scenario.clients = {0};
  scenario.lease_ms = 10'000;
  scenario.server = server;
  scenario.faults.at(static_cast<std::size_t>(sim::Fault::pause)) = 1;
  scenario.properties = {sim::Property::honest_result};
  scenario.witnesses = {sim::Witness::acquired};
  return judge(scenario).result;
}

const std::string kSet = "return redis('SET', self.key, 'x', 'NX', 'PX', 10000) == OK";
const std::string kSetInScript =
    "redis.call('SET', KEYS[1], 'x', 'NX', 'PX', ARGV[1]) return redis.call(";
const std::string kDelete = "return redis('DEL', self.key) == 1";

/// A script that makes the key, and what it does then.
std::string setting_then(const std::string& command, const std::string& expected) {
  return "return redis('EVAL', \"" + kSetInScript + command +
         ")\", 1, self.key, 10000) == " + expected;
}

void check_doubted(const checker::Result& result, const std::string& where) {
  CHECK(result.verdict == checker::Verdict::inconclusive);
  CHECK_THAT(result.why_inconclusive, Catch::Contains("before reading " + where));
}

}  // namespace

TEST_CASE("a lifetime and what is left of it may be of two ms", "[clock_within]") {
  const std::string left = setting_then("'PTTL', KEYS[1]", "10000");
  check_doubted(judged(left, kDelete), "2, it violates honest-result");
  CHECK(judged(left, kDelete, sim::ServerVersion::redis_7_2).verdict == checker::Verdict::holds);
  check_doubted(judged(setting_then("'PEXPIRE', KEYS[1], ARGV[1], 'GT'", "0"), kDelete), "2, ");
  // The same in a transaction.
  check_doubted(judged("redis('MULTI') redis('SET', self.key, 'x', 'NX', 'PX', 10000) "
                       "redis('PTTL', self.key) return redis('EXEC')[2] == 10000",
                       kDelete),
                "2, ");
}

TEST_CASE("what asks for no more than whether there is a key holds", "[clock_within]") {
  CHECK(judged(setting_then("'EXISTS', KEYS[1]", "1"), kDelete).verdict == checker::Verdict::holds);
  CHECK(judged(kSet, kDelete).readings_apart == 0);
  // Read several times, and nothing hangs on by how much.
  const auto twice = judged(setting_then("'PEXPIRE', KEYS[1], ARGV[1]", "1"), kDelete);
  CHECK(twice.readings_apart != 0);
  CHECK(twice.verdict == checker::Verdict::holds);
}

TEST_CASE("a script of a transaction finds no key that the transaction has found",
          "[clock_within]") {
  const std::string script = "redis('EVAL', \"return redis.call('DEL', KEYS[1])\", 1, self.key) ";
  check_doubted(judged(kSet, "redis('MULTI') redis('GET', self.key) " + script +
                                 "return redis('EXEC')[1] == 'x'"),
                "1, it violates honest-result");
  CHECK(judged(kSet,
               "redis('MULTI') redis('GET', self.key) " + script + "return redis('EXEC')[2] == 1")
            .verdict == checker::Verdict::holds);
}

}  // namespace lockstep::scenarios
