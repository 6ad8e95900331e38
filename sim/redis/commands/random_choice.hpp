// What SPOP, SRANDMEMBER, HRANDFIELD, ZRANDMEMBER and RANDOMKEY choose. Redis chooses at random;
// here it is the first ones, or those that ServerMode::draw_seed decides: a choice that Redis could
// make, the same whenever the keyspace is the same, and one that does not need a random state,
// which would keep apart worlds that are otherwise equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::sim {

struct Call;

/// Indexes below `size` (> 0): for a count >= 0 so many different ones in ascending order, as far
/// as there are; for a negative one exactly -count, with repeats. Throws BadInput for more than a
/// million of these.
///
/// They hang on the seed, the command's name, `size`, and how many keys there are; not on texts:
/// tokens have other names in the naive explorer, and some texts are times.
std::vector<std::size_t> chosen_indexes(const Call& call, std::size_t size, std::int64_t count);

}  // namespace lockstep::sim
