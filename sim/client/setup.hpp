// What a process is to do with its locks, as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::sim {

inline constexpr int kMaxNodes = 7;  ///< in a model, with all replicas

/// One step of a workload.
struct WorkStep {
  enum class Kind : std::uint8_t { lock, work, unlock, sleep };
  Kind kind = Kind::lock;
  std::uint8_t lock = 0;  ///< lock, unlock: index into ProcessSetup::lock_keys
  std::int64_t ms = 0;    ///< work, sleep
  friend bool operator==(const WorkStep&, const WorkStep&) = default;
};

/// What one process is given. Two processes with equal setups differ only in the names of their
/// tokens.
struct ProcessSetup {
  std::vector<std::string> lock_keys;  ///< one protocol object (`self`) per key and process
  std::vector<WorkStep> workload;      ///< one round
  int rounds = 1;                      ///< 0: for ever, and uncounted
  int threads = 1;  ///< main tasks that each run the workload, sharing the process's objects
  std::int64_t lease_ms = 0;    ///< self.ttl_ms; self.ttl_s is this in whole seconds
  int nodes = 1;                ///< 1 to kMaxNodes
  int replicas = 0;             ///< of each node; all together at most kMaxNodes
  bool shows_accesses = false;  ///< its program runs in a text in which threads switch at accesses
  friend bool operator==(const ProcessSetup&, const ProcessSetup&) = default;
};

}  // namespace lockstep::sim
