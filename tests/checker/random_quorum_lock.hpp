// Random locks that are kept on two or three nodes: Redlock, and what people leave out of it.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// From a seed, the same every time; durations of a few milliseconds, in steps of 1 ms.
RandomLock random_quorum_lock(std::uint32_t seed);

}  // namespace lockstep::test
