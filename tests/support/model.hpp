// Models for tests: a shipped rung, or a protocol under tests/data, with a few parameters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "sim/client/program.hpp"
#include "sim/model/model.hpp"

namespace lockstep::test {

struct Setting {
  std::string protocol;
  int clients = 2;
  int rounds = 1;
  std::int64_t lease_ms = 3000;
  std::int64_t work_ms = 1000;
  std::int64_t tick_ms = 1;
};

/// Clients that each lock, work and unlock; all properties; no faults.
inline sim::Model model(const Setting& setting) {
  sim::Model model;
  const std::string shipped = std::string(LOCKSTEP_SOURCE_DIR) + "/protocols/" + setting.protocol;
  const std::string data = std::string(LOCKSTEP_SOURCE_DIR) + "/tests/data/" + setting.protocol;
  model.program = std::make_shared<sim::Program>(std::filesystem::exists(shipped) ? shipped : data);
  sim::ProcessSetup process;
  process.lock_keys = {"lock"};
  process.workload = {{sim::WorkStep::Kind::lock, 0, 0},
                      {sim::WorkStep::Kind::work, 0, setting.work_ms},
                      {sim::WorkStep::Kind::unlock, 0, 0}};
  process.rounds = setting.rounds;
  process.lease_ms = setting.lease_ms;
  model.processes.assign(static_cast<std::size_t>(setting.clients), process);
  model.tick_ms = setting.tick_ms;
  model.jumps_ms = {2 * setting.lease_ms, -2 * setting.lease_ms};
  model.properties.insert(sim::kProperties.begin(), sim::kProperties.end());
  model.witnesses = {sim::Witness::acquired};
  return model;
}

inline sim::Model with_fault(sim::Model model, sim::Fault fault, std::uint8_t budget = 1) {
  model.budget[static_cast<std::size_t>(fault)] = budget;
  model.cluster = model.cluster || row(fault).of_cluster;
  return model;
}

}  // namespace lockstep::test
