// Locks that several may hold by one key, which who leaves shortens: by too much or not.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// With durations of a few of `unit_ms`.
RandomLock random_relied_lock(std::uint32_t seed, std::int64_t unit_ms = 1);

}  // namespace lockstep::test
