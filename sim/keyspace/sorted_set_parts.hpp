// The inside of a sorted set: a listpack while it is small, else a skiplist.
#pragma once

#include <string>

#include "sim/keyspace/keyspace.hpp"

namespace lockstep::sim {

SortedSet& sorted_set_of(Entry& entry);
const SortedSet& sorted_set_of(const Entry& entry);

/// Adds or overwrites a member.
void put_score(Entry& entry, const std::string& member, double score, Maker maker);

/// Whether nothing but their bytes says which of two lock tokens comes first.
bool ties_tokens(const SortedSetOrder& order);

/// Whether Redis keeps it as a skiplist from the start.
bool exceeds_listpack(const SortedSet& set);

}  // namespace lockstep::sim
