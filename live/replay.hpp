// Drives a run of the simulator step by step against a real server, in exactly its order, and
// compares every reply, every step of the client programs, and the keys. What is real is the server
// and its time; when a request reaches it, when a reply is taken, who pauses, and what the clients'
// clocks show, is the driver's doing, as the trace says.
#pragma once

#include <string>

#include "live/address.hpp"
#include "live/plan.hpp"
#include "live/server.hpp"

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
  std::string server;    ///< the version of the server
  double seconds = 0;
};

/// Replays `plan`. `own`: the server at `address`, if it is ours and may be crashed. Throws
/// BadInput if the server cannot be used: a key of the plan exists already.
Confirmation replay(const Plan& plan, const Address& address, Server* own);

}  // namespace lockstep::live
