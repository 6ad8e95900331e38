// The near name for a misspelt one: "did you mean `pause`?".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::scenarios {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, the first of several; nothing if none is near (more than a
/// third of the letters differ).
std::optional<std::string> near_miss(std::string_view word,
                                     const std::vector<std::string>& candidates);

/// "; did you mean `pause`?", or without a near miss "; possible here: a, b, c" (the first dozen).
/// For the end of an error line.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep::scenarios
