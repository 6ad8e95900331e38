// Random locks on nodes that have replicas: with failovers, late replicas, WAIT, and reads of
// replicas.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// From a seed, the same every time; durations of a few milliseconds, in steps of 1 ms.
RandomLock random_replicated_lock(std::uint32_t seed);

}  // namespace lockstep::test
