// The checksum that ends what DUMP writes.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::sim {

/// CRC-64 as Redis has it (src/crc64.c says: the polynomial of Jones, ad93d23594c935a9, reflected,
/// beginning with 0): of "123456789" it is e9c6d914c4b8d9ca.
std::uint64_t crc64(std::string_view bytes);

}  // namespace lockstep::sim
