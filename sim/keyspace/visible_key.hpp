// One key of a node as anybody who asks the server can read it: plain data that traces and live
// runs share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::sim {

struct Entry;

using VisibleHash = std::map<std::string, std::string>;
using VisibleList = std::vector<std::string>;
using VisibleSet = std::set<std::string>;
using VisibleSortedSet = std::map<std::string, double>;  ///< member -> score

using VisibleValue =
    std::variant<std::string, VisibleHash, VisibleList, VisibleSet, VisibleSortedSet>;

struct VisibleKey {
  VisibleValue value;
  std::optional<std::int64_t> left_ms;  ///< what is left of its lifetime; nothing: it stays
};

/// All keys of a node, by name.
using VisibleKeys = std::map<std::string, VisibleKey>;

/// Without who made it, and when it expires.
VisibleValue visible(const Entry& entry);

}  // namespace lockstep::sim
