// Up to which size Redis 7.0 stores a value compactly, by default.
#pragma once

#include <cstddef>

namespace lockstep::sim {

inline constexpr std::size_t kMostListpackFields = 512;    ///< hash-max-listpack-entries
inline constexpr std::size_t kLongestListpackField = 64;   ///< hash-max-listpack-value
inline constexpr std::size_t kLargestIntset = 512;         ///< set-max-intset-entries
inline constexpr std::size_t kMostListpackMembers = 128;   ///< zset-max-listpack-entries
inline constexpr std::size_t kLongestListpackMember = 64;  ///< zset-max-listpack-value
inline constexpr std::size_t kLargestListNode = 8192;      ///< list-max-listpack-size -2: bytes

}  // namespace lockstep::sim
