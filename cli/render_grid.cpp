// See render_grid.hpp.
#include "cli/render_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/escaped.hpp"

namespace lockstep::cli {

namespace {

constexpr std::size_t kGap = 2;  ///< between columns

}  // namespace

void print_text(std::ostream& out, const Grid& grid, std::size_t most) {
  std::size_t first = grid.corner.size();
  for (const auto& row : grid.rows) first = std::max(first, row.size());
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    widths.push_back(grid.columns[column].size());
    for (const auto& row : grid.cells)
      widths[column] = std::max(widths[column], row[column].size());
  }
  const auto end_of_part = [&](std::size_t begin) {
    std::size_t end = begin, used = first;
    while (end < widths.size() && (most == 0 || end == begin || used + kGap + widths[end] <= most))
      used += kGap + widths[end++];
    return end;
  };
  for (std::size_t begin = 0, end = 0; begin < widths.size(); begin = end) {
    end = end_of_part(begin);
    const auto line = [&](const std::string& name, const std::vector<std::string>& cells) {
      out << fmt::format("{:<{}}", name, first);
      for (std::size_t i = begin; i < end; ++i)
        out << fmt::format("{:>{}}", cells[i], kGap + widths[i]);
      out << '\n';
    };
    if (begin > 0) out << '\n';
    line(grid.corner, grid.columns);
    for (std::size_t row = 0; row < grid.rows.size(); ++row) line(grid.rows[row], grid.cells[row]);
  }
}

void print_markdown(std::ostream& out, const Grid& grid) {
  const auto line = [&](const std::string& name, const std::vector<std::string>& cells) {
    out << "| " << markdown_escaped(name) << " |";
    for (const auto& cell : cells) out << ' ' << markdown_escaped(cell) << " |";
    out << '\n';
  };
  line(grid.corner, grid.columns);
  out << "|---|";
  for (std::size_t i = 0; i < grid.columns.size(); ++i) out << "---:|";
  out << '\n';
  for (std::size_t row = 0; row < grid.rows.size(); ++row) line(grid.rows[row], grid.cells[row]);
}

}  // namespace lockstep::cli
