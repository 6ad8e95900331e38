// "Did you mean ...?": the known word that an unknown one is nearest to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim {

/// The candidate nearest to `word`, the first of several; nothing if none is near: more than a
/// third of the letters differ, where two swapped letters count once. A single letter may always
/// differ.
std::optional<std::string> near_miss(std::string_view word,
                                     const std::vector<std::string>& candidates);

/// The same as " (did you mean `it`?)", or "".
std::string near_miss_hint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep::sim
