// Matrices for people: several protocols by condition, or one protocol's conditions by property.
#pragma once

#include <cstddef>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "scenarios/matrix.hpp"

namespace lockstep::cli {

/// How a table is printed.
struct TableLook {
  bool markdown = false;
  std::size_t columns = 0;  ///< of the terminal, into which text is folded; 0: of any width
};

/// A protocol a row; a cell is the first violation of any of `properties`, or what the search of
/// them came to.
void print_overview(std::ostream& out, const std::vector<scenarios::Matrix>& matrices,
                    const std::set<sim::Property>& properties, TableLook look);

/// A protocol a row, a property a column; a cell says under how many of the conditions it is
/// violated.
void print_breaks(std::ostream& out, const std::vector<scenarios::Matrix>& matrices,
                  TableLook look);

/// A condition a row, a property a column; without the conditions that need a re-entrant lock if
/// it is not.
void print_matrix(std::ostream& out, const scenarios::Matrix& matrix, TableLook look);

/// "violated, 9 steps", "holds", "cannot happen": a verdict in words.
std::string in_words(const scenarios::Finding& finding);

}  // namespace lockstep::cli
