// See suggest.hpp.
#include "scenarios/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/near_miss.hpp"

namespace lockstep::scenarios {

namespace {
constexpr std::size_t kMostShown = 12;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = sim::near_miss(word, candidates))
    return fmt::format("; did you mean `{}`?", *near);
  if (candidates.empty()) return "";
  const auto shown = std::min(candidates.size(), kMostShown);
  return fmt::format(
      "; possible here: {}{}",
      fmt::join(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < candidates.size() ? fmt::format(", and {} more", candidates.size() - shown) : "");
}

}  // namespace lockstep::scenarios
