// Whole numbers as bytes, the lowest first, as Redis stores all but some lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// Whether `bits` bits hold the number with its sign.
constexpr bool fits(std::int64_t number, unsigned bits) {
  const std::int64_t rest = number >> (bits - 1);
  return rest == 0 || rest == -1;
}

/// The lowest `width` bytes of `number`.
inline std::string little_endian(std::uint64_t number, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

/// The number without a sign that 1 to 8 bytes are.
inline std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

/// The same, the highest byte first.
inline std::uint64_t from_big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

/// The number with a sign that 1 to 8 bytes are.
inline std::int64_t signed_from_little_endian(std::string_view bytes) {
  const auto unused = static_cast<unsigned>(64 - 8 * bytes.size());
  return static_cast<std::int64_t>(from_little_endian(bytes) << unused) >> unused;
}

}  // namespace lockstep::sim
