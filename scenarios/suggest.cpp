// Near misses by edit distance (optimal string alignment).
#include "scenarios/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::scenarios {

namespace {
constexpr std::size_t kMostShown = 12;
}

int edit_distance(std::string_view a, std::string_view b) {
  const auto columns = b.size() + 1;
  std::vector<int> before_last(columns), last(columns), row(columns);
  for (std::size_t j = 0; j < columns; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last.back();
}

std::optional<std::string> near_miss(std::string_view word,
                                     const std::vector<std::string>& candidates) {
  std::optional<std::string> nearest;
  int least = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = near_miss(word, candidates))
    return fmt::format("; did you mean `{}`?", *near);
  if (candidates.empty()) return "";
  const auto shown = std::min(candidates.size(), kMostShown);
  return fmt::format(
      "; possible here: {}{}",
      fmt::join(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < candidates.size() ? fmt::format(", and {} more", candidates.size() - shown) : "");
}

}  // namespace lockstep::scenarios
