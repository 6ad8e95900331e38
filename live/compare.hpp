// Compares what really happened with what a trace says; a difference in words, or nothing. What is
// found has been named as the trace names it (Naming).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/client/program.hpp"
#include "sim/redis/visible_key.hpp"

namespace lockstep::live {

/// Remaining lifetimes among the integers of a reply to `request` may differ by `tolerance_ms`.
std::optional<std::string> reply_difference(const sim::Request& request, const sim::Reply& expected,
                                            const sim::Reply& found, std::int64_t tolerance_ms);

std::optional<std::string> effects_difference(const std::vector<sim::Effect>& expected,
                                              const std::vector<sim::Effect>& found);

/// `early`: the difference is only that a key is gone which had less than `tolerance_ms` and a
/// margin left: the machine was too slow.
struct KeysDifference {
  std::string text;
  bool early = false;
};
std::optional<KeysDifference> keys_difference(const sim::VisibleKeys& expected,
                                              const sim::VisibleKeys& found,
                                              std::int64_t tolerance_ms);

/// "lock = A.1, expires in 996 ms", as messages show it.
std::string shown(const std::string& name, const sim::VisibleKey& key);
std::string shown(const sim::Reply& reply);
std::string shown(const sim::Effect& effect);

}  // namespace lockstep::live
