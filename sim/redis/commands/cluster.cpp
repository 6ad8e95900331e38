// Hash slots (Redis 7.0 cluster.c).
#include "sim/redis/commands/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/execute.hpp"

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

std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == key.npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == key.npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

unsigned hash_slot(std::string_view key) {
  constexpr unsigned kSlots = 16384;
  return crc16(hashed_part(key)) % kSlots;
}

std::vector<std::string> key_names_of(const Request& request) {
  std::vector<std::string> names;
  for (const KeyArgument& key : keys_of(request)) names.push_back(request[key.position]);
  return names;
}

namespace {

constexpr std::string_view kAddress = ":6379";
constexpr std::string_view kHost = "redis-";

std::string redirection(const char* word, unsigned slot, const ServerMode& mode) {
  return fmt::format("{} {} {}{}{}", word, slot, kHost, mode.other_node + 1, kAddress);
}

}  // namespace

std::string cluster_refusal(const Keyspace& keyspace, const std::vector<std::string>& keys,
                            bool asking, const ServerMode& mode, WallTime now) {
  if (keys.empty()) return {};
  const unsigned slot = hash_slot(keys[0]);
  const auto in_slot = [&](const std::string& key) { return hash_slot(key) == slot; };
  const auto missing = [&](const std::string& key) {
    const auto found = keyspace.keys.find(key);
    if (found == keyspace.keys.end()) return true;
    return found->second.expires && now > *found->second.expires;
  };
  const auto is_first = [&](const std::string& key) { return key == keys[0]; };
  if (!std::ranges::all_of(keys, in_slot))
    return "CROSSSLOT Keys in request don't hash to the same slot";
  std::string try_again = "TRYAGAIN Multiple keys request during rehashing of slot";
  switch (mode.slots) {
    case Slots::own:
      return {};
    case Slots::migrating:
      if (std::ranges::none_of(keys, missing)) return {};
      return std::ranges::all_of(keys, missing) ? redirection("ASK", slot, mode) : try_again;
    case Slots::importing:
      if (!asking) return redirection("MOVED", slot, mode);
      if (std::ranges::all_of(keys, is_first) || std::ranges::none_of(keys, missing)) return {};
      return try_again;
    case Slots::elsewhere:
      return redirection("MOVED", slot, mode);
  }
  return {};
}

bool is_cluster_refusal(std::string_view error) {
  return error.starts_with("CROSSSLOT ") || error.starts_with("TRYAGAIN ") || redirection_in(error);
}

std::optional<Redirection> redirection_in(std::string_view error) {
  const bool ask = error.starts_with("ASK ");
  if (!ask && !error.starts_with("MOVED ")) return std::nullopt;
  const std::size_t host = error.find(kHost);
  if (host == error.npos || !error.ends_with(kAddress)) return std::nullopt;
  const std::string_view number =
      error.substr(host + kHost.size(), error.size() - host - kHost.size() - kAddress.size());
  if (number.size() != 1 || number[0] < '1' || number[0] > '9') return std::nullopt;
  return Redirection{ask, static_cast<std::uint8_t>(number[0] - '1')};
}

}  // namespace lockstep::sim
