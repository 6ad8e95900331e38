// A server that reads its data answers LOADING, and what a server does by its own clock changes
// with that clock. Seen on redis-server 7.0.15 (a restart with an append-only file; a full
// synchronization; a wall clock that is moved under it).
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Persistence;
using sim::Property;
using test::InlineLock;

/// Errors of the connection are tried again, an error that Redis answers is final.
const std::string kAgainUnlessAnswered =
    "local function settle(f) "
    "  for _ = 1, 2 do local ok, e = pcall(f) "
    "    if ok then return e end if e.kind == 'redis' then return false end sleep(5) end "
    "  return false end ";

Verdict deadlock_until_answered(Persistence persistence) {
  InlineLock lock(
      {kAgainUnlessAnswered + "return settle(function() "
                              "return redis('SET', self.key, 'x', 'NX') == OK end)",
       kAgainUnlessAnswered + "return settle(function() return redis('DEL', self.key) == 1 end)"});
  lock.model.processes.resize(1);
  lock.model.persistence = persistence;
  lock.model = test::with_fault(lock.model, Fault::node_crash);
  return lock.judged(Property::deadlock);
}

/// What a search of a lone client's set and delete leaves open, once each of these may happen.
std::string left_open(sim::Model model, const std::vector<Fault>& faults) {
  const InlineLock lock({"return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK",
                         "return redis('DEL', self.key) == 1"});
  model.program = lock.model.program;
  for (const Fault fault : faults) model = test::with_fault(model, fault);
  model.properties = {Property::honest_result};
  return checker::explore(model, {}).why_inconclusive;
}

}  // namespace

TEST_CASE("a server that has data answers LOADING after a restart", "[loading]") {
  // The key of the lock is on the disk, and release() is told LOADING.
  CHECK(deadlock_until_answered(Persistence::aof_always) == Verdict::violated);
  // Without persistence there is nothing to read.
  CHECK(deadlock_until_answered(Persistence::none) == Verdict::holds);
}

TEST_CASE("what needs no data is answered while a server loads", "[loading]") {
  // MULTI is, and what is queued then is not: EXEC says so. A WAIT does not wait.
  InlineLock lock(
      {"redis('SET', self.key, 'x') sleep(5) "
       "local begun, e = pcall(redis, 'MULTI') "
       "if not begun then return true end "
       "local queued, why = pcall(redis, 'GET', self.key) "
       "local done, what = pcall(redis, 'EXEC') "
       "if not queued and why.code == 'LOADING' and what.code == 'EXECABORT' then "
       "local waited, said = pcall(redis, 'WAIT', 1, 100) "
       "if not waited and said.code == 'LOADING' then return false end end "
       "return true",
       "return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  lock.model.processes[0].replicas = 1;
  lock.model.persistence = Persistence::aof_always;
  lock.model = test::with_fault(lock.model, Fault::node_crash);
  lock.model.witnesses = {sim::Witness::refused};
  lock.model.properties = {Property::honest_result};
  const auto engine = checker::explore(lock.model, {});
  CHECK(engine.verdict == Verdict::violated);  // refused, and its key is there
  CHECK(lock.judged(Property::honest_result) == Verdict::violated);
}

TEST_CASE("a replica that gets everything anew answers LOADING meanwhile", "[loading]") {
  const auto told = [](Fault fault) {
    InlineLock lock(
        {"redis('SET', self.key, 'x', 'PX', self.ttl_ms) sleep(1) "
         "local ok, e = pcall(call, { node = 2, 'GET', self.key }) "
         "return ok or e.code ~= 'LOADING'",
         "redis('DEL', self.key) return true"});
    lock.model.processes.resize(1);
    lock.model.processes[0].replicas = 1;
    lock.model = test::with_fault(lock.model, fault);
    return lock.judged(Property::honest_result);
  };
  CHECK(told(Fault::node_crash) == Verdict::violated);  // that of its master
  CHECK(told(Fault::lag) == Verdict::holds);            // it gets only what it has missed
}

TEST_CASE("a node of a cluster that restarts is down for a while: that is left open", "[loading]") {
  sim::Model model = test::model({"set-nx-px", 1, 1, 30, 10, 1});
  CHECK(left_open(model, {Fault::node_crash}).empty());
  model.cluster = true;
  CHECK_THAT(left_open(model, {Fault::node_crash}), Catch::Contains("CLUSTERDOWN"));
}

TEST_CASE("what a server does by a clock that jumps is left open", "[loading]") {
  sim::Model model = test::model({"set-nx-px", 1, 1, 30, 10, 1});
  const auto open = [&](std::int64_t jump_ms, const std::vector<Fault>& faults) {
    model.jumps_ms = {jump_ms};
    return left_open(model, faults);
  };
  model.persistence = Persistence::aof_everysec;
  CHECK_THAT(open(-20, {Fault::jump, Fault::power_loss}),
             Catch::Contains("puts off its next fsync"));
  CHECK_THAT(open(20, {Fault::freeze, Fault::power_loss}),
             Catch::Contains("puts off its next fsync"));
  CHECK(open(20, {Fault::jump, Fault::power_loss}).empty());
  CHECK(open(-20, {Fault::jump}).empty());
  model.persistence = Persistence::none;
  model.processes[0].replicas = 1;
  CHECK(open(20'000, {Fault::jump}).empty());
  model.min_replicas = 1;
  CHECK_THAT(open(20'000, {Fault::jump}), Catch::Contains("counts its replicas by its own clock"));
  CHECK_THAT(open(-20'000, {Fault::jump, Fault::failover}),
             Catch::Contains("counts its replicas by its own clock"));
  CHECK(open(7'000, {Fault::jump}).empty());
  CHECK(open(-20'000, {Fault::jump}).empty());
}

TEST_CASE("each replica that has left is counted for its own time", "[loading][many-models]") {
  // Server 2 is master by 1 ms, so that 7 ms later server 1 has forgotten it, whenever the other
  // one leaves. (What the new master was sent it has.)
  InlineLock lock(
      {"redis('SET', self.key, 'x') sleep(1) "
       "local ok, e = pcall(call, { node = 2, 'SET', self.key .. ':probe', 1 }) "
       "if ok or e.code == 'READONLY' then return true end sleep(7) "
       "local late = pcall(redis, 'SET', self.key .. ':late', 1) "
       "return not late or call({ node = 2, 'GET', self.key .. ':late' }) ~= nil",
       "redis('DEL', self.key)"});
  lock.model.processes.resize(1);
  lock.model.processes[0].replicas = 2;
  lock.model.min_replicas = 2;
  lock.model = test::with_fault(lock.model, Fault::failover);
  lock.model.counts_gone_ms = 5;
  CHECK(lock.judged(Property::honest_result) == Verdict::holds);
  lock.model.counts_gone_ms = 8;
  CHECK(lock.judged(Property::honest_result) == Verdict::violated);
}
