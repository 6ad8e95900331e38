// A live run: the clients of a scenario on real servers, one for each node, a thread each, judged
// by what they observe.
//
// What is judged, and how soundly: mutual exclusion and lost updates in real-time order, exactly as
// far as the run went; whose key was removed or prolonged, and what calls said of it, by what the
// servers tell in the envelopes of the requests; a leak and a deadlock at the end, on the keys that
// are left and by a fresh client. Nothing is called violated that was not. On several nodes nobody
// sees all keys at one instant: what calls said of them is not judged there.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "live/address.hpp"
#include "live/referee.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

struct LiveResult {
  LiveFigures figures;
  std::vector<LiveViolation> violations;
  bool cut_short = false;  ///< some client did not come to its end in time: the end is not judged
  std::set<sim::Property> not_judged;  ///< not to the end of the run, or not at all
  std::string not_judged_because;      ///< what the ledger of keys could not follow
  double seconds = 0;
  std::string server;  ///< the version of the servers, or their versions
};

/// Runs the workload of `model` on the servers at `addresses`, one for each of its nodes, which has
/// no replicas; no new round begins after `seconds`. `patience_ms`: how long a fresh client tries
/// at the end, apart from what is left of keys. Removes the protocol's keys at the end, and one of
/// its own on each server that counts the requests. Throws BadInput if a key of the protocol exists
/// already, if two addresses are of one server and database, or for what the protocol does wrong,
/// ConnectionBroken if a server cannot be reached.
LiveResult run(const sim::Model& model, const std::vector<Address>& addresses, double seconds,
               std::int64_t patience_ms = 0);

}  // namespace lockstep::live
