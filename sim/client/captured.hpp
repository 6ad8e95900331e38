// Local variables that functions share: one that a function inside another has captured from around
// it may be changed by another task.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/client/text.hpp"

namespace lockstep::sim::program {

/// The words of a Lua text at which a variable is used that functions share, and that is assigned
/// to after its declaration; those of the file itself, which no process may change, are left out.
/// `is_target` says which words are assigned to. Where names hide each other it may be one too
/// many.
std::vector<std::size_t> uses_of_shared_variables(
    const std::vector<Word>& words, const std::function<bool(std::size_t)>& is_target);

}  // namespace lockstep::sim::program
