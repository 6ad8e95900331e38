// Timers that go round for ever beside an operation that does not end: those worlds come again.
#include <fmt/format.h>

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

/// Renews its lease of 6 ms each 2 ms until release() has been answered; `round` is done with each
/// renewal.
class Renewing : public InlineLock {
 public:
  Renewing(const std::string& round, Fault fault)
      : InlineLock(
            {test::kToken +
                 fmt::format("local rounds = 0\n"
                             "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK"
                             " then return false end\n"
                             "self.dog = every(2, function()\n"
                             "  redis('PEXPIRE', self.key, self.ttl_ms)\n"
                             "  rounds = rounds + 1\n"
                             "  {}\n"
                             "end)\n"
                             "return true",
                             round),
             "local ok = " + test::kDeletesOwn + " stop(self.dog) return ok"}) {
    lasting(6, 3);
    model = test::with_fault(model, fault);
  }
};

}  // namespace

TEST_CASE("a watchdog beside a release() that is under way for ever", "[repeated][many-models]") {
  for (const Fault fault : {Fault::delay, Fault::cut}) {
    CAPTURE(sim::name(fault));
    for (const Property property :
         {Property::mutual_exclusion, Property::deadlock, Property::leak}) {
      CHECK(Renewing("rounds = 0", fault).judged(property) != Verdict::inconclusive);
    }
  }
}

TEST_CASE("who waits for another task for ever waits so beside a timer, too", "[repeated]") {
  const auto waiting = [](const std::string& round) {
    InlineLock lock(
        {test::kToken +
             fmt::format("if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK then"
                         " return true end\n"
                         "local free = semaphore(0)\n"
                         "local timer = every(3, function() {} end)\n"
                         "free:acquire()\n"
                         "stop(timer)\n"
                         "return false",
                         round),
         test::kCompareAndDelete});
    lock.lasting(6, 2);
    return lock.judged(Property::deadlock);
  };
  CHECK(waiting("redis('EXISTS', self.key)") == Verdict::violated);
  CHECK(waiting("if redis('EXISTS', self.key) == 0 then free:release() end") == Verdict::holds);
}

TEST_CASE("a watchdog that does harm in its seventh round does so", "[repeated][many-models]") {
  Renewing lock("if rounds == 7 then redis('SET', self.key, 1) return false end", Fault::delay);
  lock.model.processes.resize(1);
  CHECK(lock.judged(Property::leak) == Verdict::violated);
  Renewing never("if rounds == 7 then rounds = 6 end", Fault::delay);
  never.model.processes.resize(1);
  CHECK(never.judged(Property::leak) == Verdict::holds);
}

TEST_CASE("a shipped lock with a watchdog that waits to be told", "[repeated][many-models]") {
  sim::Model model = test::with_fault(test::model({"redisson-lock", 2, 1, 12, 3, 1}), Fault::delay);
  model.properties = {Property::deadlock};
  const auto found = checker::explore(model, {});
  CHECK(found.verdict == Verdict::holds);
  CHECK(found.time_gap == "");
}
