// The engine against the naive explorer: two readings of docs/semantics.md must come to the same
// verdict and the same shortest length, on every rung and for every single fault. Durations are
// scaled down by a coarse tick, so that the naive explorer's unit steps are affordable.
#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive.hpp"
#include "checker/trace.hpp"
#include "tests/support/model.hpp"

namespace {

using namespace lockstep;

const char* const kRungs[] = {"exists-set",        "setnx",         "setnx-expire", "set-ex-nx",
                              "set-token-get-del", "set-token-lua", "fencing"};

void compare(const sim::Model& model) {
  const checker::Result engine = checker::explore(model, {});
  const checker::Result naive = checker::explore_naively(model, {});
  INFO("engine " << checker::name(engine.verdict) << ' ' << engine.schedule.size() << ' '
                 << engine.why_inconclusive << ", naive " << checker::name(naive.verdict) << ' '
                 << naive.schedule.size() << ' ' << naive.why_inconclusive);
  REQUIRE(engine.verdict == naive.verdict);
  REQUIRE(engine.schedule.size() == naive.schedule.size());
  if (engine.verdict == checker::Verdict::holds) CHECK(engine.unmet == naive.unmet);
  if (engine.verdict != checker::Verdict::violated) return;
  const checker::Trace trace = checker::tell(model, engine.schedule);
  REQUIRE(trace.violated.has_value());
  CHECK(trace.violated == engine.property);
}

}  // namespace

TEST_CASE("engine and naive explorer agree on every rung and every single fault", "[agreement]") {
  for (const char* rung : kRungs) {
    for (const std::int64_t work_ms : {1000, 4000}) {
      const sim::Model plain = test::model({rung, 2, 1, 3000, work_ms, 1000});
      SECTION(std::string(rung) + ", work " + std::to_string(work_ms) + ", no fault") {
        compare(plain);
      }
      for (const sim::Fault fault : sim::kFaults) {
        SECTION(std::string(rung) + ", work " + std::to_string(work_ms) + ", " + sim::name(fault)) {
          compare(test::with_fault(plain, fault));
        }
      }
    }
  }
}

TEST_CASE("engine and naive explorer agree property by property", "[agreement]") {
  for (const char* rung : kRungs) {
    for (const sim::Property property : sim::kProperties) {
      for (const sim::Fault fault : sim::kFaults) {
        SECTION(std::string(rung) + ", only " + sim::name(property) + ", " + sim::name(fault)) {
          sim::Model model = test::with_fault(test::model({rung, 2, 1, 2000, 1000, 1000}), fault);
          model.properties = {property};
          compare(model);
        }
      }
    }
  }
}
