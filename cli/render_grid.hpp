// A table of short cells, as text in columns or as Markdown.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace lockstep::cli {

struct Grid {
  std::string corner;  ///< what stands above the names of the rows
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<std::string>> cells;  ///< by row, then column
};

/// Columns as wide as they need to be, aligned to the right, the names of the rows to the left.
/// Where that is wider than `most` (0: nothing is), in parts one below the other.
void print_text(std::ostream& out, const Grid& grid, std::size_t most = 0);
/// GitHub's Markdown.
void print_markdown(std::ostream& out, const Grid& grid);

}  // namespace lockstep::cli
