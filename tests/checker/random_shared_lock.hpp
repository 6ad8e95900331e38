// Lock protocols with a shared mode, and clients that read, write, or do both at once.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

RandomLock random_shared_lock(std::uint32_t seed);

}  // namespace lockstep::test
