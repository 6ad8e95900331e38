// Names and numbers as printouts say them.
#pragma once

#include <cstdint>
#include <string>

#include "sim/model/faults.hpp"
#include "sim/model/properties.hpp"

namespace lockstep::cli {

/// "mutual-exclusion" as a headline has it: "mutual exclusion".
std::string spoken(sim::Property property);
/// "1 pause", "2 delayed messages": a fault with its number.
std::string counted(sim::Fault fault, int count);
/// "1,234,567".
std::string grouped(std::uint64_t number);
/// "3 steps", "1 step".
std::string plural(std::uint64_t number, const std::string& noun);

}  // namespace lockstep::cli
