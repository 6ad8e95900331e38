// The clients that are asked whether anybody could still acquire a lock, in the model and on real
// servers.
#pragma once

#include <vector>

#include "sim/client/setup.hpp"

namespace lockstep::sim {

/// Clients that do nothing but lock, again and again: one for each lock in a workload, with the
/// lease and the settings of the process whose it is; equal ones once.
std::vector<ProcessSetup> fresh_clients(const std::vector<ProcessSetup>& processes);

}  // namespace lockstep::sim
