// Lock protocols whose clients and scripts look at clocks, work with what they see and compare it:
// from a seed, the same ones every time. Durations are a few units of so many milliseconds; with
// few, every instant can be tried.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// `rounds`: numbers may also be rounded, which with another unit makes another protocol of it.
/// `absolute`: something may look at absolute time.
RandomLock random_timed_lock(std::uint32_t seed, std::int64_t unit_ms, bool rounds,
                             bool absolute = true);

/// What its clients see on clocks is marked, and an invariant says that nothing is: each instant
/// that one explorer does not know makes another verdict, or another length.
RandomLock random_marking_lock(std::uint32_t seed, std::int64_t unit_ms, bool rounds,
                               bool absolute);

/// With clocks that are much too fast or too slow; few look at absolute time.
RandomLock random_drifting_lock(std::uint32_t seed);

}  // namespace lockstep::test
