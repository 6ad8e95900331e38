// Locks written in the test itself, judged by both explorers.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/trace/trace.hpp"
#include "sim/base/temporary_folder.hpp"
#include "tests/support/model.hpp"

namespace lockstep::test {

/// A lock by the bodies of its acquire() and release().
struct Bodies {
  std::string acquire, release;
};

inline const std::string kToken = "self.token = unique() ";

/// An acquire() by a script that is told the key, a token and the lease.
inline std::string scripted_acquire(const std::string& script) {
  return kToken + "return redis('EVAL', [[" + script +
         "]], 1, self.key, self.token, self.ttl_ms) == 1";
}

/// Whether the key said self.token, and is deleted.
inline const std::string kDeletesOwn =
    "redis('EVAL', \"if redis.call('get', KEYS[1]) == ARGV[1] then"
    " return redis.call('del', KEYS[1]) end return 0\", 1, self.key, self.token) == 1";

/// The release() of a lock whose key says self.token.
inline const std::string kCompareAndDelete = "return " + kDeletesOwn;

/// Whether the run of `found` has a loop at its end, in which time passes and `waits` acquires
/// nothing, and which can be taken once more.
inline bool comes_again(const sim::Model& model, const checker::Result& found) {
  const auto loop = found.loop.value();
  if (loop.from >= found.schedule.size()) return false;
  sim::Schedule twice = found.schedule;
  twice.insert(twice.end(), found.schedule.begin() + static_cast<std::ptrdiff_t>(loop.from),
               found.schedule.end());
  const checker::Trace told = checker::tell(model, twice);
  const std::vector<checker::TraceStep> again(
      told.steps.begin() + static_cast<std::ptrdiff_t>(found.schedule.size()), told.steps.end());
  const auto acquires = [&](const checker::TraceStep& step) {
    return step.data.action.process == loop.process &&
           std::ranges::any_of(step.data.effects, [](const sim::Effect& effect) {
             return effect.kind == sim::Effect::Kind::acquired;
           });
  };
  return again.back().data.time_ms > told.steps[found.schedule.size() - 1].data.time_ms &&
         std::ranges::none_of(again, acquires);
}

/// Two clients that lock, work 10 ms, unlock, once; leases of 30 ms. `also`: how protocol { goes
/// on.
class InlineLock {
 public:
  explicit InlineLock(const Bodies& bodies, const std::string& also = "") {
    folder_.write("protocol.lua", "local L = protocol { title = 't', source = 's'" + also +
                                      " }\nfunction L:acquire()\n" + bodies.acquire +
                                      "\nend\nfunction L:release()\n" + bodies.release +
                                      "\nend\nreturn L\n");
    model = test::model({"set-nx-px", 2, 1, 30, 10, 1});
    model.program = std::make_shared<sim::Program>(folder_.path());
  }

  /// With one client of the two, and budget for this fault.
  InlineLock& alone_with(sim::Fault fault) {
    model.processes.resize(1);
    model = with_fault(model, fault);
    return *this;
  }

  /// With leases and work of so many ms, of all clients.
  InlineLock& lasting(std::int64_t lease_ms, std::int64_t work_ms) {
    for (sim::ProcessSetup& process : model.processes) {
      process.lease_ms = lease_ms;
      process.workload[1].ms = work_ms;
    }
    return *this;
  }

  /// What both explorers find of one property.
  checker::Verdict judged(sim::Property property) const {
    sim::Model asked = model;
    asked.properties = {property};
    const checker::Result engine = checker::explore(asked, {});
    const checker::Result naive =
        checker::explore_naively(asked, {}, {}, checker::naive::Memory::boundary);
    INFO(sim::name(property) << ": engine " << checker::name(engine.verdict) << ' '
                             << engine.schedule.size() << ' ' << engine.why_inconclusive
                             << ", naive " << checker::name(naive.verdict) << ' '
                             << naive.schedule.size() << ' ' << naive.why_inconclusive);
    // What the engine leaves open it says so; every instant may show that it holds.
    const bool open = engine.verdict == checker::Verdict::inconclusive && !engine.time_gap.empty();
    CHECK((open ? checker::Verdict::holds : engine.verdict) == naive.verdict);
    CHECK(engine.schedule.size() == naive.schedule.size());
    if (engine.loop) CHECK(comes_again(asked, engine));
    if (engine.verdict == checker::Verdict::violated && !engine.endless)
      CHECK(checker::tell(asked, engine.schedule).violated == property);
    return engine.verdict;
  }

  /// The witnesses of `model` that both explorers, which find that it holds, have not seen.
  std::set<sim::Witness> unmet() const {
    const checker::Result engine = checker::explore(model, {});
    const checker::Result naive =
        checker::explore_naively(model, {}, {}, checker::naive::Memory::boundary);
    INFO(engine.why_inconclusive << naive.why_inconclusive);
    CHECK(engine.verdict == checker::Verdict::holds);
    CHECK(naive.verdict == checker::Verdict::holds);
    CHECK(engine.unmet == naive.unmet);
    return engine.unmet;
  }

  /// Whether both explorers see an acquire() come out true in some run.
  bool may_acquire() {
    model.properties = {sim::Property::mutual_exclusion};
    model.witnesses = {sim::Witness::acquired};
    return unmet().empty();
  }

  sim::Model model;

 private:
  sim::TemporaryFolder folder_;
};

}  // namespace lockstep::test
