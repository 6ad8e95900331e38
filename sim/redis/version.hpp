// The server that is imitated. A header of its own: the model names it, and needs nothing else of a
// server.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace lockstep::sim {

/// The server that is imitated. In all of them the clock stands still while a command or script
/// runs, as it does from Redis 7.2 on.
enum class ServerVersion : std::uint8_t {
  redis_7_0,
  redis_7_2,
  redis_8_0,
  redis_8_4,
  valkey_8_1,
  valkey_9
};
inline constexpr std::array kServerVersions{ServerVersion::redis_7_0,  ServerVersion::redis_7_2,
                                            ServerVersion::redis_8_0,  ServerVersion::redis_8_4,
                                            ServerVersion::valkey_8_1, ServerVersion::valkey_9};

/// "redis-7.0", as flags, scenarios and protocols name it.
const char* name(ServerVersion);
/// "Redis 7.0".
const char* title(ServerVersion);
/// What the server says of itself: "7.0.15", of a Valkey its own version.
const char* full_name(ServerVersion);
/// The version of Redis that it claims to be compatible with: of a Valkey "7.2.4", of a Redis its
/// own.
const char* redis_version(ServerVersion);
/// A version as scripts read it: "7.0.15" as 0x07000F.
std::int64_t version_number(const char* version);

constexpr bool is_valkey(ServerVersion version) { return version >= ServerVersion::valkey_8_1; }
/// Whether it has what came with Redis 7.2, which all later ones have.
constexpr bool since_72(ServerVersion version) { return version != ServerVersion::redis_7_0; }
/// Whether it has what came after Redis 7.2 and is in all later ones.
constexpr bool after_72(ServerVersion version) { return version >= ServerVersion::redis_8_0; }

/// Some of the servers.
class ServerSet {
 public:
  constexpr ServerSet(std::initializer_list<ServerVersion> versions) {
    for (const ServerVersion version : versions) bits_ |= bit(version);
  }
  constexpr bool has(ServerVersion version) const { return (bits_ & bit(version)) != 0; }
  /// Those in it, in order.
  std::vector<ServerVersion> all() const;

 private:
  static constexpr unsigned bit(ServerVersion version) {
    return 1U << static_cast<unsigned>(version);
  }
  unsigned bits_ = 0;
};

inline constexpr ServerSet kEveryServer{ServerVersion::redis_7_0,  ServerVersion::redis_7_2,
                                        ServerVersion::redis_8_0,  ServerVersion::redis_8_4,
                                        ServerVersion::valkey_8_1, ServerVersion::valkey_9};
inline constexpr ServerSet kValkeys{ServerVersion::valkey_8_1, ServerVersion::valkey_9};
/// They read no hexadecimal scores, and the others in the next set no hexadecimal bounds of scores.
inline constexpr ServerSet kDecimalScores{ServerVersion::valkey_9};
inline constexpr ServerSet kDecimalBounds{ServerVersion::redis_8_0, ServerVersion::redis_8_4,
                                          ServerVersion::valkey_9};
/// SET ... IFEQ.
inline constexpr ServerSet kHaveSetIfeq{ServerVersion::redis_8_4, ServerVersion::valkey_8_1,
                                        ServerVersion::valkey_9};
/// SET ... IFNE, DELEX.
inline constexpr ServerSet kHaveDelex{ServerVersion::redis_8_4};
inline constexpr ServerSet kHaveDelifeq{ServerVersion::valkey_9};

/// "redis-8.4", "redis-8.4 and valkey-9", "redis-8.0, redis-8.4 and valkey-9".
std::string in_words(const ServerSet& servers);

}  // namespace lockstep::sim
