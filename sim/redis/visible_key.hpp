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

using VisibleHash = std::map<std::string, std::string>;
using VisibleList = std::vector<std::string>;
using VisibleSet = std::set<std::string>;
using VisibleSortedSet = std::map<std::string, double>;  ///< member -> score

struct VisibleKey {
  std::variant<std::string, VisibleHash, VisibleList, VisibleSet, VisibleSortedSet> value;
  std::optional<std::int64_t> left_ms;  ///< what is left of its lifetime; nothing: it stays
};

/// All keys of a node, by name.
using VisibleKeys = std::map<std::string, VisibleKey>;

}  // namespace lockstep::sim
