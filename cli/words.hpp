// One sentence for each fault, property and witness: what `lockstep list` says.
#pragma once

#include <string>

#include "sim/model/model.hpp"

namespace lockstep::cli {

std::string described(sim::Fault fault);
std::string described(sim::Property property);
std::string described(sim::Witness witness);

/// "mutual-exclusion" as a headline has it: "mutual exclusion".
std::string spoken(sim::Property property);
/// "1 pause", "2 delays": a fault with its number.
std::string counted(sim::Fault fault, int count);
/// "1,234,567".
std::string grouped(std::uint64_t number);
/// "3 steps", "1 step".
std::string plural(std::uint64_t number, const std::string& noun);

}  // namespace lockstep::cli
