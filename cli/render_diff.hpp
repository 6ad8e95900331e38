// The printout of `lockstep diff`, or its comment: how many verdicts changed, and which.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "scenarios/compare.hpp"

namespace lockstep::cli {

/// How many of `differences` are a `change`.
std::size_t count_of(const std::vector<scenarios::Difference>& differences,
                     scenarios::Change change);

/// What was compared, in words.
struct Compared {
  std::string old_one, new_one;
  std::vector<std::string> notes;  ///< what was not compared, or is not shown, and why
};

/// Headline, the lists of what got weaker, stronger, or changed, and the notes.
void print_differences(std::ostream& out, const std::vector<scenarios::Difference>& differences,
                       const Compared& compared, bool colours);

/// The same as a comment on a pull request.
std::string as_markdown(const std::vector<scenarios::Difference>& differences,
                        const Compared& compared);

}  // namespace lockstep::cli
