// Which keyspace events a server publishes: its setting notify-keyspace-events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// A set of them, a bit each, in the order in which Redis 7.0 names their letters (notify.c
/// keyspaceEventsFlagsToString).
using KeyspaceEvents = std::uint16_t;

inline constexpr KeyspaceEvents kGenericEvents = 1U << 0U;    ///< g: DEL, EXPIRE, RENAME, ...
inline constexpr KeyspaceEvents kStringEvents = 1U << 1U;     ///< $
inline constexpr KeyspaceEvents kListEvents = 1U << 2U;       ///< l
inline constexpr KeyspaceEvents kSetEvents = 1U << 3U;        ///< s
inline constexpr KeyspaceEvents kHashEvents = 1U << 4U;       ///< h
inline constexpr KeyspaceEvents kSortedSetEvents = 1U << 5U;  ///< z
inline constexpr KeyspaceEvents kExpiredEvents = 1U << 6U;    ///< x
inline constexpr KeyspaceEvents kEvictedEvents = 1U << 7U;    ///< e
inline constexpr KeyspaceEvents kStreamEvents = 1U << 8U;     ///< t: there are no streams here
inline constexpr KeyspaceEvents kModuleEvents = 1U << 9U;     ///< d: nor modules
inline constexpr KeyspaceEvents kNewEvents = 1U << 10U;       ///< n: a key that was not there
inline constexpr KeyspaceEvents kByKey = 1U << 11U;           ///< K: on __keyspace@0__:KEY
inline constexpr KeyspaceEvents kByEvent = 1U << 12U;         ///< E: on __keyevent@0__:EVENT
inline constexpr KeyspaceEvents kMissEvents = 1U << 13U;  ///< m: a key was read that is not there
inline constexpr KeyspaceEvents kLettered = (1U << 14U) - 1U;   ///< what the setting can name
inline constexpr KeyspaceEvents kInvalidations = 1U << 14U;     ///< CLIENT TRACKING
inline constexpr KeyspaceEvents kAllEvents = (1U << 10U) - 1U;  ///< A: all up to d

/// As Redis 7.0 lists them to who has named another one.
inline constexpr std::string_view kKeyspaceEventLetters = "Ag$lshzxeKEtmdn";

/// What the letters name, in any order; nothing if one is no letter of these.
std::optional<KeyspaceEvents> parse_keyspace_events(std::string_view letters);

/// The letters as CONFIG GET shows them.
std::string letters_of(KeyspaceEvents events);

/// Whether expired keys are told of: on one of the two channels, or to who tracks them.
constexpr bool tell_of_expired(KeyspaceEvents events) {
  const bool published = (events & kExpiredEvents) != 0 && (events & (kByKey | kByEvent)) != 0;
  return published || (events & kInvalidations) != 0;
}

}  // namespace lockstep::sim
