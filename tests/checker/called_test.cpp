// A function of the protocol's own that the workload calls between lock and unlock, in both
// explorers: extend(), as a client of redis-py or Redlock calls it in the midst of its work.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

/// A lock by token whose extend() is this; leases of 30 ms.
struct Extended : test::InlineLock {
  explicit Extended(const std::string& extend)
      : InlineLock({test::kToken +
                        "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK\n"
                        "end\nfunction L:extend()\n" +
                        extend,
                    test::kCompareAndDelete}) {}

  Extended& working(std::int64_t first_ms, std::int64_t then_ms) {
    using Kind = sim::WorkStep::Kind;
    for (sim::ProcessSetup& process : model.processes)
      process.workload = {{Kind::lock, 0, 0},
                          {Kind::work, 0, first_ms},
                          {Kind::call, 0, 0, "extend"},
                          {Kind::work, 0, then_ms},
                          {Kind::unlock, 0, 0}};
    return *this;
  }
};

const std::string kExtendsByToken =
    "return redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
    " return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0\", 1, self.key, self.token,"
    " self.ttl_ms) == 1";

}  // namespace

TEST_CASE("who extends its lease in the midst of its work has it from there on", "[called]") {
  CHECK(Extended(kExtendsByToken).working(20, 30).judged(Property::mutual_exclusion) ==
        Verdict::holds);
  CHECK(Extended(kExtendsByToken).working(20, 31).judged(Property::mutual_exclusion) ==
        Verdict::violated);
  CHECK(
      Extended("sleep(10) " + kExtendsByToken).working(15, 30).judged(Property::mutual_exclusion) ==
      Verdict::holds);
  CHECK(
      Extended("sleep(10) " + kExtendsByToken).working(21, 5).judged(Property::mutual_exclusion) ==
      Verdict::violated);
}

TEST_CASE("an extension that fails ends the round, and one that only says so does not",
          "[called][many-models]") {
  const std::string checked =
      "if not (function() " + kExtendsByToken + " end)() then error('gone') end";
  const auto judged = [](const std::string& extend) {
    Extended lock(extend);
    lock.working(20, 20);
    lock.model = test::with_fault(lock.model, sim::Fault::evict);
    return lock.judged(Property::foreign_extend);
  };
  for (const std::string& extend : {checked, kExtendsByToken})
    CHECK(judged(extend) == Verdict::holds);
  CHECK(judged("redis('PEXPIRE', self.key, self.ttl_ms)") == Verdict::violated);
}

TEST_CASE("a function that is called may try again, with a pause between the tries", "[called]") {
  Extended lock("return retry(function() " + kExtendsByToken + " end, 3)");
  lock.working(10, 30).alone_with(sim::Fault::lose);
  CHECK(lock.judged(Property::deadlock) == Verdict::holds);
  CHECK(lock.judged(Property::leak) == Verdict::holds);
}

TEST_CASE("who only calls functions of the protocol need not acquire anything", "[called]") {
  Extended lock("return 1");
  lock.model.witnesses = {sim::Witness::acquired};
  lock.model.processes[1].workload = {{sim::WorkStep::Kind::call, 0, 0, "extend"}};
  CHECK(lock.unmet().empty());
  lock.model.processes[0].workload = lock.model.processes[1].workload;
  CHECK(lock.unmet() == std::set{sim::Witness::acquired});
}

TEST_CASE("who only calls functions may open what others wait for, as long as it lives",
          "[called]") {
  // A gate with two keys, that opens for good: nobody but those two could let in a fresh client.
  const auto judged = [](bool crashes, const std::string& adds) {
    test::InlineLock gate(
        {"return retry(function() if redis('GET', 'open') == '2' then return true end sleep(5) end)"
         "\nend\nfunction L:open() redis('INCRBY', 'open', " +
             adds + ")",
         "return true"},
        ", permits = 3, leases = {}");
    const sim::ProcessSetup waits = gate.model.processes[0];
    gate.model.processes[0].workload = {{sim::WorkStep::Kind::call, 0, 0, "open"}};
    gate.model.processes[1].workload = gate.model.processes[0].workload;
    gate.model.processes.push_back(waits);
    if (crashes) gate.model = test::with_fault(gate.model, sim::Fault::crash);
    return gate.judged(Property::deadlock);
  };
  CHECK(judged(false, "1") == Verdict::holds);
  CHECK(judged(false, "2") == Verdict::violated);  // once both have, it is closed for ever
  CHECK(judged(true, "1") == Verdict::violated);
}
