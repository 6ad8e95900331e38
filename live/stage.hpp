// What all client processes of a replay share: the servers, the time, the names of tokens, the
// resource; and how a replay ends early.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "live/naming.hpp"
#include "live/nodes.hpp"
#include "live/pace.hpp"
#include "live/replay.hpp"
#include "live/replication.hpp"
#include "live/resource.hpp"
#include "sim/client/servers.hpp"
#include "sim/model/connections.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

/// The end of a replay before its last step.
struct Stopped {
  Confirmation::Outcome outcome;
  std::string detail;
};

struct Stage {
  Stage(const sim::Model& simulated, const std::vector<RunningServer>& servers,
        Observer::Names names)
      : model(simulated),
        nodes(servers, std::move(names)),
        replication(sim::servers_of(model.processes.front()), nodes),
        resource(model.resource) {}

  const sim::Model& model;
  Nodes nodes;
  Replication replication;
  std::int64_t epoch_ms =
      0;  ///< Unix time at which the trace begins, as the clients' clocks show it
  Naming naming{0};
  Pace pace{Pace::Clock::now()};
  Resource resource;
  std::vector<std::uint8_t> choices_left;      ///< of the step under way
  std::deque<sim::Departure> departures_left;  ///< of that
};

}  // namespace lockstep::live
