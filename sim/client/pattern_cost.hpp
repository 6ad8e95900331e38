// How long Lua's own pattern matching would take: it cannot be interrupted.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::sim::program {

/// What is done with a pattern.
struct PatternUse {
  std::int64_t first = 0;  ///< where to begin, as an offset into the text
  bool all = false;        ///< every match, not the first one only
};

/// The steps that string.find and its like take for a pattern, at most `most`; a bad pattern ends
/// where Lua says so.
std::int64_t steps_of_pattern(std::string_view text, std::string_view pattern, PatternUse use,
                              std::int64_t most);

}  // namespace lockstep::sim::program
