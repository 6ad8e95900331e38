// Whether a run hangs on when it begins: a script that makes the number of a minute of TIME does
// not do on a real server today what it did in the trace.
#pragma once

#include <cstdint>

#include "live/plan.hpp"

namespace lockstep::live {

/// Whether `begun_then`, the same schedule begun at `unix_ms` (ms, on a whole second), goes
/// otherwise than `plan`, which begins at sim::kEpoch: other deeds, replies or keys, Unix times
/// moved along.
bool goes_otherwise(const Plan& plan, const Plan& begun_then, std::int64_t unix_ms);

}  // namespace lockstep::live
