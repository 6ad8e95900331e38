// Everything that one Redis server remembers, as a value: keys with their expiry and who made them,
// the script cache, and what scripts leave behind: random generator, settings of cjson. Equal
// keyspaces behave equally.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/base/time.hpp"
#include "sim/keyspace/expiry.hpp"
#include "sim/keyspace/json_settings.hpp"
#include "sim/keyspace/maker.hpp"

namespace lockstep::sim {

struct HashField {
  std::string value;
  Maker maker = 0;
  std::uint32_t position =
      0;          ///< 0..n-1: order of insertion, which is the order of HGETALL (Redis's listpack)
  Shares shares;  ///< of those who have counted in it
  friend bool operator==(const HashField&, const HashField&) = default;
};
using Hash = std::map<std::string, HashField, std::less<>>;

struct ListElement {
  std::string value;
  Maker maker = 0;
  friend bool operator==(const ListElement&, const ListElement&) = default;
};
using List = std::deque<ListElement>;

struct SetMember {
  Maker maker = 0;
  std::uint32_t position = 0;  ///< as HashField's; all 0 in a set of integers, which is ascending
  friend bool operator==(const SetMember&, const SetMember&) = default;
};
using Set = std::map<std::string, SetMember, std::less<>>;

struct SortedSetMember {
  double score = 0;  ///< never NaN
  Maker maker = 0;
  /// -0 and 0 are different bytes, and different replies.
  friend bool operator==(const SortedSetMember& a, const SortedSetMember& b) {
    return std::bit_cast<std::uint64_t>(a.score) == std::bit_cast<std::uint64_t>(b.score) &&
           a.maker == b.maker;
  }
};
using SortedSet = std::map<std::string, SortedSetMember, std::less<>>;

/// What remains of a value's past in the way that Redis stores it, and that the value itself does
/// not tell (OBJECT ENCODING; for sets and hashes it decides their order too).
enum class Encoding : std::uint8_t {
  compact,   ///< string: int, embstr or raw by its value; set: intset; hash, sorted set: listpack
  embedded,  ///< string: embstr or raw by its length, never int (INCRBYFLOAT)
  large,     ///< string: raw (APPEND, SETRANGE); set, hash: hashtable; sorted set: skiplist
};

/// Until when a process relies on a key that it may share: sooner than the key expires.
struct Reliance {
  Maker maker = 0;  ///< never nobody
  Expiry until{WallTime{}};
  friend bool operator==(const Reliance&, const Reliance&) = default;
};

struct Entry {
  std::variant<std::string, Hash, List, Set, SortedSet> value;
  std::optional<Expiry> expires;
  /// Who created the key, or overwrote it last (SET, GETSET, ...). Of a string, whose it is:
  /// nobody's if it is a number that its first one counted in.
  Maker maker = 0;
  Encoding encoding = Encoding::compact;
  Shares shares;  ///< string: of those who have counted in it
  /// Of those who do not rely on the key for as long as it lasts, ascending by maker; see
  /// reliance.hpp.
  std::vector<Reliance> reliances;
  friend bool operator==(const Entry&, const Entry&) = default;

  /// When it expires; kNever if it stays.
  Expiry end() const { return expires.value_or(kNever); }
  /// Replaces each time by what `change` makes of it.
  template <class Change>
  void change_times(Change change) {
    if (expires) expires = change(*expires);
    for (Reliance& reliance : reliances) reliance.until = change(reliance.until);
  }
  /// How long ago it is that somebody no longer relies on the key does not matter.
  void settle_reliances(WallTime now) {
    for (Reliance& reliance : reliances)
      if (reliance.until < now) reliance.until = now;
  }
};

/// A key that `maker` has just made, without expiry.
inline Entry new_entry(decltype(Entry::value) value, Maker maker) {
  return {std::move(value), {}, maker, Encoding::compact, {}, {}};
}

/// Redis's own drand48 clone starts from this state in every server (src/rand.c, 7.0).
inline constexpr std::uint64_t kInitialScriptRandom = 0x1234'ABCD'330EULL;

/// One database.
using Keys = std::map<std::string, Entry, std::less<>>;

/// As many databases as Redis has by default, numbered from 0.
inline constexpr int kDatabases = 16;

struct Keyspace {
  Keys keys;  ///< of the selected database; between two requests that is database 0
  std::map<std::uint8_t, Keys> others;  ///< the other databases, by number; none of them is empty
  std::map<std::string, std::string, std::less<>>
      scripts;  ///< the script cache: lower-case SHA-1 -> body
  std::map<std::string, std::string, std::less<>>
      libraries;  ///< function libraries: name -> code; kept by whatever keeps keys
  std::uint64_t script_random = kInitialScriptRandom;
  dialect::JsonSettings script_json;  ///< what scripts have set on cjson
  /// Keys that are expired and gone, by database, of which Redis has not said so yet: it publishes
  /// an expired event when it meets such a key, which may be late (kExpiredEvents). Whether it is.
  std::map<std::pair<std::uint8_t, std::string>, bool> unnoticed;
  /// The databases whose keys may be leases, a bit each (docs/semantics.md, section 1): none of
  /// Redis's business.
  std::uint16_t lease_databases = 1;

