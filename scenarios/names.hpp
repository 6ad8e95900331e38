// The names of values as a list: for reading them back, and for near misses.
#pragma once

#include <string>
#include <vector>

namespace lockstep::scenarios {

/// The names of `values`, in their order.
template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(name(value));
  return names;
}

}  // namespace lockstep::scenarios
