// What a process sees: one observation is what happens to one of its tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/client/program.hpp"
#include "sim/redis/shared_reply.hpp"

namespace lockstep::sim {

/// Something that happens to one task. `run` also lets a task go on that waits for nothing
/// (Wait::runnable).
struct Observation {
  enum class Kind : std::uint8_t {
    begin,    ///< a main task begins its next round
    run,      ///< a runnable task runs
    reply,    ///< the reply of the task's outstanding request to `node`
    broken,   ///< a connection error instead of that reply
    timeout,  ///< the request timeout of the task's call fired: all its outstanding requests are
              ///< given up
    timer     ///< its sleep, or its work, is over
  };
  Kind kind = Kind::begin;
  TaskId task = 0;
  std::uint8_t node = 0;  ///< reply, broken
  SharedReply reply;      ///< reply
  std::vector<std::string>
      answers;  ///< to the queries that the process asked during this step, in order (see Query)
  std::uint16_t cut = 0;   ///< the step ends at its cut of this number (Step::cuts); 0: at none
  bool by_access = false;  ///< Cut::access counts, too
  friend bool operator==(const Observation&, const Observation&) = default;
};

}  // namespace lockstep::sim
