// What a step of a process makes of the clocks: at which readings it would have done something
// else, and which durations it works out from them. Found by running the same step at other
// readings (docs/semantics.md, section 4); nothing is guessed from the program's text.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "sim/client/program.hpp"

namespace lockstep::sim {

struct Reply;

struct ClockUse {
  std::set<std::int64_t> ages;      ///< of an instant: the first one with which the step differs
  std::set<std::int64_t> replies;   ///< whole numbers of a reply: the last one before it differs
  std::set<std::int64_t> made;      ///< how far an absolute time that it makes lies after the clock
  std::set<std::int64_t> met;       ///< how far after a time that it has heard of it turns
  std::set<std::int64_t> computed;  ///< durations that it works out
  std::set<std::int64_t> durations;  ///< what each of those is at age 0
  bool all = true;                   ///< false: it turns more often than could be found out
  bool explained = true;  ///< false: it turns at a time that nothing it has heard of decides
};

/// Looks at the last observation of `path`, which `step` came of. `tells_clock`: whether a reply
/// may come from a node's clock.
class ClockUses {
 public:
  ClockUses(const Program& program, std::function<bool(const Reply&)> tells_clock)
      : program_(program), tells_clock_(std::move(tells_clock)) {}

  void look_at(const ProcessSetup& setup, const std::string& snapshot,
               std::span<const Observation> path, const Step& step, ClockUse& use);

 private:
  friend class Look;
  const Program& program_;
  std::function<bool(const Reply&)> tells_clock_;
  std::set<std::string> known_;  ///< steps that were looked at, but for what is varied
};

}  // namespace lockstep::sim
