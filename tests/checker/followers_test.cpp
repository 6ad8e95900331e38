// What is claimed of a whole run where nodes have replicas, or a call says no: both explorers, on
// every two of the faults that concern it.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using test::InlineLock;

}  // namespace

TEST_CASE("a lock that stays for ever is a deadlock on whichever master, and none once it is lost",
          "[followers]") {
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
