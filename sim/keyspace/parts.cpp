// Lists and compares parts; see the header.
#include "sim/keyspace/parts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <tuple>

#include "sim/keyspace/numbers.hpp"

namespace lockstep::sim {

namespace {

constexpr Maker kNobody = 0;

/// Whether a number counts nothing but its shares.
bool is_all_shares(std::string_view number, const Shares& shares) {
  std::int64_t rest = parse_integer(std::string(number)).value_or(0);
  for (const auto& share : shares) rest -= share.amount;
  return !shares.empty() && rest == 0;
}

void add_text(std::vector<Part>& parts, std::string_view name, std::string_view text, Maker maker,
              const Shares& shares) {
  if (maker != kNobody || !is_all_shares(text, shares)) parts.push_back({name, maker});
  for (const auto& share : shares) parts.push_back({name, share.maker, share.amount});
}

std::int64_t expiry_or_never(const Entry& entry) {
  return entry.expires ? entry.expires->ms : std::numeric_limits<std::int64_t>::max();
}

bool same_place(const Part& a, const Part& b) { return a.name == b.name && a.maker == b.maker; }

auto order_of(const Part& part) { return std::tuple(part.name, part.maker, part.share != 0); }

std::int64_t share_at(const std::vector<Part>& parts, const Part& wanted) {
  for (const auto& part : parts)
    if (part.share != 0 && same_place(part, wanted)) return part.share;
  return 0;
}

/// Parts of `some` that `others` has not, or has less often. Of shares: which are not there at all.
template <class Visit>
void for_each_missing(const std::vector<Part>& some, const std::vector<Part>& others, Visit visit) {
  auto other = others.begin();
  for (const auto& part : some) {
    while (other != others.end() && order_of(*other) < order_of(part)) ++other;
    if (other != others.end() && order_of(*other) == order_of(part))
      ++other;
    else
      visit(part);
  }
}

/// What became of the shares that the sender has afterwards.
void compare_shares(const std::vector<Part>& before, const std::vector<Part>& after, Maker sender,
                    PartsChange& change) {
  for (const auto& part : after) {
    if (part.share == 0 || part.maker != sender) continue;
    const std::int64_t had = share_at(before, part);
    if (part.share == had) continue;
    const bool up = part.share > had;
    if (had != 0 && up == (had < 0)) change.freed = change.counted = true;
    if (up == (part.share < 0)) continue;
    change.made = true;
    // It gives back what it has not taken: what another has, who has taken.
    for (const auto& other : after)
      if (other.share != 0 && other.name == part.name && (other.share > 0) != (part.share > 0))
        change.taken |= only_maker(other.maker);
  }
}

}  // namespace

std::vector<Part> parts_of(const Entry& entry) {
  std::vector<Part> parts;
  if (const auto* text = std::get_if<std::string>(&entry.value))
    add_text(parts, "", *text, entry.maker, entry.shares);
  if (const auto* list = std::get_if<List>(&entry.value)) {
    for (const auto& element : *list) parts.push_back({element.value, element.maker});
  }
  if (const auto* hash = std::get_if<Hash>(&entry.value)) {
    for (const auto& [name, field] : *hash)
      add_text(parts, name, field.value, field.maker, field.shares);
  }
  if (const auto* set = std::get_if<Set>(&entry.value)) {
    for (const auto& [member, about] : *set) parts.push_back({member, about.maker});
  }
  if (const auto* set = std::get_if<SortedSet>(&entry.value)) {
    for (const auto& [member, about] : *set) parts.push_back({member, about.maker});
  }
  std::ranges::sort(parts, {}, order_of);
  return parts;
}

Belongings& Belongings::operator|=(const Belongings& other) {
  any |= other.any;
  refused |= other.refused;
  left |= other.left;
  counting |= other.counting;
  return *this;
}

Belongings belongings_in(const Entry& entry) {
  Makers whole = 0, sharing = 0;
  for (const auto& part : parts_of(entry))
    (part.share == 0 ? whole : sharing) |= only_maker(part.maker);
  Belongings belongings;
  belongings.any = whole | sharing;
  const bool alone = std::has_single_bit(belongings.any);
  const bool hash = std::holds_alternative<Hash>(entry.value);
  const bool text = std::holds_alternative<std::string>(entry.value);
  belongings.counting = alone ? sharing : 0;
  belongings.refused = whole | (text ? belongings.counting : 0);
  belongings.left = hash && !alone ? 0 : whole;
  return belongings;
}

PartsChange change_of(const Entry* before, const Entry* after, Maker sender) {
  const auto had = before ? parts_of(*before) : std::vector<Part>{};
  const auto have = after ? parts_of(*after) : std::vector<Part>{};
  PartsChange change;
  compare_shares(had, have, sender, change);
  for_each_missing(had, have, [&](const Part& part) {
    if (part.maker != sender) change.taken |= only_maker(part.maker);
    change.freed = change.freed || part.maker == sender;
    change.counted = change.counted || (part.maker == sender && part.share != 0);
  });
  for_each_missing(have, had, [&](const Part& part) {
    change.made = change.made || (part.maker == sender && part.share == 0);
  });
  if (before && after) {
    Makers others = 0;
    bool entitled = false;
    const bool hash = std::holds_alternative<Hash>(after->value);
    for (const auto& part : have) {
      if (part.maker != sender) others |= only_maker(part.maker);
      entitled = entitled || (part.maker == sender && (part.share == 0 || hash));
    }
    if (expiry_or_never(*after) < expiry_or_never(*before)) change.taken |= others;
    if (expiry_or_never(*after) > expiry_or_never(*before) && !entitled)
      change.extended = others & ~change.taken;
  }
  change.taken &= ~only_maker(kNobody);
  change.extended &= ~only_maker(kNobody);
  if (sender == kNobody) change.made = change.freed = change.counted = false;
  return change;
}

}  // namespace lockstep::sim
