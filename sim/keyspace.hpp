// Everything that one Redis server remembers, as a value: keys with their expiry and who made them,
// the script cache, and what scripts leave behind: random generator, settings of cjson. Equal
// keyspaces behave equally.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sim/dialect/json_settings.hpp"
#include "sim/time.hpp"

namespace lockstep::sim {

/// Who made a key or a field: process index + 1, or 0 for nobody (a former incarnation, or no
/// process at all).
using Maker = std::uint8_t;

struct HashField {
  std::string value;
  Maker maker = 0;
  std::uint32_t position =
      0;  ///< 0..n-1: order of insertion, which is the order of HGETALL (Redis's listpack)
  friend bool operator==(const HashField&, const HashField&) = default;
};
using Hash = std::map<std::string, HashField, std::less<>>;

struct Entry {
  std::variant<std::string, Hash> value;
  std::optional<WallTime>
      expires;      ///< on the node's wall clock; readable at this instant, gone 1 ms later
  Maker maker = 0;  ///< who created the key, or overwrote it last (SET, GETSET, ...)
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// Redis's own drand48 clone starts from this state in every server (src/rand.c, 7.0).
inline constexpr std::uint64_t kInitialScriptRandom = 0x1234'ABCD'330EULL;

struct Keyspace {
  std::map<std::string, Entry, std::less<>> keys;
  std::map<std::string, std::string, std::less<>>
      scripts;  ///< the script cache: lower-case SHA-1 -> body
  std::uint64_t script_random = kInitialScriptRandom;
  dialect::JsonSettings script_json;  ///< what scripts have set on cjson

  friend bool operator==(const Keyspace&, const Keyspace&) = default;

  /// The entry of `key` if it exists and is not expired at `now` (expired iff now > expires, as
  /// Redis 7.0 db.c keyIsExpired), else null.
  const Entry* find(std::string_view key, WallTime now) const;
  /// Drops every key that is expired at `now`.
  void purge(WallTime now);
  /// Moves every expiry by `by` (used to store times relative to now, and for clock jumps).
  void shift_expiry(Duration by);
  /// Empties the script cache, with what scripts have set on their libraries (SCRIPT FLUSH).
  void forget_scripts() {
    scripts.clear();
    script_json = {};
  }
  /// Keys and fields made by `maker` become nobody's: its incarnation is gone.
  void disown(Maker maker);
};

/// Canonical bytes: equal keyspaces give equal bytes and the other way round.
std::string encode(const Keyspace& keyspace);

}  // namespace lockstep::sim
