// Matrices for people: several protocols by condition, or one protocol's conditions by property.
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "scenarios/matrix.hpp"

namespace lockstep::cli {

/// A protocol a row; a cell is the first violation of any of `properties`, or what the search of
/// them came to.
void print_overview(std::ostream& out, const std::vector<scenarios::Matrix>& matrices,
                    const std::set<sim::Property>& properties, bool markdown);

/// A condition a row, a property a column; without the conditions that need a re-entrant lock if
/// it is not.
void print_matrix(std::ostream& out, const scenarios::Matrix& matrix, bool markdown);

/// "violated, 9 steps", "holds", "cannot happen": a verdict in words.
std::string in_words(const scenarios::Finding& finding);

}  // namespace lockstep::cli
