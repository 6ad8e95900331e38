// See suggest.hpp.
#include "scenarios/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sim/base/near_miss.hpp"

namespace lockstep::scenarios {

namespace {

constexpr std::size_t kMostShown = 12;

/// How many of the words of a name, which - parts, another one has, too; its beginning counts more.
std::size_t shared_words(std::string_view name, std::string_view other) {
  std::size_t shared = 0;
  std::size_t begin = 0;
  bool so_far = true;
  while (begin <= name.size()) {
    const auto end = std::min(name.find('-', begin), name.size());
    const auto word = name.substr(begin, end - begin);
    const bool has = !word.empty() && other.find(word) != std::string_view::npos;
    so_far = so_far && other.starts_with(name.substr(0, end));
    shared += (has ? 1U : 0U) + (so_far ? 1U : 0U);
    begin = end + 1;
  }
  return shared;
}

/// All, or of many the dozen that has most in common with the word, in their order.
std::vector<std::string> nearest(std::string_view word, std::vector<std::string> candidates) {
  if (candidates.size() <= kMostShown) return candidates;
  std::ranges::stable_sort(candidates, std::greater{}, [&](const std::string& candidate) {
    return shared_words(word, candidate);
  });
  candidates.resize(kMostShown);
  return candidates;
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = sim::near_miss(word, candidates))
    return fmt::format("; did you mean `{}`?", *near);
  if (candidates.empty()) return "";
  const auto shown = nearest(word, candidates);
  return fmt::format("; possible here: {}{}", fmt::join(shown, ", "),
                     shown.size() < candidates.size()
                         ? fmt::format(", and {} more", candidates.size() - shown.size())
                         : "");
}

}  // namespace lockstep::scenarios
