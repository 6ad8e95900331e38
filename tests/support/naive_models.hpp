// Small models for the tests of the naive explorer: seconds as ticks, so that unit time stays
// small.
#pragma once

#include <cstdint>
#include <string>

#include "sim/client/program.hpp"
#include "sim/model/model.hpp"

namespace lockstep::tests {

inline constexpr std::int64_t kSecondMs = 1000;

/// The folder of the protocols that only these tests have.
inline const std::string kOwn = "tests/data/naive/";

inline const sim::WorkStep kLock{sim::WorkStep::Kind::lock, 0, 0};
inline const sim::WorkStep kUnlock{sim::WorkStep::Kind::unlock, 0, 0};

/// `folder` below the source tree; every client does lock, work, unlock (or lock, unlock for no
/// work). The lease is 3 s, the tick 1 s. No fault, no property and no witness yet.
inline sim::Model small_model(const std::string& folder, int clients, std::int64_t work_ms) {
  using sim::WorkStep;
  sim::ProcessSetup setup;
  setup.lock_keys = {"lock"};
  setup.workload.push_back({WorkStep::Kind::lock, 0, 0});
  if (work_ms > 0) setup.workload.push_back({WorkStep::Kind::work, 0, work_ms});
  setup.workload.push_back({WorkStep::Kind::unlock, 0, 0});
  setup.lease_ms = 3 * kSecondMs;
  sim::Model model;
  model.program = std::make_shared<sim::Program>(std::string(LOCKSTEP_SOURCE_DIR) + "/" + folder);
  model.processes.assign(static_cast<std::size_t>(clients), setup);
  model.tick_ms = kSecondMs;
  return model;
}

inline void allow(sim::Model& model, sim::Fault fault, std::uint8_t times = 1) {
  model.budget[static_cast<std::size_t>(fault)] = times;
}

}  // namespace lockstep::tests
