// Glob patterns as KEYS uses them (Redis 7.0 util.c stringmatchlen): * ? [a-z] [^a] and \ to quote.
#pragma once

#include <string_view>

namespace lockstep::sim {

bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace lockstep::sim
