// The end of an error line that names an unknown word: the near one, or what is possible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::scenarios {

/// "; did you mean `pause`?", or without a near miss "; possible here: a, b, c" (of many the dozen
/// whose names have most words in common with it).
/// For the end of an error line.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep::scenarios
