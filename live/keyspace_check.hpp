// What the servers of a replay hold, and what the trace says: compared after each step of theirs,
// and time passes so that the same keys have expired.
#pragma once

#include <cstdint>
#include <vector>

#include "live/plan.hpp"
#include "live/stage.hpp"
#include "sim/keyspace/visible_key.hpp"

namespace lockstep::live {

class KeyspaceCheck {
 public:
  /// `stage` outlives it.
  KeyspaceCheck(Stage& stage, bool ends_are_over)
      : stage_(stage), ends_are_over_(ends_are_over), expected_(stage.nodes.count()) {}

  /// The keys that the trace has on a server must not be about to expire. Throws Stopped.
  void expect_time_left(std::uint8_t server);
  /// Lets time pass.
  void pass(const PlanStep& step);
  /// Each server that is up must hold what it does after this step. Throws Stopped.
  void compare(const PlanStep& step);
  /// They hold something else already: what the trace tells in its next steps.
  void forget() { expected_.assign(expected_.size(), {}); }

 private:
  sim::VisibleKeys keys(std::uint8_t server);
  sim::VisibleKeys told(const PlanStep& step, std::uint8_t server) const;
  bool outlived(const PlanStep& step);

  Stage& stage_;
  bool ends_are_over_;                      ///< Plan's
  std::vector<sim::VisibleKeys> expected_;  ///< of each server, after the step before
};

}  // namespace lockstep::live
