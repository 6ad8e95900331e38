// Dumps for RESTORE, and when two dumps count as equal.
#pragma once

#include <string>

#include "conform/dice.hpp"

namespace lockstep::sim {
struct Reply;
}

namespace lockstep::conform {

/// What a small random value of any type dumps to; now and then damaged, with a checksum that shows
/// it.
std::string random_dump(Dice& dice);

/// Whether the replies are dumps of the same value: in any order if one is of a hash table, and
/// however its past has left it packed.
bool same_values(const sim::Reply& dump, const sim::Reply& other);

}  // namespace lockstep::conform
