// Whose the parts of a key are, and what a request did to them (docs/semantics.md, section 1).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/token.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/keyspace/maker.hpp"

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

using IsName = bool (*)(const std::string& name);
constexpr bool any_name(const std::string& /*name*/) { return true; }

/// Members of a set, or of a sorted set with their scores, that were there before keep their
/// makers, if their name is one that `is_kept`.
void keep_makers(const Entry& before, Entry& after, IsName is_kept = any_name);

/// Visits every entry of `after` with its key and what stood there `before`, or null.
template <class Visit>
void for_each_with_before(const Keyspace& before, Keyspace& after, Visit visit) {
  const auto in = [&](int database, Keys& keys) {
    for (auto& [key, entry] : keys) visit(key, before.find(database, key), entry);
  };
  in(0, after.keys);
  for (auto& [number, keys] : after.others) in(number, keys);
}

/// A release() of `sender` has written this: what it has written over is nobody's, unless a token
/// of the sender stands in it.
void give_back(const Entry* before, Entry& after, Maker sender);

/// The same for all keys of which `is_lease(key)`.
template <class IsLease>
void give_back(const Keyspace& before, Keyspace& after, Maker sender, IsLease is_lease) {
  for_each_with_before(before, after, [&](const std::string& key, const Entry* was, Entry& entry) {
    if (is_lease(key)) give_back(was, entry, sender);
  });
}

/// `sender` has popped from this key what it had put there itself: it is a pool, and what else it
/// has there without a token of its own is there for all, nobody's.
void put_up(Entry& entry, Maker sender);

/// An expiry that a command has given, so that it is another one than `before`, is 1 ms sooner.
void expire_sooner(const Keyspace& before, Keyspace& after);

/// A part of a key, or the share that a process has in it.
struct Part {
  std::string_view name;  ///< of a field or member, an element's value; "" of a string
  Maker maker = 0;
  std::int64_t share = 0;   ///< 0: the part itself
  std::uint64_t place = 0;  ///< a piece of a string: Share::place
};

/// The parts and shares of a key, ascending; equal elements of a list as often as they are there.
/// Valid as long as the entry. Of a number that counts more than its shares say, the rest is a part
/// of nobody.
std::vector<Part> parts_of(const Entry& entry);

/// Who has something of the key.
Belongings belongings_in(const Entry& entry);

/// Whether one of these tokens stands in a string, or in a field's value.
bool names_one_of(const Entry& entry, const std::vector<Token>& tokens);

/// The lock tokens that stand in a text.
using TokensIn = std::function<std::vector<Token>(const std::string& text)>;
/// Those of the explored world.
inline std::vector<Token> simulated_tokens(const std::string& text) {
  return scan_tokens(text).tokens;
}

/// What was done to a key. An entry that is null: no such key.
PartsChange change_of(const Entry* before, const Entry* after, Maker sender,
                      const TokensIn& tokens_in = simulated_tokens);

}  // namespace lockstep::sim
