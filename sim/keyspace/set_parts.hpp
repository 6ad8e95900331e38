// The inside of a set: Redis's intset of up to 512 integers, in ascending order, or its hash table,
// here in the order of insertion (Redis's order depends on a random seed).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

bool has_member(const Entry& entry, const std::string& member);
/// Whether the member is new. One that is there keeps its maker.
bool add_member(Entry& entry, const std::string& member, Maker maker);
/// Whether the member was there.
bool remove_member(Entry& entry, const std::string& member);
std::size_t set_size(const Entry& entry);
/// SPOP has taken `count` members. When few remain Redis moves them to a new set instead, which may
/// be an intset again (t_set.c spopWithCountCommand).
void repack_after_pop(Entry& entry, std::int64_t count);

/// The members in the set's order; valid until it changes.
std::vector<const std::string*> members(const Entry& entry);

}  // namespace lockstep::sim
