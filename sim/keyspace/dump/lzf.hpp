// LZF, by which Redis compresses the longer strings of a dump: runs of literal bytes, and
// references to what came at most 8 KB before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// The bytes that liblzf 3.6 makes of `bytes` when it has room for `room` of them (its settings in
/// Debian and in Redis: VERY_FAST, 2^16 slots); nothing if they do not fit. liblzf begins with
/// whatever its stack held as its table and might find more in it; here the table is empty.
std::optional<std::string> lzf_compressed(std::string_view bytes, std::size_t room);

/// At most so many bytes can one compressed byte stand for: 264 in a reference of 3.
inline constexpr std::size_t kMostLzfExpansion = 88;

/// What was compressed, of which it is known to be `size` bytes; nothing if that cannot be.
std::optional<std::string> lzf_expanded(std::string_view compressed, std::size_t size);

}  // namespace lockstep::sim
