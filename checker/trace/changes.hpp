// What a step of a naive world has changed, in words: keys, the resource, clocks, lost requests.
#pragma once

#include <string>
#include <vector>

#include "checker/trace/event.hpp"

namespace lockstep::checker {

/// Only what changed: "lock = A.1, expires in 30000 ms", "lock has expired".
std::vector<std::string> tell_changes(const Event& event);

}  // namespace lockstep::checker
