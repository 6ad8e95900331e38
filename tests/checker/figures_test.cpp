// What a result says besides its verdict: how far a lease had to go, which durations are in use,
// in which steps time is audited, what keeps a search from its end, what could still be done.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "checker/audit.hpp"
#include "checker/no_return.hpp"
#include "checker/slack.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Result;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

constexpr const char* kTakeByToken =
    "self.token = unique() "
    "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";

bool lists(const Result& result, std::int64_t ms) {
  return std::ranges::find(result.grid_durations, ms) != result.grid_durations.end();
}

}  // namespace

TEST_CASE("the slack on several nodes is that of the quorum, not of its first or last lease",
          "[figures]") {
  // Leases of 30 ms from 0, 5 and 10 ms on; the work ends at 20 ms.
  const std::string set =
      "call { node = %, 'SET', self.key, self.token, 'NX', 'PX', self.ttl_ms } ";
  std::string acquire = "self.token = unique() ", release;
  for (const char node : {'1', '2', '3'}) {
    std::string on_node = set;
    on_node[on_node.find('%')] = node;
    acquire += on_node + (node == '3' ? "return true" : "sleep(5) ");
    release += std::string("call { node = ") + node + ", 'DEL', self.key } ";
  }
  for (const auto& [quorum, ms] : {std::pair{"1", 20}, {"2", 15}, {"3", 10}}) {
    CAPTURE(quorum);
    InlineLock lock({acquire, release + "return true"},
                    std::string(", nodes = 3, quorum = ") + quorum);
    lock.model.processes.resize(1);
    lock.model.processes[0].nodes = 3;
    lock.model.properties = {Property::mutual_exclusion};
    Result engine = checker::explore(lock.model, {});
    checker::settle_slack(lock.model, engine, {});
    CHECK(engine.slack.least_ms == ms);
    CHECK(checker::explore_naively(lock.model, {}, {}, checker::naive::Memory::boundary)
              .slack.least_ms == ms);
  }
}

TEST_CASE("the slack of a lock of several keys is that of the one that ends first", "[figures]") {
  for (const auto& [a, b] : {std::pair{"25", "30"}, {"30", "25"}}) {
    const auto set = [](const std::string& key, const std::string& ms) {
      return "redis('SET', self.key .. '" + key + "', self.token, 'PX', " + ms + ") ";
    };
    InlineLock lock({"self.token = unique() " + set(":a", a) + set(":b", b) + "return true",
                     "return redis('DEL', self.key .. ':a', self.key .. ':b') == 2"},
                    ", leases = { '{key}:a', '{key}:b' }");
    lock.model.processes.resize(1);  // works 10 ms
    lock.model.properties = {Property::mutual_exclusion};
    Result engine = checker::explore(lock.model, {});
    checker::settle_slack(lock.model, engine, {});
    CHECK(engine.slack.least_ms == 15);
    CHECK(checker::explore_naively(lock.model, {}, {}, checker::naive::Memory::boundary)
              .slack.least_ms == 15);
  }
}

TEST_CASE("that a server does not know a script is no reason why nobody acquires", "[figures]") {
  const auto told = [](const std::string& asks) {
    InlineLock lock({"pcall(redis, " + asks + ") return false", "return true"});
    lock.model.processes.resize(1);
    lock.model.properties = {Property::mutual_exclusion};
    lock.model.witnesses = {sim::Witness::acquired};
    return checker::explore(lock.model, {}).unmet_detail;
  };
  CHECK(told("'EVALSHA', ('0'):rep(40), 0") == "A never acquired");
  CHECK(told("'INCR'").starts_with("A never acquired; a request failed: INCR -> "));
}

TEST_CASE("that nobody releases is no fault of release() where nobody calls it", "[figures]") {
  const auto told = [](bool unlocks) {
    InlineLock lock({kTakeByToken, "return false"});
    for (auto& process : lock.model.processes)
      if (!unlocks) process.workload.resize(1);
    lock.model.properties = {Property::mutual_exclusion};
    lock.model.witnesses = {sim::Witness::released};
    return checker::explore(lock.model, {}).unmet_detail;
  };
  CHECK(told(false) == "nobody ever released");
  CHECK(told(true).starts_with("nobody ever released; release() leaves its client the key"));
}

TEST_CASE("why nobody writes: a fenced resource takes no token below 0, a plain one takes all",
          "[figures]") {
  const auto told = [](sim::Resource resource, const std::string& token) {
    InlineLock lock(
        {"self.token = unique() spawn(function() sleep(1) lost(self) end) "
         "return redis('SET', self.key, self.token, 'NX') == OK, " +
             token,
         test::kCompareAndDelete});
    lock.model.processes.resize(1);
    lock.model.resource = resource;
    lock.model.properties = {Property::no_lost_update};
    lock.model.witnesses = {sim::Witness::acquired};
    return checker::explore(lock.model, {}).unmet_detail;
  };
  const std::string nobody = "nobody ever wrote to the resource";
  CHECK(told(sim::Resource::plain, "1") == nobody);
  CHECK(told(sim::Resource::fenced, "-1").starts_with(nobody + ": it takes no fencing token"));
}

