// Lock protocols whose holder has a task of its own beside its work, while a pause may stop both:
// from a seed, the same ones every time.
#pragma once

#include <cstdint>

#include "tests/checker/random_lock.hpp"

namespace lockstep::test {

/// What is seen of a holder's tasks and of the end of its work is marked, and an invariant says
/// that nothing is: each instant that one explorer does not know makes another verdict, or another
/// length. Durations are a few times `unit_ms`, some of them 1 ms off.
RandomLock random_watched_lock(std::uint32_t seed, std::int64_t unit_ms);

}  // namespace lockstep::test
