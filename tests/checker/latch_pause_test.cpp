// retry(f, latch) in both explorers: the same lock with its wait inside f, and as the pause.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Verdict;
using sim::Property;

/// It listens, tries, and waits for a message: within f, or as the pause.
std::string waiting(bool within, const std::string& most_ms) {
  const std::string bound = most_ms.empty() ? "" : ", " + most_ms;
  return test::kToken +
         "local latch = semaphore(0)\n"
         "local heard = listen('free', function() latch:release() end)\n"
         "return retry(function()\n"
         "  if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK then\n"
         "    stop(heard) return true\n  end\n" +
         (within ? "  latch:acquire(" + most_ms + ")\nend)"
                 : "  return false" + bound + "\nend, latch)");
}

const std::string kTells =
    "local ok = " + test::kDeletesOwn + " redis('PUBLISH', 'free', 'x') return ok";

}  // namespace

TEST_CASE("a wait at a latch as the pause of retry is what it is within its function",
          "[latch-pause][many-models]") {
  for (const char* most_ms : {"", "7"}) {
    for (const Property property : {Property::mutual_exclusion, Property::deadlock,
                                    Property::lost_wakeup, Property::progress}) {
      for (const auto fault : {sim::Fault::crash, sim::Fault::lose}) {
        test::InlineLock within({waiting(true, most_ms), kTells}),
            pause({waiting(false, most_ms), kTells});
        within.model = test::with_fault(within.model, fault);
        pause.model = test::with_fault(pause.model, fault);
        INFO(most_ms << ' ' << sim::name(property) << ' ' << static_cast<int>(fault));
        CHECK(within.judged(property) == pause.judged(property));
      }
    }
  }
}

TEST_CASE("who renews one lock while it waits for another comes round", "[latch-pause]") {
  // Renewal and wait end at the same ms each time. The wait is for what it has itself: for ever.
  test::InlineLock lock(
      {"if self.renewal == nil then\n"
       "  self.renewal = every(self.ttl_ms // 3, function()\n"
       "    return redis('PEXPIRE', self.key, self.ttl_ms) == 1 end)\n"
       "  return redis('SET', self.key, 1, 'PX', self.ttl_ms) == OK\n"
       "end\n"
       "local latch = semaphore(0)\n"
       "return retry(function()\n"
       "  local left_ms = redis('PTTL', self.key)\n"
       "  if left_ms < 0 then return true end\n"
       "  return false, left_ms\n"
       "end, latch)",
       "return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  lock.model.processes[0].rounds = 2;
  lock.model.processes[0].workload.pop_back();  // it is not given back
  CHECK(lock.judged(Property::deadlock) == Verdict::violated);
}
