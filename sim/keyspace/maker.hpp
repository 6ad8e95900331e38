// Who made what a keyspace holds.
#pragma once

#include <cstdint>

namespace lockstep::sim {

/// Who made a key, a field, an element or a member: process index + 1, or 0 for nobody (a former
/// incarnation, or no process at all).
using Maker = std::uint8_t;
constexpr Maker maker_of(std::uint8_t process) { return static_cast<Maker>(process + 1); }

}  // namespace lockstep::sim
