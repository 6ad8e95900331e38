// What clients do in a live run or replay, in the words of a trace (sim/model/wording.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "sim/client/program.hpp"
#include "sim/model/model.hpp"

namespace lockstep::live {

/// "redis-2", or, of a model with one server, "redis".
std::string worded_node(const sim::Model& model, std::uint8_t node);

/// "EVAL release.lua 1 lock A.1", or of the resource "WRITE with fencing token 3".
std::string worded_to(const sim::Model& model, const sim::Request& request, std::uint8_t node);

/// "sends SET lock A.1 NX PX 30000", "does not get the lock".
std::string worded_of(const sim::Model& model, std::uint8_t process, const sim::Effect& effect);

}  // namespace lockstep::live
