// Absolute runs: worlds that differ in their date alone are one to the engine, and not to the naive
// explorer, which judges each lock as well.
#include <catch2/catch.hpp>
#include <string>

#include "checker/explorer.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

const std::string kWaits =
    "self.token = unique() return retry(function() return redis('SET', self.key, self.token, 'NX', "
    "'PXAT', millis(now()) + self.ttl_ms) == OK end, 5)";

std::uint64_t states(const sim::Model& model) {
  return checker::explore(model, {}).statistics.states;
}

}  // namespace

TEST_CASE("who polls with an absolute time comes back to where he was", "[dates]") {
  InlineLock dated({kWaits, test::kCompareAndDelete});
  InlineLock undated(
      {"self.token = unique() return retry(function() return redis('SET', self.key, "
       "self.token, 'NX', 'PX', self.ttl_ms) == OK end, 5)",
       test::kCompareAndDelete});
  for (InlineLock* lock : {&dated, &undated}) {
    for (auto& process : lock->model.processes) process.rounds = 3;
    lock->model.properties = {Property::mutual_exclusion};
  }
  dated.model.merges_dates = false;
  dated.model.processes.front().rounds = dated.model.processes.back().rounds = 1;
  const std::uint64_t once = states(dated.model);
  dated.model.merges_dates = true;
  CHECK(states(dated.model) < once);
  for (auto& process : dated.model.processes) process.rounds = 3;
  CHECK(states(dated.model) < 2 * states(undated.model));
}

TEST_CASE("a loop in which somebody starves is seen in an absolute run", "[dates]") {
  InlineLock lock({kWaits, test::kCompareAndDelete});
  lock.model.processes[0].rounds = 0;
  lock.model.properties = {Property::progress};
  const checker::Result found = checker::explore(lock.model, {});
  REQUIRE(found.verdict == Verdict::violated);
  REQUIRE(found.loop);
  CHECK(test::comes_again(lock.model, found));
}

TEST_CASE("times that are kept are as much sooner: in a value, a score, a field, a text",
          "[dates][many-models]") {
  // Whoever finds a time that is over takes the lock.
  const auto kept_in = [](const std::string& read, const std::string& write,
                          const std::string& clock) {
    return test::Bodies{"return redis('EVAL', [[" + clock + " local ends = tonumber(" + read +
                            ") if ends and ends > t then return 0 end " + write +
                            " return 1]], 1, self.key, millis(now())) == 1",
                        "redis('DEL', self.key) return true"};
  };
  const std::string clients = "local t = tonumber(ARGV[1])";
  const std::string servers =
      "local now = redis.call('TIME') local t = now[1] * 1000 + math.floor(now[2] / 1000)";
  struct Way {
    std::string read, write;
  };
  for (const auto& [read, write] :
       {Way{"redis.call('GET', KEYS[1])", "redis.call('SET', KEYS[1], t + 9)"},
        Way{"redis.call('ZSCORE', KEYS[1], 'm')", "redis.call('ZADD', KEYS[1], t + 9, 'm')"},
        Way{"redis.call('HGET', KEYS[1], 'ends')", "redis.call('HSET', KEYS[1], 'ends', t + 9)"},
        Way{"string.match(redis.call('GET', KEYS[1]) or '', 'at (%d+)')",
            "redis.call('SET', KEYS[1], 'ends at ' .. (t + 9))"}})
    for (const std::string& clock : {clients, servers}) {
      CAPTURE(read, clock);
      InlineLock lock(kept_in(read, write, clock));
      for (auto& process : lock.model.processes) process.rounds = 2;
      CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
      lock.lasting(30, 8);
      CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
    }
}

TEST_CASE("a time in another form than that of a time is not taken for none", "[dates]") {
  // Both draw the hexadecimal digits of their clocks: the same ones, only if they begin together.
  InlineLock lock(
      {"self.token = string.format('%x', millis(now())) "
       "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK",
       test::kCompareAndDelete});
  lock.model.properties = {Property::foreign_release};
  CHECK(checker::explore(lock.model, {}).verdict == Verdict::inconclusive);
}

TEST_CASE("how often a client chooses may depend on its clock", "[dates]") {
  InlineLock lock(
      {"if millis(now()) % 2 == 0 then choose(2) choose(2) else choose(4) end "
       "redis('SET', self.key, 'x', 'PX', self.ttl_ms) return true",
       "redis('DEL', self.key) return true"});
  lock.model = test::with_fault(lock.model, Fault::pause);
  lock.model.properties = {Property::mutual_exclusion};
  CHECK(checker::explore(lock.model, {}).verdict == Verdict::violated);
}
