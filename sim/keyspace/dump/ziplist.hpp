// Ziplists: the flat lists of Redis before 7.0, which 7.0 still restores.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sim {

/// The elements as texts; nothing if any byte is not as it has to be (Redis 7.0
/// ziplistValidateIntegrity, deep).
std::optional<std::vector<std::string>> ziplist_elements(std::string_view ziplist);

}  // namespace lockstep::sim
