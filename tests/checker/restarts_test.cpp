// What comes back after a crash is not what it was: what a client and a node have lost with it, and
// what they have left behind. Both explorers judge each.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Persistence;
using sim::Property;
using sim::WorkStep;
using test::InlineLock;

/// One client that may crash, and has a second round to begin then.
void alone_and_crashing(InlineLock& lock) {
  lock.model.processes.resize(1);
  lock.model.processes[0].rounds = 2;
  lock.model = test::with_fault(lock.model, Fault::crash);
}

/// Whether the only client can acquire under these faults, in both explorers.
bool may_acquire(const std::string& acquire, const std::vector<Fault>& faults,
                 Persistence persistence = Persistence::none) {
  InlineLock lock({acquire, "return true"});
  lock.model.processes.resize(1);
  for (const Fault fault : faults) ++lock.model.budget.at(static_cast<std::size_t>(fault));
  lock.model.persistence = persistence;
  return lock.may_acquire();
}

}  // namespace

TEST_CASE("who starts again has read no clock before", "[restarts]") {
  // A reading of before the crash would be 15 ms old by then.
  InlineLock lock(
      {"local before = monotonic() redis('GET', self.key) "
       "if monotonic() - before >= 15 then redis('SET', self.key, 'late') return false end "
       "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK",
       "return redis('DEL', self.key) == 1"});
  alone_and_crashing(lock);
  CHECK(lock.judged(Property::leak) == Verdict::holds);
}

TEST_CASE("what was asked before a crash was asked by nobody", "[restarts]") {
  // It may be executed after the restart: then the new call is refused, and has not made the key.
  InlineLock lock({"return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK",
                   "return redis('DEL', self.key) == 1"});
  alone_and_crashing(lock);
  CHECK(lock.judged(Property::honest_result) == Verdict::holds);
}

TEST_CASE("what was made before a crash is nobody's", "[restarts]") {
  // The key of before ends while the second round is inside, which never had it.
  InlineLock lock(
      {"self.depth = (self.depth or 0) + 1 "
       "if self.depth == 1 then redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) end "
       "return true",
       "self.depth = self.depth - 1 "
       "return self.depth > 0 or redis('DEL', self.key) == 1"});
  alone_and_crashing(lock);
  lock.model.processes[0].workload = {{WorkStep::Kind::lock, 0, 0},
                                      {WorkStep::Kind::work, 0, 20},
                                      {WorkStep::Kind::lock, 0, 0},
                                      {WorkStep::Kind::unlock, 0, 0},
                                      {WorkStep::Kind::unlock, 0, 0}};
  CHECK(lock.judged(Property::reentrancy) == Verdict::holds);
}

