// What a process is to do with its locks, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::sim {

inline constexpr int kMaxNodes = 7;  ///< in a model, with all replicas

/// One step of a workload.
struct WorkStep {
  enum class Kind : std::uint8_t { lock, work, unlock, sleep, call };
  Kind kind = Kind::lock;
  std::uint8_t lock = 0;    ///< lock, unlock, call: which lock of the ProcessSetup
  std::int64_t ms = 0;      ///< work, sleep
  std::string method = {};  ///< call: a function of the protocol's own, such as "extend"
  friend bool operator==(const WorkStep&, const WorkStep&) = default;
};

/// A parameter of the protocol that clients may have differently: what setting(NAME) answers.
using SettingValue = std::variant<bool, std::int64_t, std::string>;
using Settings = std::map<std::string, SettingValue>;

/// What one process is given. Two processes with equal setups differ only in the names of their
/// tokens.
struct ProcessSetup {
  std::vector<std::string>
      lock_keys;                   ///< by lock; one protocol object (`self`) per key and process
  std::vector<bool> shared;        ///< by lock: is it taken in shared mode? false where not said
  std::vector<WorkStep> workload;  ///< one round
  int rounds = 1;                  ///< 0: for ever, and uncounted
  int threads = 1;  ///< main tasks that each run the workload, sharing the process's objects
  std::int64_t lease_ms = 0;    ///< self.ttl_ms; self.ttl_s is this in whole seconds
  Settings settings;            ///< where setting() answers something else than the protocol says
  int nodes = 1;                ///< 1 to kMaxNodes
  int replicas = 0;             ///< of each node; all together at most kMaxNodes
  bool shows_accesses = false;  ///< its program runs in a text in which threads switch at accesses
  friend bool operator==(const ProcessSetup&, const ProcessSetup&) = default;
};

/// The value as JSON writes it, but for what a string would have to escape.
inline std::string worded(const SettingValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return '"' + std::get<std::string>(value) + '"';
}

/// Whether a process takes a lock (by its index) in shared mode.
inline bool is_shared(const ProcessSetup& setup, std::size_t lock) {
  return lock < setup.shared.size() && setup.shared[lock];
}

}  // namespace lockstep::sim
