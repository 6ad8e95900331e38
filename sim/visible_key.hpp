// One key of a node as anybody who asks the server can read it: plain data that traces and live
// runs share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace lockstep::sim {

struct VisibleKey {
  std::variant<std::string, std::map<std::string, std::string>> value;  ///< a string, or a hash
  std::optional<std::int64_t> left_ms;  ///< what is left of its lifetime; nothing: it stays
};

/// All keys of a node, by name.
using VisibleKeys = std::map<std::string, VisibleKey>;

}  // namespace lockstep::sim
