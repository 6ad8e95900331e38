// Hashes and sets keep the order in which their parts were added, as a position in each part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// Removes a field or member and closes the gap in the order; false if it is not there.
template <class Parts>
bool erase_part(Parts& parts, const std::string& name) {
  const auto it = parts.find(name);
  if (it == parts.end()) return false;
  const std::uint32_t position = it->second.position;
  parts.erase(it);
  for (auto& [other, part] : parts) {
    if (part.position > position) --part.position;
  }
  return true;
}

/// The fields or members in the order of their positions; valid until the parts change.
template <class Parts>
std::vector<const typename Parts::value_type*> by_position(const Parts& parts) {
  std::vector<const typename Parts::value_type*> order(parts.size());
  for (const auto& item : parts) order[item.second.position] = &item;
  return order;
}

}  // namespace lockstep::sim
