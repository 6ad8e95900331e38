// The same run with shorter times: what takes a minute in the model need not take one on a real
// server.
#pragma once

#include <cstdint>
#include <string>

#include "checker/trace/trace.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::checker {

struct Rescaled {
  std::int64_t divisor = 1;  ///< of every duration that is not the protocol's own
  sim::Model model;
  Trace trace;
};

/// Divides the durations of `model` and of `schedule` by the largest number that leaves the lease
/// a whole number of seconds, at least `least_lease_ms`, and with which the naive explorer is led
/// through the same steps to the same violation; by 1 if there is no other. Throws BadInput if
/// `schedule` is not possible at all; `place` is where it comes from.
Rescaled rescale(const sim::Model& model, const sim::Schedule& schedule,
                 std::int64_t least_lease_ms, const std::string& place);

}  // namespace lockstep::checker
