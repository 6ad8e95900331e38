// A script that does not come to an end.
#pragma once

#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

/// A script that reached its limit on instructions. The fake server takes it for one that never
/// ends; elsewhere it is bad input as any other.
class RunsTooLong : public BadInput {
 public:
  RunsTooLong(const std::string& what, bool has_written, Reply reply_if_killed)
      : BadInput(what), wrote(has_written), killed(std::move(reply_if_killed)) {}
  bool wrote;    ///< it has run a command that may write
  Reply killed;  ///< what its client gets if SCRIPT KILL or FUNCTION KILL ends it at this place
};

}  // namespace lockstep::sim
