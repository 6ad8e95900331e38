// Drives a run of the simulator step by step against real servers, in exactly its order, and
// compares every reply, every step of the client programs, and the keys. What is real are the
// servers and their time; when a request reaches one, when a reply is taken, who pauses, and what
// the clients' clocks show, is the driver's doing, as the trace says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/nodes.hpp"
#include "live/plan.hpp"

namespace lockstep::live {

struct Confirmation {
  enum class Outcome {
    confirmed,
    differs,    ///< at `step`
    too_slow,   ///< a key expired before the trace could get to use it: the machine was too slow
    open,       ///< every step agrees, but what the violation says cannot be seen live
    impossible  ///< no real server can be made to do this
  };
  Outcome outcome = Outcome::confirmed;
  std::size_t step = 0;  ///< from 1
  std::string detail;    ///< what was expected and found; or what was seen at the end
  std::string server;    ///< the version of the servers
  double seconds = 0;
  std::int64_t began_ms = 0;  ///< the Unix time that stands for sim::kEpoch
};

/// Replays `plan` on `servers`, as many as its model has. Throws BadInput if one cannot be used: a
/// key of the plan exists there already.
Confirmation replay(const Plan& plan, const std::vector<RunningServer>& servers);

}  // namespace lockstep::live
