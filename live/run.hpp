// A live run: the clients of a scenario on a real server, a thread each, judged by what they
// observe.
//
// What is judged, and how soundly: mutual exclusion and lost updates in real-time order, exactly as
// far as the run went; a leak and a deadlock at the end, on the keys that are left and by a fresh
// client. Who removed or prolonged whose key a server does not tell: foreign-release,
// foreign-extend, honest-result and reentrancy are not judged here. Nothing is called violated that
// was not.
#pragma once

#include <string>
#include <vector>

#include "live/address.hpp"
#include "live/referee.hpp"
#include "sim/model.hpp"

namespace lockstep::live {

struct LiveResult {
  LiveFigures figures;
  std::vector<LiveViolation> violations;
  bool cut_short = false;  ///< some client did not come to its end in time: the end is not judged
  double seconds = 0;
  std::string server;  ///< its version
};

/// Whether a live run judges this property.
bool judged_live(sim::Property property);

/// Runs the workload of `model` on the server at `address`; no new round begins after `seconds`.
/// Removes the protocol's keys at the end. Throws BadInput if a key of the protocol exists already,
/// or for what the protocol does wrong, ConnectionBroken if the server cannot be reached.
LiveResult run(const sim::Model& model, const Address& address, double seconds);

}  // namespace lockstep::live
