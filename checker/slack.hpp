// How close the runs of a check come to the end of a lease: the least over all runs, not only over
// those whose instants a search for violations has to try.
#pragma once

#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::checker {

/// Makes the slack of `result`, which is what explore() found for `model`, exact, if that is
/// possible within `bounds` and few states: asks by bisection whether less than so much is left in
/// some run, each time in a search to which that matters. Throws InternalError if one of them finds
/// a violation.
void settle_slack(const sim::Model& model, Result& result, Bounds bounds,
                  const Progress& progress = {});

}  // namespace lockstep::checker
