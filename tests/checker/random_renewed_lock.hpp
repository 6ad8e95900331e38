// Locks with a watchdog and deadlines: timers that go round, are set anew and stopped, beside
// operations that may be under way for long.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// With durations of a few times `unit_ms`.
RandomLock random_renewed_lock(std::uint32_t seed, std::int64_t unit_ms = 1);

}  // namespace lockstep::test
