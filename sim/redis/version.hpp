// The Redis that is imitated. A header of its own: the model names it, and needs nothing else of a
// server.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::sim {

/// The Redis that is imitated. 7.2 differs in how redis.call writes numbers, in which commands a
/// script may call, in what it calls itself, and in commands that are refused by name. In both the
/// clock stands still while a command or script runs, as it does in 7.2.
enum class RedisVersion : std::uint8_t { v7_0, v7_2 };
inline constexpr std::array kRedisVersions{RedisVersion::v7_0, RedisVersion::v7_2};
/// "7.0", "7.2".
const char* name(RedisVersion);
/// What the server says of itself: "7.0.15".
const char* full_name(RedisVersion);

}  // namespace lockstep::sim
