// Requests that a client asks again and again (docs/semantics.md, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/interner.hpp"
#include "sim/client/program.hpp"
#include "sim/model/action.hpp"

namespace lockstep::sim {

/// A request that time does not wait for: it is on its way, or its answer is.
struct Poll {
  unsigned process = 0;
  Action::Kind kind = Action::Kind::execute;  ///< what would go on with it
  std::uint8_t connection = 0;
  friend bool operator==(const Poll&, const Poll&) = default;
};
using Polls = std::vector<Poll>;

/// What a task asks, and where it stands with that.
struct Asking {
  TaskId task = 0;
  std::uint8_t node = 0;
  Id round = 0;              ///< ProgramState::round
  std::size_t observed = 0;  ///< since the round began
  Id request = 0;            ///< tokens normalised, as in what the node stores
  Id node_state = 0;
  friend bool operator==(const Asking&, const Asking&) = default;
};

/// The way back to where a task stands.
struct WayBack {
  Asking start;
  unsigned needed = 1;  ///< how often it has to come there yet
  unsigned steps = 0;   ///< tried
};

}  // namespace lockstep::sim
