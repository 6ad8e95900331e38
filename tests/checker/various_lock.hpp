// Locks that no dice write, each for something that few locks do, in worlds that are drawn.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// How many locks there are.
std::size_t various_locks();

/// Whether somebody looks at absolute time.
bool is_absolute(std::size_t lock);

/// Whether both faults can befall the lock of this number.
bool fit(std::size_t lock, sim::Fault one, sim::Fault other);

/// The lock of this number in a world in which both faults may happen twice.
RandomLock various_lock(std::size_t lock, sim::Fault one, sim::Fault other, std::uint32_t seed);

}  // namespace lockstep::test
