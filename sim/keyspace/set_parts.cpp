// The inside of a set (Redis 7.0 t_set.c, intset.c).
#include "sim/keyspace/set_parts.hpp"

#include <algorithm>

#include "sim/keyspace/compact_limits.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/ordered_parts.hpp"

namespace lockstep::sim {

namespace {

Set& set_of(Entry& entry) { return std::get<Set>(entry.value); }
const Set& set_of(const Entry& entry) { return std::get<Set>(entry.value); }

bool is_intset(const Entry& entry) { return entry.encoding == Encoding::compact; }

void make_hash_table(Entry& entry) {
  std::uint32_t position = 0;
  for (const std::string* member : members(entry)) set_of(entry)[*member].position = position++;
  entry.encoding = Encoding::large;
}

}  // namespace

std::size_t set_size(const Entry& entry) { return set_of(entry).size(); }

bool has_member(const Entry& entry, const std::string& member) {
  return set_of(entry).contains(member);
}

bool add_member(Entry& entry, const std::string& member, Maker maker) {
  if (is_intset(entry) && !parse_integer(member)) make_hash_table(entry);
  Set& set = set_of(entry);
  const auto position = is_intset(entry) ? 0U : static_cast<std::uint32_t>(set.size());
  if (!set.try_emplace(member, SetMember{maker, position}).second) return false;
  if (is_intset(entry) && set.size() > kLargestIntset) make_hash_table(entry);
  return true;
}

bool remove_member(Entry& entry, const std::string& member) {
  return erase_part(set_of(entry), member);
}

void repack_after_pop(Entry& entry, std::int64_t count) {
  constexpr std::int64_t kFew = 5;
  if (static_cast<std::int64_t>(set_size(entry)) * kFew > count) return;
  Entry fresh = entry;
  fresh.value = Set{};
  fresh.encoding = Encoding::compact;
  for (const std::string* member : members(entry)) {
    add_member(fresh, *member, set_of(entry).at(*member).maker);
  }
  entry = std::move(fresh);
}

std::vector<const std::string*> members(const Entry& entry) {
  std::vector<const std::string*> order;
  const Set& set = set_of(entry);
  if (!is_intset(entry)) {
    for (const auto* item : by_position(set)) order.push_back(&item->first);
    return order;
  }
  for (const auto& [member, about] : set) order.push_back(&member);
  std::ranges::sort(order, {}, [](const std::string* member) { return *parse_integer(*member); });
  return order;
}

}  // namespace lockstep::sim
