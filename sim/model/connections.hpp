// Of which connection an action is, and where a request goes, as a trace tells it: for whoever does
// not keep the world's list of connections (docs/semantics.md, section 1).
#pragma once

#include <cstdint>

#include "sim/client/program.hpp"

namespace lockstep::sim {

/// A connection by what it is for: of one task for one node at most one is open, of those that all
/// tasks share (which have task 0 here) one that takes requests.
struct ConnectionName {
  TaskId task = 0;
  std::uint8_t node = 0;   ///< that its task sends for, or kResource
  bool open = true;        ///< else abandoned
  std::uint8_t place = 0;  ///< among those of its task and node that are open, or are not
  bool listens = false;    ///< a listener's, which takes messages: of its own kind alone
};

/// Where a request to a node goes when it is sent.
struct Departure {
  std::uint8_t server = 0;
  bool broken = false;  ///< its connection turns out to be dead
};

}  // namespace lockstep::sim
