// Lock protocols whose clients wait at a node for a key: token lists, signal lists, queues in
// sorted sets, with timeouts or without.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

RandomLock random_waiting_lock(std::uint32_t seed);

}  // namespace lockstep::test
