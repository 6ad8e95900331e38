// The inside of a sorted set (Redis 7.0 t_zset.c).
#include "sim/keyspace/sorted_set_parts.hpp"

#include <algorithm>

#include "sim/base/token.hpp"
#include "sim/keyspace/compact_limits.hpp"

namespace lockstep::sim {

SortedSet& sorted_set_of(Entry& entry) { return std::get<SortedSet>(entry.value); }
const SortedSet& sorted_set_of(const Entry& entry) { return std::get<SortedSet>(entry.value); }

/// A listpack keeps whole scores as integers: there is no -0 in it.
void put_score(Entry& entry, const std::string& member, double score, Maker maker) {
  SortedSet& set = sorted_set_of(entry);
  const auto [it, is_new] = set.try_emplace(member);
  if (is_new && (set.size() > kMostListpackMembers || member.size() > kLongestListpackMember)) {
    entry.encoding = Encoding::large;
  }
  if (entry.encoding == Encoding::compact && score == 0) score = 0;
  it->second = {score, maker};
}

bool ties_tokens(const SortedSetOrder& order) {
  const auto ties = [](const auto* one, const auto* next) {
    return one->second.score == next->second.score && !scan_tokens(one->first).tokens.empty() &&
           !scan_tokens(next->first).tokens.empty();
  };
  return std::ranges::adjacent_find(order, ties) != order.end();
}

bool exceeds_listpack(const SortedSet& set) {
  return set.size() > kMostListpackMembers ||
         std::ranges::any_of(set, [](const SortedSet::value_type& item) {
           return item.first.size() > kLongestListpackMember;
         });
}

}  // namespace lockstep::sim
