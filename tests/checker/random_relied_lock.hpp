// Locks that several may hold by one key, which who leaves shortens: by too much or not.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

RandomLock random_relied_lock(std::uint32_t seed);

}  // namespace lockstep::test
