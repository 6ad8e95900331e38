// See the header.
#include "sim/model/fresh_clients.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {

std::vector<ProcessSetup> fresh_clients(const std::vector<ProcessSetup>& processes) {
  std::vector<ProcessSetup> found;
  for (const ProcessSetup& process : processes) {
    for (const WorkStep& step : process.workload) {
      if (step.kind != WorkStep::Kind::lock) continue;
      ProcessSetup fresh = process;
      fresh.workload = {{WorkStep::Kind::lock, step.lock, 0}};
      fresh.rounds = 0;
      fresh.threads = 1;
      if (std::ranges::find(found, fresh) == found.end()) found.push_back(std::move(fresh));
    }
  }
  return found;
}

}  // namespace lockstep::sim
