// The probe for deadlock on a real server: can a fresh client acquire the lock?
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "live/address.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

struct Probe {
  const sim::Model& model;
  Address address;
  std::int64_t clock_offset_ms = 0;  ///< of the fresh client's wall clock from this machine's
};

/// Lets a fresh client try to acquire the first lock again and again. It is patient: it waits for
/// every key to expire that will, and then as long as the lease, the request timeout and the
/// numbers in the program say. True if it acquires.
bool fresh_client_acquires(const Probe& probe);

}  // namespace lockstep::live
