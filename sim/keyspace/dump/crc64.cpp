// The checksum that ends what DUMP writes, a byte at a time.
#include "sim/keyspace/dump/crc64.hpp"

#include <array>
#include <cstddef>

namespace lockstep::sim {

namespace {

constexpr std::uint64_t kReflected = 0x95AC'9329'AC4B'C9B5;  // ad93d23594c935a9, bits reversed

constexpr auto kTable = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    std::uint64_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? kReflected : 0);
    table[byte] = rest;
  }
  return table;
}();

}  // namespace

std::uint64_t crc64(std::string_view bytes) {
  std::uint64_t crc = 0;
  for (const char c : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return crc;
}

}  // namespace lockstep::sim
