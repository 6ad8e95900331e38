// See render_grid.hpp.
#include "cli/render_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::cli {

namespace {

/// A `|` would end a cell.
std::string markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace

void print_text(std::ostream& out, const Grid& grid) {
  std::size_t first = grid.corner.size();
  for (const auto& row : grid.rows) first = std::max(first, row.size());
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    widths.push_back(grid.columns[column].size());
    for (const auto& row : grid.cells)
      widths[column] = std::max(widths[column], row[column].size());
  }
  const auto line = [&](const std::string& name, const std::vector<std::string>& cells) {
    out << fmt::format("{:<{}}", name, first);
    for (std::size_t i = 0; i < cells.size(); ++i)
      out << fmt::format("  {:>{}}", cells[i], widths[i]);
    out << '\n';
  };
  line(grid.corner, grid.columns);
  for (std::size_t row = 0; row < grid.rows.size(); ++row) line(grid.rows[row], grid.cells[row]);
}

void print_markdown(std::ostream& out, const Grid& grid) {
  const auto line = [&](const std::string& name, const std::vector<std::string>& cells) {
    out << "| " << markdown(name) << " |";
    for (const auto& cell : cells) out << ' ' << markdown(cell) << " |";
    out << '\n';
  };
  line(grid.corner, grid.columns);
  out << "|---|";
  for (std::size_t i = 0; i < grid.columns.size(); ++i) out << "---:|";
  out << '\n';
  for (std::size_t row = 0; row < grid.rows.size(); ++row) line(grid.rows[row], grid.cells[row]);
}

}  // namespace lockstep::cli
