// What `lockstep replay --live --json` and `lockstep live --json` print.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/trace/trace.hpp"
#include "sim/model/model.hpp"

namespace lockstep::cli {

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

std::string live_replay_report(const LiveOutcome& outcome, const checker::Trace& trace);

/// A line of a live run's history.
struct LiveLine {
  std::int64_t time_us = 0;
  std::string actor;
  std::string sentence;
};
struct LiveFinding {
  sim::Property property = sim::Property::mutual_exclusion;
  std::string text;
  std::vector<LiveLine> history;
};

/// What a live run came to.
struct LiveSummary {
  std::string outcome;                                         ///< "violated", ...
  std::vector<std::pair<std::string, std::uint64_t>> figures;  ///< by name, in order
  std::vector<LiveFinding> violations;
  std::set<sim::Property> judged, not_judged;
  std::string not_judged_because;  ///< not to the end, if not empty
  bool cut_short = false;
  std::string server;
  double seconds = 0;
};

std::string live_report(const LiveSummary& summary);

}  // namespace lockstep::cli
