// Whose a number is that is counted in (docs/semantics.md, section 1): what each process has added
// to it is its share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/keyspace/maker.hpp"

namespace lockstep::sim {

/// `sender` has added `by` (nothing: no whole number) to a number that was `before` ("": new, and
/// then made by the sender). A number that its own maker counts in is nobody's from then on: a 1
/// that it counts up from (or a -1, down) was its share, any other number was set for all to count
/// in.
void count_in(Maker& maker, Shares& shares, Maker sender, const std::string& before,
              std::optional<std::int64_t> by);

/// Whether a name has a lock token in it: one of the explored world, or of a live run, whose tokens
/// are 32 hexadecimal digits.
bool bears_token(const std::string& name);

/// A floating-point amount as a whole number, if it is one.
std::optional<std::int64_t> whole_part(long double amount);

}  // namespace lockstep::sim
