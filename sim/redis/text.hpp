// Requests and replies as redis-cli reads and shows them.
#pragma once

#include <string>
#include <string_view>

#include "sim/redis/request.hpp"

namespace lockstep::sim {

struct Reply;

/// Splits a line into arguments as redis-cli does: "..." with \n \r \t \b \a \" \\ \xHH, '...' with
/// \'. Throws BadInput for a quote that is not closed, or that something follows.
Request split_line(std::string_view line);

/// A line that split_line reads as `request`, quoted where it must be.
std::string line_of(const Request& request);

/// A reply as redis-cli shows it on a terminal, without a line break at its end.
std::string shown(const Reply& reply);

/// "..." with what cannot be printed escaped, as redis-cli shows a bulk string.
std::string quoted(std::string_view bytes);

}  // namespace lockstep::sim
