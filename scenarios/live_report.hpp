// What `lockstep replay --live --json` prints.
#pragma once

#include <cstdint>
#include <string>

#include "checker/trace.hpp"

namespace lockstep::scenarios {

/// How a run fared on a real server.
struct LiveOutcome {
  std::string outcome;   ///< "confirmed", "differs", ...
  std::size_t step = 0;  ///< the last one that was taken, from 1
  std::string detail;
  std::string server;  ///< its version
  double seconds = 0;
  std::int64_t divisor = 1;  ///< of the run's times
  std::int64_t lease_ms = 0;
};

std::string live_report(const LiveOutcome& outcome, const checker::Trace& trace);

}  // namespace lockstep::scenarios