TEST_CASE("nobody can be locked out of a node that is down", "[restarts]") {
  // What was saved comes back with a key of nobody: that is judged once the node is up again.
  InlineLock lock(
      {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  lock.model.persistence = Persistence::rdb;
  lock.model = test::with_fault(lock.model, Fault::node_crash);
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
}

TEST_CASE("a node that comes back knows no script", "[restarts]") {
  // The SHA-1 is that of "return 1". A node that keeps every write keeps the key, not the script.
  InlineLock lock(
      {"redis('SCRIPT', 'LOAD', 'return 1') "
       "return redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK",
       "local known = redis('SCRIPT', 'EXISTS', "
       "'e0e1f9fabfc9d4800c877a703b823ac0578ff8db') "
       "if known[1] == 1 then return redis('DEL', self.key) == 1 end "
       "redis('PERSIST', self.key) return false"});
  lock.model.processes.resize(1);
  lock.model.persistence = Persistence::aof_always;
  CHECK(lock.judged(Property::leak) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::node_crash);
  CHECK(lock.judged(Property::leak) == Verdict::violated);
}

TEST_CASE("a power loss takes as many writes as it likes", "[restarts]") {
  // Who is inside has seen the lock there after a second write: it goes with both of them only.
  InlineLock lock(
      {"local token = unique() "
       "if redis('SETNX', self.key, token) == 0 then return false end "
       "redis('SET', self.key .. ':since', 1) return redis('GET', self.key) == token",
       "return redis('DEL', self.key, self.key .. ':since') == 2"});
  lock.model.persistence = Persistence::aof_everysec;
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
  lock.model = test::with_fault(lock.model, Fault::power_loss);
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("a power loss takes the oldest write that is not on the disk, too",
          "[restarts][many-models]") {
  // Both were answered, and it is the only one: who has lost `a` alone would find `b`.
  const std::string loses_both =
      "redis('SET', 'a', 1) redis('SET', 'b', 1) pcall(redis, 'PING') "
      "return redis('EXISTS', 'a', 'b') == 0";
  CHECK(may_acquire(loses_both, {Fault::power_loss}, Persistence::aof_everysec));
  CHECK_FALSE(may_acquire(loses_both, {Fault::power_loss}, Persistence::aof_always));
}

TEST_CASE("what was written and has expired is no write that a power loss takes",
          "[restarts][many-models][long-models]") {
  // The mark has expired when the lock is acquired: the last write is then that of the lock.
  InlineLock lock(
      {"self.token = unique() "
       "if redis('SET', self.key, self.token, 'NX') ~= OK then return false end "
       "redis('SET', self.key .. ':mark', 1, 'PX', 5) sleep(10) "
       "return redis('GET', self.key) == self.token",
       "return redis('DEL', self.key) == 1"});
  lock.model = test::with_fault(lock.model, Fault::power_loss);
  lock.model.persistence = sim::Persistence::aof_everysec;
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::violated);
}

TEST_CASE("what a server has answered and not written when it dies is left open", "[restarts]") {
  InlineLock lock(
      {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"});
  lock.model = test::with_fault(lock.model, Fault::node_crash);
  lock.model.properties = {Property::mutual_exclusion};
  for (const auto postponed : {Persistence::aof_everysec, Persistence::aof_everysec_2s}) {
    lock.model.persistence = postponed;
    CHECK(checker::explore(lock.model, {}).verdict == Verdict::inconclusive);
  }
  lock.model.persistence = Persistence::aof_always;
  CHECK(lock.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("what was saved is there after a power loss, too", "[restarts]") {
  InlineLock lock(
      {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  lock.model.persistence = Persistence::rdb;
  lock.model = test::with_fault(lock.model, Fault::power_loss);
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
}

TEST_CASE("a reply outlives the power loss of who has sent it, and its restart", "[restarts]") {
  // A hears that it has released; the file that was saved has its key.
  for (const Fault fault : {Fault::node_crash, Fault::power_loss}) {
    InlineLock lock({"return redis('SET', self.key, 1, 'NX', 'PX', self.ttl_ms) == OK",
                     "return redis('DEL', self.key) == 1"});
    lock.model.processes.resize(1);
    lock.model.persistence = Persistence::rdb;
    lock.model = test::with_fault(lock.model, fault);
    CHECK(lock.judged(sim::Property::reentrancy) == Verdict::violated);
  }
}

TEST_CASE("FLUSHALL saves, and what it has taken does not come back", "[restarts]") {
  // One client, which asks until it is answered; its key, which never expires, may have been saved.
  const auto left_behind_after = [](const std::string& command) {
    InlineLock lock(
        {"return retry(function() return (pcall(redis, 'SETNX', self.key, 'x')) end, 9)",
         "return retry(function() return (pcall(redis, '" + command + "')) end, 9)"});
    lock.model.processes.resize(1);
    lock.model = test::with_fault(lock.model, Fault::node_crash);
    lock.model.persistence = Persistence::rdb;
    return lock.judged(Property::leak);
  };
  CHECK(left_behind_after("FLUSHALL") == Verdict::holds);
  CHECK(left_behind_after("FLUSHDB") == Verdict::violated);
}

TEST_CASE("keys of every database may be evicted, if they expire", "[restarts]") {
  for (const std::string selects : {"", "redis('SELECT', 1) "}) {
    const auto may_go = [&](const std::string& lives) {
      return may_acquire(
          selects + "redis('SET', self.key, 1" + lives + ") return redis('EXISTS', self.key) == 0",
          {Fault::evict});
    };
    CAPTURE(selects);
    CHECK(may_go(", 'PX', 30"));
    CHECK_FALSE(may_go(""));
  }
}

TEST_CASE("what was evicted, or flushed, is there again after a power loss",
          "[restarts][many-models]") {
  // Either is written to the append-only file as any other command is.
  const std::string comes_back =
      "redis('SET', self.key, 1, 'PX', 30) if redis('EXISTS', self.key) == 1 then return false end "
      "pcall(redis, 'PING') return redis('EXISTS', self.key) == 1";
  for (const Fault fault : {Fault::evict, Fault::flush}) {
    CAPTURE(sim::name(fault));
    CHECK(may_acquire(comes_back, {fault, Fault::power_loss}, Persistence::aof_everysec));
    CHECK_FALSE(may_acquire(comes_back, {fault, Fault::power_loss}, Persistence::aof_always));
  }
}

TEST_CASE("what a server has read from its disk no second power loss takes",
          "[restarts][many-models]") {
  const auto lost_after = [](const std::string& found) {
    return may_acquire(
        "redis('SET', self.key, 1) "
        "if pcall(redis, 'PING') then return false end "
        "if redis('EXISTS', self.key) ~= " +
            found +
            " then return false end "
            "if pcall(redis, 'PING') then return false end "
            "return redis('EXISTS', self.key) == 0",
        {Fault::power_loss, Fault::power_loss}, Persistence::aof_everysec);
  };
  CHECK(lost_after("0"));
  CHECK_FALSE(lost_after("1"));
}

TEST_CASE("a server that has died has memory again", "[restarts]") {
  const std::string full_twice =
      "local function full() local ok, why = pcall(redis, 'SET', self.key, 1) "
      "return not ok and why.code == 'OOM' end "
      "if not full() or pcall(redis, 'PING') then return false end return full()";
  for (const Fault death : {Fault::node_crash, Fault::power_loss}) {
    CAPTURE(sim::name(death));
    CHECK_FALSE(may_acquire(full_twice, {Fault::oom, death}));
    CHECK(may_acquire(full_twice, {Fault::oom, Fault::oom, death}));
  }
}

TEST_CASE("a machine that dies tells nobody", "[restarts][many-models][long-models]") {
  // Its client waits for 7 ms, and is inside for 10 more; what came before is gone after 15 ms. A
  // server whose process dies has a kernel that says so.
  const auto judged_with = [](Fault fault) {
    InlineLock lock({"if redis('SET', self.key, 'x', 'NX', 'PX', 15) ~= OK then return false end "
                     "pcall(call, { node = 2, timeout_ms = 7, 'PING' }) return true",
                     "return redis('DEL', self.key) == 1"},
                    ", nodes = 2");
    for (auto& process : lock.model.processes) process.nodes = 2;
    lock.model = test::with_fault(lock.model, fault);
    lock.model.properties = {Property::mutual_exclusion};
    lock.model.restart_after_ms = 100;
    // What the first node forgets is another matter: it forgets nothing.
    lock.model.persistence = Persistence::aof_always;
    return lock.judged(Property::mutual_exclusion);
  };
  CHECK(judged_with(Fault::power_loss) == Verdict::violated);
  CHECK(judged_with(Fault::node_crash) == Verdict::holds);
}
