// What all client processes of a replay share: the servers, the time, the names of tokens, the
// resource; and how a replay ends early.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "live/migration.hpp"
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

/// Looks again and again, for a second or so, whether a server has come to what it was made to do.
template <class There>
bool comes_true(const There& there) {
  constexpr int kMostLooks = 500;
  constexpr std::chrono::milliseconds kUntilNextLook{2};
  for (int look = 0; !there(); ++look) {
    if (look == kMostLooks) return false;
    std::this_thread::sleep_for(kUntilNextLook);
  }
  return true;
}

struct Stage {
  /// `slots`: those that migrate, if any do. `waits`: some request is a WAIT.
  Stage(const sim::Model& simulated, const std::vector<RunningServer>& servers,
        Observer::Names names, std::set<unsigned> slots, bool waits)
      : model(simulated),
        nodes(servers, std::move(names)),
        replication(model, nodes, waits),
        resource(model.resource) {
    if (sim::servers_of(model).spare > 0) migration.emplace(nodes, std::move(slots));
  }

  /// Where the clients' nodes are now.
  std::vector<Address> addresses() const {
    return migration ? std::vector{nodes.address(migration->owner())} : replication.addresses();
  }

  const sim::Model& model;
  Nodes nodes;
  Replication replication;
  std::optional<Migration> migration;
  std::int64_t epoch_ms =
      0;  ///< Unix time at which the trace begins, as the clients' clocks show it
  Naming naming{0};
  Pace pace{Pace::Clock::now()};
  Resource resource;
  std::vector<std::uint8_t> choices_left;      ///< of the step under way
  std::deque<sim::Departure> departures_left;  ///< of that
};

}  // namespace lockstep::live
