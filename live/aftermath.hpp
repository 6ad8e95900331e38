// What a violation says of what comes after the last step of a trace, looked at on the real
// servers: that nobody can acquire any more, or that a task goes on for ever.
#pragma once

#include <memory>
#include <vector>

#include "live/plan.hpp"
#include "live/replay.hpp"
#include "live/replayed_process.hpp"

namespace lockstep::live {

/// Says in `result` what is seen, where the plan's violation is about what comes after it.
void look_at_aftermath(const Plan& plan, Stage& stage,
                       const std::vector<std::unique_ptr<ReplayedProcess>>& processes,
                       Confirmation& result);

}  // namespace lockstep::live