TEST_CASE("what is let go by a link that heals may begin at any instant",
          "[figures][many-models]") {
  // The second key's lease has to be over after the first one's, and the third key's not: they
  // began 5 ms before the end of the first.
  InlineLock lock(
      {"redis('SET', 'first', 1, 'PX', 20) redis('EVAL', "
       "\"redis.call('set', 'second', 1, 'px', 5) redis.call('set', 'third', 1, 'px', 4)\", 0) "
       "return retry(function() if redis('EXISTS', 'first') == 1 then return false end "
       "if redis('EXISTS', 'second') == 1 and redis('EXISTS', 'third') == 0 then "
       "redis('SET', self.key, 1) end return true end)",
       "return true"});
  lock.model.processes.resize(1);
  CHECK(lock.judged(Property::leak) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::cut);
  CHECK(lock.judged(Property::leak) == Verdict::violated);
}

TEST_CASE("every duration that somebody chose is said to be in use", "[figures]") {
  InlineLock lock(
      {std::string("sleep(17) call { timeout_ms = 19, 'GET', self.key } ") + kTakeByToken,
       test::kCompareAndDelete});
  lock.model = test::with_fault(lock.model, Fault::delay);
  lock.model.properties = {Property::leak};
  lock.model.request_timeout_ms = 23;
  for (auto& process : lock.model.processes) {
    process.lease_ms = 29;
    process.workload[1].ms = 13;
    process.workload.push_back({sim::WorkStep::Kind::sleep, 0, 11});
  }
  const Result result = checker::explore(lock.model, {});
  REQUIRE(result.verdict == Verdict::holds);
  for (const std::int64_t ms : {11, 13, 17, 19, 23, 29}) {
    CAPTURE(ms);
    CHECK(lists(result, ms));
  }
}

TEST_CASE("the audit's steps of time divide whatever may turn something", "[figures]") {
  const auto tick_with = [](const std::function<void(sim::Model&)>& change) {
    InlineLock lock({kTakeByToken, test::kCompareAndDelete});
    lock.model.properties = {Property::mutual_exclusion};
    lock.model.processes.resize(1);
    for (auto& process : lock.model.processes) process.lease_ms = process.workload[1].ms = 60;
    lock.model.jumps_ms = {120};
    change(lock.model);
    const Result full = checker::explore(lock.model, {});
    return checker::audit(lock.model, full, {}).tick_ms;
  };
  CHECK(tick_with([](auto&) {}) == 30);
  CHECK(tick_with([](auto& model) { model.drifts_ppm = {1000}; }) == 1);
  CHECK(tick_with([](auto& model) { model.node_drifts_ppm = {1000}; }) == 1);
  CHECK(tick_with([](auto& model) { model.request_timeout_ms = 15; }) == 15);
  CHECK(tick_with([](auto& model) { model.pause_max_ms = 15; }) == 15);
  CHECK(tick_with([](auto& model) { model.latency_ms = 15; }) == 15);
  CHECK(tick_with([](auto& model) { model.restart_after_ms = 15; }) == 15);
  CHECK(tick_with([](auto& model) { model.clocks_ms = {-15}; }) == 15);
  CHECK(tick_with([](auto& model) { model.node_clocks_ms = {15}; }) == 15);
  CHECK(tick_with([](auto& model) { model.processes[0].workload[1].ms = 45; }) == 15);
  CHECK(tick_with([](auto& model) {
          model.jumps_ms = {120, -45};
          model.budget[static_cast<std::size_t>(Fault::jump)] = 1;
        }) == 15);
  CHECK(tick_with([](auto& model) {
          model.waits_ms = 15;
          model.properties = {Property::waits};
        }) == 15);
}

TEST_CASE("an audit that is not free says by which duration", "[figures]") {
  InlineLock lock({kTakeByToken, test::kCompareAndDelete});
  for (auto& process : lock.model.processes) process.lease_ms = 3'001;
  const auto audited = checker::audit_if_small(lock.model, checker::explore(lock.model, {}), {});
  CHECK(audited.outcome == checker::Audit::Outcome::left_out);
  CHECK(audited.detail == "3001 steps of 1 ms until the longest duration is over");
}

TEST_CASE("what hangs on which of two tokens comes first is left open", "[figures]") {
  InlineLock lock(
      {"self.token = unique() local other = redis('GET', self.key) "
       "if other and other < self.token then return false end "
       "redis('SET', self.key, self.token, 'PX', self.ttl_ms) return true",
       test::kCompareAndDelete});
  lock.model.properties = {Property::leak};
  const Result result = checker::explore(lock.model, {});
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK_THAT(result.why_inconclusive, Catch::Contains("bytes of random tokens"));
}

TEST_CASE("a search that is stopped blames no client that lets time pass", "[figures]") {
  InlineLock lock({kTakeByToken, test::kCompareAndDelete});
  lock.model.processes.resize(1);
  lock.model.processes[0].rounds = 60;
  checker::Bounds bounds;
  bounds.max_states = 300;
  const Result result = checker::explore(lock.model, bounds);
  REQUIRE(result.verdict == Verdict::inconclusive);
  REQUIRE(result.statistics.depth > 100);
  CHECK(result.why_inconclusive.find("no time passes") == std::string::npos);
}

TEST_CASE("what could still be done instead is nothing that need not happen", "[figures]") {
  for (const auto fault : {Fault::pause, Fault::delay, Fault::node_crash, Fault::flush}) {
    CAPTURE(sim::name(fault));
    InlineLock lock({kTakeByToken, test::kCompareAndDelete});
    lock.model = test::with_fault(lock.model, fault, 2);
    lock.model.properties = {Property::mutual_exclusion};
    const Result result = checker::explore(lock.model, {});
    REQUIRE(result.verdict == Verdict::violated);
    const auto point = checker::point_of_no_return(lock.model, result.schedule);
    REQUIRE(point);
    if (point->way_out) CHECK_FALSE(sim::is_fault(point->way_out->kind));
  }
}
