// What a client sends to a node.
#pragma once

#include <string>
#include <vector>

namespace lockstep::sim {

/// A command and its arguments, binary safe, as they would be sent to Redis.
using Request = std::vector<std::string>;

}  // namespace lockstep::sim
