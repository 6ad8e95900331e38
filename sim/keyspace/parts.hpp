// Whose the parts of a key are, and what a request did to them (docs/semantics.md, section 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

/// Who has something of the key.
Belongings belongings_in(const Entry& entry);

/// What was done to a key. An entry that is null: no such key.
PartsChange change_of(const Entry* before, const Entry* after, Maker sender);

}  // namespace lockstep::sim
