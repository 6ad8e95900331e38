// Hash slots (Redis 7.0 cluster.c).
#include "sim/redis/commands/cluster.hpp"

#include <cstdint>

#include "sim/redis/commands/keys_of.hpp"

namespace lockstep::sim {

namespace {

/// CRC-16/XMODEM: polynomial 0x1021, nothing reflected, starting from 0.
std::uint16_t crc16(std::string_view bytes) {
  std::uint16_t crc = 0;
  for (const char c : bytes) {
    crc = static_cast<std::uint16_t>(crc ^ static_cast<unsigned>(static_cast<unsigned char>(c))
                                               << 8U);
    for (int bit = 0; bit < 8; ++bit) {
      const bool carry = (crc & 0x8000U) != 0;
      crc = static_cast<std::uint16_t>(crc << 1U);
      if (carry) crc ^= 0x1021U;
    }
  }
  return crc;
}

}  // namespace

unsigned hash_slot(std::string_view key) {
  constexpr unsigned kSlots = 16384;
  const std::size_t open = key.find('{');
  if (open != key.npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != key.npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  return crc16(key) % kSlots;
}

std::set<unsigned> slots_of(const Request& request) {
  std::set<unsigned> slots;
  for (const KeyArgument& key : keys_of(request)) {
    slots.insert(hash_slot(request[key.position]));
  }
  return slots;
}

}  // namespace lockstep::sim
