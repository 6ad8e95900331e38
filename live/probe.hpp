// The probe for deadlock on real servers: can a fresh client acquire the lock?
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "live/address.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

struct Probe {
  const sim::Model& model;
  std::vector<Address> addresses;    ///< of the nodes
  std::int64_t clock_offset_ms = 0;  ///< of the fresh client's wall clock from this machine's
  std::int64_t patience_ms = 0;      ///< apart from what is left of keys
};

/// Lets each of sim::fresh_clients() try to acquire its lock again and again: until every key has
/// expired that will, and then as long as its patience lasts, but at least for another lease and
/// request timeout; of several permits, all of them. True if all acquire.
bool fresh_client_acquires(const Probe& probe);

}  // namespace lockstep::live
