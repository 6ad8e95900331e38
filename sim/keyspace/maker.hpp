// Who made what a keyspace holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::sim {

/// Who made a key, a field, an element or a member: process index + 1, or 0 for nobody (a former
/// incarnation, or no process at all).
using Maker = std::uint8_t;
inline constexpr Maker kNobody = 0;
constexpr Maker maker_of(std::uint8_t process) { return static_cast<Maker>(process + 1); }

/// By how much a process has changed a number that several count in, all in all: never 0. Or a
/// piece of a string that is its own: a bit that it has set, bytes that it has written.
struct Share {
  Maker maker = 0;          ///< never nobody
  std::int64_t amount = 0;  ///< of a piece: how many bits
  std::uint64_t place = 0;  ///< 0: of the number; else 1 + the piece's first bit in the string
  friend bool operator==(const Share&, const Share&) = default;
};
using Shares = std::vector<Share>;  ///< ascending by maker, then by place

/// Instead of a share's place: the text is its maker's, beside others', for it bears so many tokens
/// of it.
inline constexpr std::uint64_t kOwner = ~std::uint64_t{0};
inline bool is_owner(const Share& share) { return share.place == kOwner; }

/// Adds to the share of `maker`; nobody has none.
inline void add_share(Shares& shares, Maker maker, std::int64_t by, std::uint64_t place = 0) {
  if (maker == 0) return;
  const auto order = [](const Share& share) { return std::pair(share.maker, share.place); };
  auto at = std::ranges::lower_bound(shares, std::pair(maker, place), {}, order);
  if (at == shares.end() || at->maker != maker || at->place != place)
    at = shares.insert(at, {maker, 0, place});
  // A sum beyond 64 bits wraps: nobody takes a permit that often.
  at->amount = static_cast<std::int64_t>(static_cast<std::uint64_t>(at->amount) +
                                         static_cast<std::uint64_t>(by));
  if (at->amount == 0) shares.erase(at);
}

/// The piece of a string that begins at bit `offset` is its sender's from now on, and what it
/// overlaps nobody's; nobody's itself if the sender is nobody, or has cleared it.
inline void write_piece(Shares& shares, std::uint64_t offset, std::uint64_t bits, Maker sender,
                        bool cleared) {
  const std::uint64_t begin = offset + 1;
  std::erase_if(shares, [&](const Share& old) {
    return old.place != 0 && old.place < begin + bits &&
           begin < old.place + static_cast<std::uint64_t>(old.amount);
  });
  if (!cleared) add_share(shares, sender, static_cast<std::int64_t>(bits), begin);
}

/// A set of makers, as bits; bit 0 is nobody. Only the first 31 processes can be told apart.
using Makers = std::uint32_t;
constexpr Makers only_maker(Maker maker) { return Makers{1} << (maker & 31U); }
constexpr bool has_maker(Makers makers, Maker maker) { return (makers >> (maker & 31U) & 1U) != 0; }

/// Who has something of a key, by what it takes to say so.
struct Belongings {
  Makers any = 0;  ///< a part or a share
  /// A part (of a hash with parts of others a field whose name bears a token of the maker); or all
  /// that there is of a string that is counted in.
  Makers refused = 0;
  /// A part; but in a hash only where nothing is anybody else's.
  Makers left = 0;
  /// A share in a key of which nothing is anybody else's.
  Makers counting = 0;
  Makers number = 0;    ///< a string that is a whole number
  bool common = false;  ///< the key is a string without lock token, which may be for all who share
  Makers sure = 0;      ///< something else than that
  Belongings& operator|=(const Belongings& other);
};

/// What a request did to the parts of a key.
struct PartsChange {
  bool made = false;  ///< the sender has a part that it had not, or a larger share
  /// A process that has crashed since has sent it, and nobody has a part that nobody had.
  bool made_by_nobody = false;
  bool marked = false;     ///< a part that it had bears another token of its own now
  bool replaced = false;   ///< and none of those that it bore
  bool freed = false;      ///< the sender has lost a part, or some of a share
  bool counted = false;    ///< and it was of a share
  Makers given = 0;        ///< others that have a part that they had not
  Makers taken = 0;        ///< of others: removed, overwritten, made to end earlier
  bool common = false;     ///< the key is a string without lock token, before and after
  Makers overwritten = 0;  ///< of these: who has lost nothing but what others' parts stand for now
  Makers extended =
      0;  ///< of others, who have the key for longer now, though it is not the sender's
  /// Of those taken: whose string has the same bytes as before, and lives on for longer.
  Makers rewritten = 0;
  bool by_count = false;  ///< it is a string, and the sender has a share in it
  Makers prolonged = 0;   ///< the same where the sender has something of it, too
};

}  // namespace lockstep::sim
