// What an explorer keeps of a world, as lines of text that are equal where both explorers keep the
// same. Tokens lose their numbers (the engine uses them again), and what one of them keeps only for
// itself is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/naive/rules.hpp"
#include "sim/world/world.hpp"

namespace lockstep::test {

using Lines = std::vector<std::string>;

/// `replica_waits`: some client sends a WAIT, as far as the engine knows.
Lines told(const checker::naive::Rules& rules, const checker::naive::World& world,
           bool replica_waits);
/// With all absolute times later by what the engine has taken from them, at this true time of an
/// absolute run.
Lines told(const sim::World& world, const sim::Id* state, std::int64_t now_ms);

/// The first lines that are not the same; "" if all are.
std::string first_difference(const Lines& engine, const Lines& naive);

}  // namespace lockstep::test
