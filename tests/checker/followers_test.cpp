// What is claimed of a whole run where nodes have replicas, or a call says no: both explorers, on
// every two of the faults that concern it.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

/// Whether the only client of a node with replicas ever does so, in both explorers.
bool seen(InlineLock& lock, sim::Witness witness, int replicas, const std::vector<Fault>& faults) {
  lock.model.processes.resize(1);
  lock.model.processes[0].replicas = replicas;
  for (const auto fault : faults) ++lock.model.budget.at(static_cast<std::size_t>(fault));
  lock.model.properties = {Property::mutual_exclusion};
  lock.model.witnesses = {witness};
  return !lock.unmet().contains(witness);
}

}  // namespace

TEST_CASE("a lock that stays for ever is a deadlock on whichever master, and none once it is lost",
          "[followers][many-models]") {
  const std::vector<Fault> faults{Fault::lag,        Fault::failover,   Fault::crash,
                                  Fault::node_crash, Fault::power_loss, Fault::cut};
  int deadlocks = 0;
  for (const auto one : faults)
    for (const auto other : faults) {
      if (other < one) continue;
      CAPTURE(sim::name(one), sim::name(other));
      InlineLock lock(
          {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"});
      lock.model.processes.resize(1);
      lock.model.processes[0].replicas = 1;
      lock.model.persistence = sim::Persistence::rdb;
      lock.model = test::with_fault(test::with_fault(lock.model, one), other, one == other ? 2 : 1);
      if (lock.judged(Property::deadlock) == Verdict::violated) ++deadlocks;
    }
  CHECK(deadlocks == 18);  // of 21: not where replication alone is disturbed
}

TEST_CASE("who leaves an inner level and is told no has been told the truth", "[followers]") {
  using Kind = sim::WorkStep::Kind;
  const std::string acquire =
      "if self.token and redis('GET', self.key) == self.token then self.depth = self.depth + 1 "
      "return true end self.token = unique() self.depth = 1 "
      "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";
  const auto leaving = [&](const std::string& inner) {
    InlineLock lock({acquire, "self.depth = self.depth - 1 if self.depth > 0 then " + inner +
                                  " end " + test::kCompareAndDelete});
    for (auto& process : lock.model.processes)
      process.workload = {{Kind::lock, 0, 0},
                          {Kind::lock, 0, 0},
                          {Kind::work, 0, 45},
                          {Kind::unlock, 0, 0},
                          {Kind::unlock, 0, 0}};
    return lock.judged(Property::reentrancy);
  };
  CHECK(leaving("return redis('GET', self.key) == self.token") == Verdict::holds);
  CHECK(leaving("return true") == Verdict::violated);
}

TEST_CASE("who learns of a new master goes on there within a call", "[followers][many-models]") {
  // Only a master that has not got what was just set lets it be set once more.
  const auto asks_again = [](const std::string& node) {
    InlineLock lock({"redis('SET', self.key, 1) pcall(call, { node = " + node +
                         ", timeout_ms = 2, 'GET', self.key }) "
                         "return redis('SET', self.key, 1, 'NX') == OK",
                     "return true"},
                    ", quorum = 1");
    lock.model.processes[0].nodes = 2;
    return seen(lock, sim::Witness::acquired, 1, {Fault::lag, Fault::failover, Fault::delay});
  };
  CHECK(asks_again("2"));
  CHECK(asks_again("1"));
}

TEST_CASE("what a replica has saved of a copy expires by its own clock",
          "[followers][many-models]") {
  // Whose key is over after 10 ms, though its master's has 20 more. It is asked after 15.
  const auto outlives = [](std::int64_t ahead_ms) {
    InlineLock lock({"return redis('SET', self.key, 1, 'PX', 30) == OK",
                     "return call { node = 2, 'GET', self.key } ~= nil"});
    lock.model.processes[0].workload[1].ms = 15;
    lock.model.node_clocks_ms = {0, ahead_ms};
    lock.model.persistence = sim::Persistence::rdb;
    return seen(lock, sim::Witness::released, 1, {Fault::node_crash, Fault::node_crash});
  };
  CHECK_FALSE(outlives(20));
  CHECK(outlives(10));
}

TEST_CASE("who waits for replicas in a transaction is told at once how many there are",
          "[followers]") {
  // There are none: outside of it this would last for ever.
  InlineLock lock(
      {"redis('MULTI') redis('WAIT', 1, 0) return redis('EXEC')[1] == 0", "return true"});
  CHECK(seen(lock, sim::Witness::acquired, 0, {}));
}

TEST_CASE("who waits at a master that becomes a replica is told so", "[followers]") {
  for (const std::string wait : {"'BLPOP', self.key, 0", "'WAIT', 2, 0"}) {
    CAPTURE(wait);
    InlineLock lock(
        {"local ok, why = pcall(redis, " + wait + ") return not ok and why.code == 'UNBLOCKED'",
         "return true"});
    CHECK(seen(lock, sim::Witness::acquired, 1, {Fault::failover}));
  }
}

TEST_CASE("a replica that has gone has not got what its master is told since", "[followers]") {
  // The second server is master while the first one copies `a` from it, and still is when that one
  // copies `b` no more: it has been promoted again.
  const auto told = [](const std::string& number) {
    InlineLock lock(
        {"call { node = 2, 'SET', 'x', 'a' } "
         "if redis('GET', 'x') ~= 'a' then return false end "
         "call { node = 2, 'SET', 'x', 'b' } "
         "if redis('GET', 'x') ~= 'a' then return false end "
         "return call { node = 2, 'WAIT', 1, 5 } == " +
             number,
         "return true"});
    return seen(lock, sim::Witness::acquired, 1, {Fault::failover, Fault::failover});
  };
  CHECK(told("0"));
  CHECK_FALSE(told("1"));
}

TEST_CASE("who waits for a replica for ever is told no lesser number", "[followers]") {
  for (const auto& [timeout_ms, ends] : {std::pair{"0", false}, {"5", true}}) {
    CAPTURE(timeout_ms);
    InlineLock lock(
        {"redis('SET', self.key, 1) return redis('WAIT', 1, " + std::string(timeout_ms) + ") == 0",
         "return true"});
    CHECK(seen(lock, sim::Witness::acquired, 1, {Fault::lag}) == ends);
  }
}

TEST_CASE("WAIT counts a replica that has died for a minute, and no longer",
          "[followers][many-models]") {
  // It says nothing any more when it is asked before, nor after that.
  const auto counted_after = [](std::int64_t ms) {
    const std::string dead = "not pcall(call, { node = 2, timeout_ms = 2, 'PING' })";
    InlineLock lock({"redis('SET', self.key, 1) if not (" + dead +
                         ") then return false end sleep(" + std::to_string(ms) +
                         ") return redis('WAIT', 1, 1) == 1 and " + dead,
                     "return true"});
    lock.model.processes.resize(1);
    lock.model.processes[0].replicas = 1;
    lock.model = test::with_fault(lock.model, Fault::power_loss, 1);
    lock.model.restart_after_ms = 50;
    lock.model.lists_gone_ms = 10;
    lock.model.properties = {Property::mutual_exclusion};
    lock.model.witnesses = {sim::Witness::acquired};
    const auto engine = checker::explore(lock.model, {});
    const auto naive =
        checker::explore_naively(lock.model, {}, {}, checker::naive::Memory::boundary);
    CHECK(naive.verdict == Verdict::holds);
    CHECK(engine.verdict == Verdict::inconclusive);
    CHECK(engine.time_gap.starts_with("a master notices in a minute"));
    return naive.unmet.empty();
  };
  CHECK(counted_after(9));
  CHECK_FALSE(counted_after(10));
}

TEST_CASE("a master does not hear that a replica's machine has no power",
          "[followers][many-models]") {
  // It was there after SET; WAIT counts it while it is asked in vain, before that and after.
  const auto counts = [&](const std::string& number, Fault fault) {
    InlineLock lock(
        {"local function silent() local ok, e = pcall(call, { node = 2, timeout_ms = 2, 'PING' }) "
         "return not ok and e.kind ~= 'redis' end redis('SET', self.key, 1) "
         "if silent() or not silent() then return false end "
         "local n = redis('WAIT', 1, 1) return silent() and n == " +
             number,
         "return true"});
    lock.model.restart_after_ms = 10;
    return seen(lock, sim::Witness::acquired, 1, {fault});
  };
  CHECK(counts("1", Fault::power_loss));
  CHECK_FALSE(counts("0", Fault::power_loss));
  CHECK(counts("0", Fault::node_crash));
}

TEST_CASE("a clock that stands still keeps a lock, on a node with a replica too", "[followers]") {
  for (const bool crashes : {false, true}) {
    CAPTURE(crashes);
    InlineLock lock({"return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
                     "return redis('DEL', self.key) == 1"});
    for (auto& process : lock.model.processes) process.replicas = 1;
    lock.model = test::with_fault(lock.model, Fault::freeze, 1);
    if (crashes) lock.model = test::with_fault(lock.model, Fault::crash, 1);
    CHECK(lock.judged(Property::deadlock) == (crashes ? Verdict::violated : Verdict::holds));
  }
}

TEST_CASE("what a shared connection has begun is forgotten where it breaks unheard",
          "[followers][many-models]") {
  // Whether EXEC may be sent to a server that knows of no transaction.
  const auto may_forget = [](const std::string& also, const std::vector<Fault>& faults) {
    InlineLock lock({"redis('MULTI') sleep(5) local ok, why = pcall(redis, 'EXEC') "
                     "return not ok and why.kind == 'redis' and why.code == 'ERR'",
                     "return true"},
                    also);
    return seen(lock, sim::Witness::acquired, 1, faults);
  };
  const std::string shared = ", shared_connection = true";
  CHECK(may_forget(shared, {Fault::lose}));
  CHECK(may_forget(shared, {Fault::failover}));
  CHECK_FALSE(may_forget(shared, {Fault::delay}));
  CHECK_FALSE(may_forget("", {Fault::lose, Fault::failover}));
}

TEST_CASE("a master that becomes a replica has memory again", "[followers]") {
  // The second server of the two is full, then a replica, then full once more.
  const auto full_again = [](std::size_t times) {
    InlineLock lock(
        {"local function says(code, ...) "
         "local ok, why = pcall(call, { node = 2, ... }) "
         "return not ok and why.code == code end "
         "return says('OOM', 'SET', self.key, 1) and says('READONLY', 'DEL', self.key) "
         "and says('OOM', 'SET', self.key, 1)",
         "return true"});
    std::vector<Fault> faults(times, Fault::oom);
    faults.insert(faults.end(), 3, Fault::failover);
    return seen(lock, sim::Witness::acquired, 1, faults);
  };
  CHECK_FALSE(full_again(1));
  CHECK(full_again(2));
}

TEST_CASE("that a master's clock jumps is no write that a replica could miss", "[followers]") {
  // The replica has it, the clock has jumped since, nothing was written: WAIT need not wait.
  InlineLock lock(
      {"redis('SET', self.key, 1, 'PX', 30) local ttl, acknowledged "
       "if call { node = 2, 'GET', self.key } then ttl = redis('PTTL', self.key) "
       "acknowledged = redis('WAIT', 1, 1) end redis('DEL', self.key) "
       "return ttl ~= nil and ttl <= 25 and acknowledged == 0",
       "return true"});
  lock.model.jumps_ms = {5};
  CHECK_FALSE(seen(lock, sim::Witness::acquired, 1, {Fault::lag, Fault::jump}));
}

TEST_CASE("a database that was selected is no reason for a connection not to break",
          "[followers][many-models]") {
  // WAIT on a new connection is told of a replica that has nothing of what was written before,
  // unless something else is executed on it first; as of 7.2 whatever that is.
  const std::string selected = "redis('SELECT', 3) call { node = 2, 'SELECT', 3 }";
  const std::string greets = ", greets = true", shared = ", shared_connection = true";
  const auto older = sim::ServerVersion::redis_7_0, newer = sim::ServerVersion::redis_7_2;
  const auto believed = [](sim::ServerVersion server, const std::string& begun,
                           const std::string& also = "") {
    CAPTURE(begun, also, sim::name(server));
    InlineLock lock({begun + " redis('SET', self.key, 1) local n = redis('WAIT', 1, 1) " +
                         "local has = call { node = 2, 'GET', self.key } return n == 1 and not has",
                     "return true"},
                    also);
    lock.model.server = server;
    return seen(lock, sim::Witness::acquired, 1, {Fault::lag, Fault::lose});
  };
  CHECK(believed(older, ""));
  CHECK(believed(older, "redis('SELECT', 0)"));
  CHECK_FALSE(believed(older, selected));
  CHECK(believed(newer, selected));
  CHECK_FALSE(believed(older, "", greets));
  CHECK_FALSE(believed(older, "", greets + shared));
  CHECK(believed(older, "", shared));
  CHECK(believed(newer, "", greets));
  CHECK_FALSE(believed(older, "redis('WATCH', 'x')"));  // it would hear an error
}

TEST_CASE("WAIT is about what its server has called at once, not refused, queued or kept",
          "[followers][many-models]") {
  // Another task, with a connection of its own, writes; `begun` may be what WAIT is about, and
  // `also` lies between. An outsider saw each of these on a real redis-server 7.0.15.
  const auto believed = [](const std::string& begun, const std::string& also,
                           const std::string& wait = "local n = redis('WAIT', 1, 1) ",
                           const std::vector<Fault>& faults = {Fault::lag}) {
    CAPTURE(begun, also);
    InlineLock lock({begun + " await(spawn(function() redis('SET', self.key, 1) end)) " + also +
                         " " + wait +
                         "local has = call { node = 2, 'GET', self.key } return n == 1 and not has",
                     "return true"});
    return seen(lock, sim::Witness::acquired, 1, faults);
  };
  CHECK(believed("redis('PING')", ""));
  CHECK_FALSE(believed("redis('PING')", "redis('PING')"));
  CHECK_FALSE(believed("redis('PING')", "pcall(redis, 'INCRBY', 'n', 'x')"));
  CHECK(believed("redis('PING')", "pcall(redis, 'GET')"));
  CHECK(believed("redis('PING')", "pcall(redis, 'SET', 'o', 1)", "local n = redis('WAIT', 1, 1) ",
                 {Fault::lag, Fault::oom}));
  const std::string queued = "redis('WAIT', 1, 1) local n = redis('EXEC')[2] ";
  CHECK(believed("redis('MULTI')", "redis('GET', 'x')", queued));
  CHECK_FALSE(believed("", "redis('MULTI') redis('GET', 'x')", queued));
}

TEST_CASE("what was kept until its key came counts as of when it was sent",
          "[followers][many-models]") {
  const auto believed = [](sim::ServerVersion server, const std::string& also) {
    CAPTURE(also, sim::name(server));
    InlineLock lock({"local n = 0 local t = spawn(function() redis('BLPOP', 'b', 0) " + also +
                         " n = redis('WAIT', 1, 1) end) sleep(1) redis('SET', self.key, 1) "
                         "redis('RPUSH', 'b', 1) await(t) "
                         "local has = call { node = 2, 'GET', self.key } return n == 1 and not has",
                     "return true"});
    lock.model.server = server;
    return seen(lock, sim::Witness::acquired, 1, {Fault::lag});
  };
  CHECK(believed(sim::ServerVersion::redis_7_0, ""));
  CHECK(believed(sim::ServerVersion::redis_7_2, ""));
  CHECK_FALSE(believed(sim::ServerVersion::redis_7_0, "redis('PING')"));
  CHECK(believed(sim::ServerVersion::redis_7_2, "redis('PING')"));
}

TEST_CASE("a replica may have what brings a key, and not what somebody is served for it",
          "[followers]") {
  InlineLock lock(
      {"local t = spawn(function() redis('BLMOVE', 'free', 'taken', 'LEFT', 'RIGHT', 0) "
       "end) sleep(1) redis('RPUSH', 'free', 1) await(t) "
       "return call { node = 2, 'LLEN', 'free' } == 1",
       "return true"});
  CHECK_FALSE(seen(lock, sim::Witness::acquired, 1, {}));
  CHECK(seen(lock, sim::Witness::acquired, 1, {Fault::lag}));
}

TEST_CASE("a crash behind a full synchronization leaves an append-only file of before",
          "[followers]") {
  const auto verdict = [](sim::Persistence persistence, std::uint8_t crashes) {
    InlineLock lock({"return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
                     "return redis('DEL', self.key) == 1"});
    for (auto& process : lock.model.processes) process.replicas = 1;
    lock.model.persistence = persistence;
    lock.model.properties = {Property::mutual_exclusion};
    lock.model = test::with_fault(lock.model, Fault::node_crash, crashes);
    return checker::explore(lock.model, {}).verdict;
  };
  CHECK(verdict(sim::Persistence::aof_always, 1) == Verdict::holds);
  CHECK(verdict(sim::Persistence::aof_always, 2) == Verdict::inconclusive);
}

TEST_CASE("the database is selected again on a connection that is made anew", "[followers]") {
  // Whether a key ever comes into the one that nobody selected.
  for (const std::string also : {"", ", shared_connection = true"}) {
    for (const Fault fault : {Fault::lose, Fault::node_crash, Fault::power_loss, Fault::failover}) {
      CAPTURE(also, sim::name(fault));
      InlineLock lock({"redis('SELECT', 3) sleep(5) redis('SET', self.key, 1) "
                       "return call { node = 2, 'GET', self.key } ~= nil",
                       "return true"},
                      also);
      CHECK_FALSE(seen(lock, sim::Witness::acquired, 1, {fault}));
    }
  }
}

TEST_CASE("how many have acknowledged at once is left open, unless lag is tried", "[followers]") {
  const auto verdict = [](const std::string& acquire, std::uint8_t replicas, std::uint8_t lags) {
    InlineLock lock({acquire, "return redis('DEL', self.key) == 1"});
    for (auto& process : lock.model.processes) process.replicas = replicas;
    lock.model.properties = {Property::mutual_exclusion};
    if (lags > 0) lock.model = test::with_fault(lock.model, Fault::lag, lags);
    return checker::explore(lock.model, {}).verdict;
  };
  const std::string set = "local ok = redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK ";
  const std::string one = set + "redis('WAIT', 1, 5) return ok";
  CHECK(verdict(one, 1, 0) == Verdict::holds);
  CHECK(verdict(one, 2, 0) == Verdict::inconclusive);
  CHECK(verdict(one, 2, 1) == Verdict::holds);
  CHECK(verdict(set + "redis('WAIT', 0, 5) return ok", 1, 0) == Verdict::inconclusive);
  CHECK(verdict("redis('MULTI') redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) "
                "redis('WAIT', 1, 5) return redis('EXEC')[1] == OK",
                1, 0) == Verdict::inconclusive);
}
