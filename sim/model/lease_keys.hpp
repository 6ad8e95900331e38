// All lease keys of a model.
#pragma once

#include <set>
#include <string>

#include "sim/model/model.hpp"

namespace lockstep::sim {

/// Of all its locks: Program::lease_keys().
std::set<std::string> lease_keys(const Model& model);

}  // namespace lockstep::sim
