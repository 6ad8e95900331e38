// See near_miss.hpp: edit distance with swaps of neighbours.
#include "sim/base/near_miss.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::sim {
namespace {

/// Of a word that a person may have mistyped: comparing takes time and space by its square.
constexpr std::size_t kLongest = 300;

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1,
                              edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> near_miss(std::string_view word,
                                     const std::vector<std::string>& candidates) {
  std::optional<std::string> nearest;
  if (word.size() > kLongest) return nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t edits = edit_distance(word, candidate);
    if (edits >= least) continue;
    least = edits;
    nearest = candidate;
  }
  return nearest;
}

std::string near_miss_hint(std::string_view word, const std::vector<std::string>& candidates) {
  const auto nearest = near_miss(word, candidates);
  return nearest ? fmt::format(" (did you mean `{}`?)", *nearest) : "";
}

}  // namespace lockstep::sim
