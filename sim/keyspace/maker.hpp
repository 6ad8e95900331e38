// Who made what a keyspace holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lockstep::sim {

/// Who made a key, a field, an element or a member: process index + 1, or 0 for nobody (a former
/// incarnation, or no process at all).
using Maker = std::uint8_t;
constexpr Maker maker_of(std::uint8_t process) { return static_cast<Maker>(process + 1); }

/// By how much a process has changed a number that several count in, all in all: never 0.
struct Share {
  Maker maker = 0;  ///< never nobody
  std::int64_t amount = 0;
  friend bool operator==(const Share&, const Share&) = default;
};
using Shares = std::vector<Share>;  ///< ascending by maker

/// What `maker` has added to the number; 0 for nobody.
inline std::int64_t share_of(const Shares& shares, Maker maker) {
  const auto place = std::ranges::lower_bound(shares, maker, {}, &Share::maker);
  return place != shares.end() && place->maker == maker ? place->amount : 0;
}

/// Adds to the share of `maker`; nobody has none.
inline void add_share(Shares& shares, Maker maker, std::int64_t by) {
  if (maker == 0) return;
  auto place = std::ranges::lower_bound(shares, maker, {}, &Share::maker);
  if (place == shares.end() || place->maker != maker) place = shares.insert(place, {maker, 0});
  // A sum beyond 64 bits wraps: nobody takes a permit that often.
  place->amount = static_cast<std::int64_t>(static_cast<std::uint64_t>(place->amount) +
                                            static_cast<std::uint64_t>(by));
  if (place->amount == 0) shares.erase(place);
}

/// A set of makers, as bits; bit 0 is nobody. Only the first 31 processes can be told apart.
using Makers = std::uint32_t;
constexpr Makers only_maker(Maker maker) { return Makers{1} << (maker & 31U); }
constexpr bool has_maker(Makers makers, Maker maker) { return (makers >> (maker & 31U) & 1U) != 0; }

/// Who has something of a key, by what it takes to say so.
struct Belongings {
  Makers any = 0;  ///< a part or a share
  /// A part; or all that there is of a string that is counted in.
  Makers refused = 0;
  /// A part; but in a hash only where nothing is anybody else's.
  Makers left = 0;
  /// A share in a key of which nothing is anybody else's.
  Makers counting = 0;
  Belongings& operator|=(const Belongings& other);
};

/// What a request did to the parts of a key.
struct PartsChange {
  bool made = false;     ///< the sender has a part that it had not, or a larger share
  bool freed = false;    ///< the sender has lost a part, or some of a share
  bool counted = false;  ///< and it was of a share
  Makers taken = 0;      ///< of others: removed, overwritten, made to end earlier
  Makers extended =
      0;  ///< of others, who have the key for longer now, though it is not the sender's
};

}  // namespace lockstep::sim
