// Semaphores: marks that clients leave and count, in one request or in several.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// With durations of a few ms.
RandomLock random_permits_lock(std::uint32_t seed);

}  // namespace lockstep::test
