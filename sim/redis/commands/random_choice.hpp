// What SRANDMEMBER, HRANDFIELD and ZRANDMEMBER choose. Redis chooses at random; here it is the
// first ones: a choice that Redis could make, the same whenever the keyspace is the same, and one
// that does not need a random state, which would keep apart worlds that are otherwise equal.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::sim {

/// Indexes below `size` (> 0): for a count >= 0 so many different ones, as far as there are; for a
/// negative one exactly -count, repeated in turn. Throws BadInput for more than a million of these.
std::vector<std::size_t> chosen_indexes(std::size_t size, std::int64_t count);

}  // namespace lockstep::sim
