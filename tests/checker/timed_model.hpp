// Locks of a few lines and the worlds in which tests about time search them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checker/explorer.hpp"
#include "sim/client/program.hpp"
#include "tests/checker/random_lock.hpp"
#include "tests/support/model.hpp"

namespace lockstep::timed {

using StepKind = sim::WorkStep::Kind;

inline const sim::WorkStep kTakeIt{StepKind::lock, 0, 0};
inline const sim::WorkStep kLeaveIt{StepKind::unlock, 0, 0};

inline sim::ProcessSetup timed_client(std::vector<sim::WorkStep> workload, std::int64_t lease_ms) {
  sim::ProcessSetup setup;
  setup.lock_keys = {"lock"};
  setup.workload = std::move(workload);
  setup.lease_ms = lease_ms;
  return setup;
}

inline const char* const kSetOrNot =
    "redis('SET', self.key, unique(), 'NX', 'PX', self.ttl_ms) == OK";

/// A lock with this acquire(); release() deletes the key.
inline std::string locked_by(const std::string& acquire) {
  return "local Lock = protocol { title = 't', source = 's' }\n"
         "function Lock:acquire()\n" +
         acquire +
         "\nend\nfunction Lock:release() redis('DEL', self.key) return true end\n"
         "return Lock\n";
}

/// What a search of such a lock comes to.
inline checker::Result searched(const std::string& acquire, sim::Model model,
                                sim::Property property = sim::Property::mutual_exclusion) {
  const test::TemporaryProtocol folder("time-points", locked_by(acquire));
  model.program = std::make_shared<sim::Program>(folder.folder());
  model.properties = {property};
  return checker::explore(model, {});
}

inline sim::Model two_clients(std::int64_t stays_ms, std::int64_t lease_ms) {
  sim::Model model;
  model.processes = {timed_client({kTakeIt, {StepKind::sleep, 0, stays_ms}, kLeaveIt}, lease_ms),
                     timed_client({kTakeIt, kLeaveIt}, lease_ms)};
  return model;
}

inline checker::Verdict verdict_of(const std::string& acquire, sim::Model model) {
  return searched(acquire, std::move(model)).verdict;
}

}  // namespace lockstep::timed
