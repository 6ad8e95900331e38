// Whose the parts of a key are, and what a request did to them (docs/semantics.md, section 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

/// Forgets who has counted in the keys of which `keeps(key)` is not so.
template <class Keeps>
void drop_shares_unless(Keyspace& keyspace, Keeps keeps) {
  keyspace.for_each([&](const std::string& key, Entry& entry) {
    if (keeps(key)) return;
    entry.shares.clear();
    if (auto* hash = std::get_if<Hash>(&entry.value))
      for (auto& [name, field] : *hash) field.shares.clear();
  });
}

/// A set of makers, as bits; bit 0 is nobody. Only the first 31 processes can be told apart.
using Makers = std::uint32_t;
constexpr Makers only_maker(Maker maker) { return Makers{1} << (maker & 31U); }
constexpr bool has_maker(Makers makers, Maker maker) { return (makers >> (maker & 31U) & 1U) != 0; }

/// A part of a key, or the share that a process has in it.
struct Part {
  std::string_view name;  ///< of a field or member, an element's value; "" of a string
  Maker maker = 0;
  std::int64_t share = 0;  ///< 0: the part itself
};

/// The parts and shares of a key, ascending; equal elements of a list as often as they are there.
/// Valid as long as the entry. Of a number that counts more than its shares say, the rest is a part
/// of nobody.
std::vector<Part> parts_of(const Entry& entry);

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
Belongings belongings_in(const Entry& entry);

/// What a request did to the parts of a key. An entry that is null: no such key.
struct PartsChange {
  bool made = false;     ///< the sender has a part that it had not, or a larger share
  bool freed = false;    ///< the sender has lost a part, or some of a share
  bool counted = false;  ///< and it was of a share
  Makers taken = 0;      ///< of others: removed, overwritten, made to end earlier
  Makers extended =
      0;  ///< of others, who have the key for longer now, though it is not the sender's
};
PartsChange change_of(const Entry* before, const Entry* after, Maker sender);

}  // namespace lockstep::sim