  friend bool operator==(const Keyspace&, const Keyspace&) = default;

  /// The entry of `key` if it exists and is not expired at `now` (expired iff now > expires, as
  /// Redis 7.0 db.c keyIsExpired), else null.
  const Entry* find(std::string_view key, WallTime now) const;
  /// The entry of `key` in `database`, alive or not, while database 0 is the selected one; null if
  /// there is none.
  const Entry* find(int database, std::string_view key) const;
  /// The keys of `database`, while `selected` is the selected one; null if it is empty and not
  /// selected.
  const Keys* database(int database, int selected = 0) const;
  /// Whether there is no key in any database, while database 0 is the selected one.
  bool empty() const { return keys.empty() && others.empty(); }
  bool may_have_leases(int database) const { return (lease_databases >> database & 1) != 0; }
  void has_leases_in(int database) {
    lease_databases = static_cast<std::uint16_t>(lease_databases | 1U << database);
  }
  /// Makes `wanted` the selected database in place of `selected`. Costs nothing if they are the
  /// same.
  void select(int selected, int wanted);
  /// Calls `visit(key, entry)` for every key of every database, the selected one first.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, entry] : keys) visit(key, entry);
    for (const auto& [number, other] : others) {
      for (const auto& [key, entry] : other) visit(key, entry);
    }
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [key, entry] : keys) visit(key, entry);
    for (auto& [number, other] : others) {
      for (auto& [key, entry] : other) visit(key, entry);
    }
  }
  /// Drops every key that is expired at `now`. `told`: Redis will say so, they become unnoticed.
  void purge(WallTime now, bool told = false);
  /// Moves every expiry by `by` (used to store times relative to now, and for clock jumps).
  void shift_expiry(Duration by);
  /// Empties the script cache, with what scripts have set on their libraries (SCRIPT FLUSH).
  void forget_scripts() {
    scripts.clear();
    script_json = {};
  }
  /// Keys, fields, elements and members made by `maker` become nobody's: its incarnation is gone.
  void disown(Maker maker);
};

/// Whether both hold the same keys in every database and the same libraries (what an image on disk
/// is compared by).
bool same_keys(const Keyspace& a, const Keyspace& b);

/// What a replica has of its master's keyspace (Redis 7.0: the effects of writes are sent, with
/// absolute expiry times, and FUNCTION LOAD; SCRIPT LOAD and EVAL are not): its keys and libraries,
/// beside the scripts that `replica` has itself.
Keyspace mirror_of(Keyspace master, const Keyspace& replica);

/// Every text in the entry's value: strings, fields, values, elements, members.
std::vector<std::string_view> texts(const Entry& entry);
/// The entry with each of these texts replaced; different texts must stay different.
Entry with_texts(const Entry& entry, const std::function<std::string(std::string_view)>& change);

/// The members of a sorted set in its order: by score, then by the bytes of the member.
using SortedSetOrder = std::vector<const SortedSet::value_type*>;
SortedSetOrder in_order(const SortedSet& set);

/// Canonical bytes: equal keyspaces give equal bytes and the other way round.
std::string encode(const Keyspace& keyspace);

}  // namespace lockstep::sim
