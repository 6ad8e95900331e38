// Characters as Redis and Lua take them in the C locale: ASCII only.
#pragma once

namespace lockstep::sim {

inline constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace lockstep::sim
