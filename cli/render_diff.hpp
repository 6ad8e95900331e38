// The printout of `lockstep diff`: how many verdicts changed, and which.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "scenarios/compare.hpp"

namespace lockstep::cli {

/// How many of `differences` are a `change`.
std::size_t count_of(const std::vector<scenarios::Difference>& differences,
                     scenarios::Change change);

/// Headline and the lists of what got weaker, stronger, or changed; `old_one` and `new_one` say
/// what was compared.
void print_differences(std::ostream& out, const std::vector<scenarios::Difference>& differences,
                       const std::string& old_one, const std::string& new_one, bool colours);

}  // namespace lockstep::cli
