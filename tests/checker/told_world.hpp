// What an explorer keeps of a world, as lines of text that are equal where both explorers keep the
// same. Tokens lose their numbers (the engine uses them again), and what one of them keeps only for
// itself is left out.
#pragma once

#include <string>
#include <vector>

#include "checker/naive/rules.hpp"
#include "sim/world/world.hpp"

namespace lockstep::test {

using Lines = std::vector<std::string>;

/// `replica_waits`: some client sends a WAIT, as far as the engine knows.
Lines told(const checker::naive::Rules& rules, const checker::naive::World& world,
           bool replica_waits);
Lines told(const sim::World& world, const sim::Id* state);

/// The first lines that are not the same; "" if all are.
std::string first_difference(const Lines& engine, const Lines& naive);

}  // namespace lockstep::test
