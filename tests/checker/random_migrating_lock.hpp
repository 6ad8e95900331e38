// Lock protocols of clients of a cluster, whose slots migrate: of one key or two, that deal with
// TRYAGAIN and NOSCRIPT or do not.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

RandomLock random_migrating_lock(std::uint32_t seed);

}  // namespace lockstep::test
