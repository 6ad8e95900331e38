// Numbers as Redis 7.2 writes those that a script gives to redis.call.
#pragma once

#include <string>

namespace lockstep::sim {

/// A whole number in plain digits, as far as half the 64-bit range; else the fewest digits that
/// read back as the same number, laid out as Redis's fpconv does.
std::string shortest_number(double number);

}  // namespace lockstep::sim
