// Lists and compares parts; see the header.
#include "sim/keyspace/parts.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/base/time.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/keyspace/reliance.hpp"

namespace lockstep::sim {

namespace {

/// Whether a number counts nothing but its shares; of a string in pieces, whether all that is not
/// zero is in them.
bool is_all_shares(std::string_view text, const Shares& shares) {
  if (shares.empty()) return false;
  if (std::ranges::any_of(shares, is_owner)) return true;
  std::int64_t together = 0;
  bool pieces = false;
  for (const auto& share : shares) {
    together += share.amount;
    pieces = pieces || share.place != 0;
  }
  if (!pieces) return together == parse_integer(std::string(text)).value_or(0);
  const auto is_in = [](const Share& share, std::uint64_t byte) {
    const std::uint64_t end = share.place + static_cast<std::uint64_t>(share.amount);
    return share.place != 0 && share.place < 8 * byte + 9 && 8 * byte + 1 < end;
  };
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\0' &&
        std::ranges::none_of(shares, [&](const Share& share) { return is_in(share, i); }))
      return false;
  return true;
}

/// A text that is several processes' is a part of each.
void add_text(std::vector<Part>& parts, std::string_view name, std::string_view text, Maker maker,
              const Shares& shares) {
  if (maker != kNobody || !is_all_shares(text, shares)) parts.push_back({name, maker});
  for (const auto& share : shares) {
    if (is_owner(share))
      parts.insert(parts.end(), static_cast<std::size_t>(share.amount), {name, share.maker});
    else
      parts.push_back({name, share.maker, share.amount, share.place});
  }
}

bool same_place(const Part& a, const Part& b) {
  return a.name == b.name && a.maker == b.maker && a.place == b.place;
}

auto order_of(const Part& part) {
  return std::tuple(part.name, part.maker, part.share != 0, part.place);
}

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

/// The bytes that a piece lies in, as far as the text has them.
std::string_view piece_of(std::string_view text, const Share& share) {
  const std::uint64_t first = (share.place - 1) / 8;
  const std::uint64_t past = (share.place - 1 + static_cast<std::uint64_t>(share.amount) + 7) / 8;
  if (first >= text.size()) return {};
  return text.substr(first, past - first);
}

/// Whether a token of `sender` stands in a text.
bool bears_token_of(Maker sender, std::string_view text) {
  return std::ranges::any_of(scan_tokens(text).tokens, [sender](const Token& token) {
    return maker_of(token.process) == sender;
  });
}

/// How many parts of this name are somebody's.
std::ptrdiff_t owned_parts(const std::vector<Part>& parts, std::string_view name) {
  return std::ranges::count_if(parts, [name](const Part& part) {
    return part.name == name && part.share == 0 && part.maker != kNobody;
  });
}

/// The text of a string, or of a field; "" of all else.
std::string_view text_of(const Entry& entry, std::string_view name) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  if (const auto* hash = std::get_if<Hash>(&entry.value))
    if (const auto field = hash->find(std::string(name)); field != hash->end())
      return field->second.value;
  return {};
}

/// Whether a part that is not there any more was only written over, and by nothing that names the
/// sender alone.
bool is_overwritten(const Part& lost, const std::vector<Part>& before,
                    const std::vector<Part>& after, const Entry* entry, Maker sender) {
  return entry != nullptr && lost.share == 0 &&
         owned_parts(after, lost.name) >= owned_parts(before, lost.name) &&
         !bears_token_of(sender, text_of(*entry, lost.name));
}

/// Whether there was the same part before, another process's or nobody's, and the key lasts no
/// longer: who sets it again leaves nothing that was not there.
bool is_set_again(const Part& part, const Entry* before, const Entry* after) {
  if (!before || !after || after->end() > before->end()) return false;
  if (before->value.index() != after->value.index()) return false;
  if (text_of(*before, part.name) != text_of(*after, part.name)) return false;
  if (bears_token(std::string(part.name)) || bears_token(std::string(text_of(*after, part.name))))
    return false;
  const std::string name(part.name);
  if (const auto* hash = std::get_if<Hash>(&before->value)) return hash->contains(name);
  if (const auto* set = std::get_if<Set>(&before->value)) return set->contains(name);
  if (const auto* set = std::get_if<SortedSet>(&before->value)) {
    const auto found = set->find(name);
    return found != set->end() &&
           found->second.score == std::get<SortedSet>(after->value).at(name).score;
  }
  return std::holds_alternative<std::string>(before->value);
}

/// What the sender has written over its own text.
struct OwnMarks {
  bool marked = false;    ///< another token of its own
  bool replaced = false;  ///< and none of those that stood there
};

OwnMarks marks_in(const std::string& before, const std::string& after, Maker sender,
                  const TokensIn& tokens_in) {
  const auto own = [&](const std::string& text) {
    std::set<std::uint16_t> numbers;
    for (const Token token : tokens_in(text))
      if (maker_of(token.process) == sender) numbers.insert(token.number);
    return numbers;
  };
  const auto had = own(before), has = own(after);
  const auto stood = [&](std::uint16_t number) { return had.contains(number); };
  OwnMarks marks;
  marks.marked = !std::ranges::all_of(has, stood);
  marks.replaced = marks.marked && !had.empty() && std::ranges::none_of(has, stood);
  return marks;
}

/// An entry or a field: the text is the maker's, if with others.
template <class Text>
bool owns(const Text& text, Maker maker) {
  return text.maker == maker || std::ranges::any_of(text.shares, [maker](const Share& share) {
           return is_owner(share) && share.maker == maker;
         });
}

OwnMarks marks_in(const Entry& before, const Entry& after, Maker sender,
                  const TokensIn& tokens_in) {
  const auto* text = std::get_if<std::string>(&after.value);
  const auto* old_text = std::get_if<std::string>(&before.value);
  if (text && old_text) {
    if (!owns(before, sender) || !owns(after, sender)) return {};
    return marks_in(*old_text, *text, sender, tokens_in);
  }
  const auto* hash = std::get_if<Hash>(&after.value);
  const auto* old_hash = std::get_if<Hash>(&before.value);
  OwnMarks all;
  if (!hash || !old_hash) return all;
  for (const auto& [name, field] : *hash) {
    const auto old = old_hash->find(name);
    if (old == old_hash->end() || !owns(old->second, sender) || !owns(field, sender)) continue;
    const OwnMarks marks = marks_in(old->second.value, field.value, sender, tokens_in);
    all.marked = all.marked || marks.marked;
    all.replaced = all.replaced || marks.replaced;
  }
  return all;
}

/// The entry's part is nobody's if `sender` has written over it what no token of its stands in.
void give_back_text(std::string_view before, Maker& maker, std::string_view after, Maker sender) {
  if (maker == sender && before != after && !bears_token_of(sender, after)) maker = kNobody;
}

void give_back(const std::string* before, const std::string& after, Shares& shares, Maker sender) {
  const std::string_view old = before ? std::string_view(*before) : "";
  std::erase_if(shares, [&](const Share& share) {
    const std::string_view piece = piece_of(after, share);
    return share.place != 0 && !is_owner(share) && share.maker == sender &&
           piece != piece_of(old, share) && !bears_token_of(sender, piece);
  });
}

void give_back(const Hash* before, Hash& after, Maker sender) {
  for (auto& [name, field] : after) {
    if (bears_token_of(sender, name)) continue;
    const bool is_old = before && before->contains(name);
    give_back_text(is_old ? before->at(name).value : "", field.maker, field.value, sender);
  }
}

/// Of another score, or one that is new and bears no token of the sender.
void give_back(const SortedSet* before, SortedSet& after, Maker sender) {
  for (auto& [name, member] : after) {
    if (member.maker != sender) continue;
    const bool is_old = before && before->contains(name);
    if (is_old ? member.score != before->at(name).score : !bears_token_of(sender, name))
      member.maker = kNobody;
  }
}

void give_back(const Set* before, Set& after, Maker sender) {
  for (auto& [name, member] : after)
    if (member.maker == sender && !(before && before->contains(name)) &&
        !bears_token_of(sender, name))
      member.maker = kNobody;
}

/// Of equal elements as many as are new.
void give_back(const List* before, List& after, Maker sender) {
  std::map<std::string_view, std::size_t> old;
  if (before)
    for (const ListElement& element : *before)
      if (element.maker == sender) ++old[element.value];
  for (ListElement& element : after) {
    if (element.maker != sender || bears_token_of(sender, element.value)) continue;
    if (std::size_t& left = old[element.value]; left > 0)
      --left;
    else
      element.maker = kNobody;
  }
}

/// The makers of members of a sorted set whose score is a time, and says how long they have left.
Makers with_times(const Entry& entry) {
  Makers makers = 0;
  if (const auto* set = std::get_if<SortedSet>(&entry.value))
    for (const auto& [name, member] : *set)
      if (member.score >= kFirstTime) makers |= only_maker(member.maker);
  return makers;
}

}  // namespace

void keep_makers(const Entry& before, Entry& after, IsName is_kept) {
  if (auto* set = std::get_if<Set>(&after.value))
    if (const auto* old = std::get_if<Set>(&before.value))
      for (auto& [name, member] : *set)
        if (const auto was = old->find(name); was != old->end() && is_kept(name))
          member.maker = was->second.maker;
  if (auto* set = std::get_if<SortedSet>(&after.value))
    if (const auto* old = std::get_if<SortedSet>(&before.value))
      for (auto& [name, member] : *set)
        if (const auto was = old->find(name);
            was != old->end() && was->second.score == member.score && is_kept(name))
          member.maker = was->second.maker;
}

void give_back(const Entry* before, Entry& after, Maker sender) {
  const auto* old = before ? &before->value : nullptr;
  if (auto* text = std::get_if<std::string>(&after.value)) {
    const auto* old_text = std::get_if<std::string>(old);
    give_back_text(old_text ? *old_text : "", after.maker, *text, sender);
    give_back(old_text, *text, after.shares, sender);
  }
  if (auto* hash = std::get_if<Hash>(&after.value))
    give_back(std::get_if<Hash>(old), *hash, sender);
  if (auto* set = std::get_if<SortedSet>(&after.value))
    give_back(std::get_if<SortedSet>(old), *set, sender);
  if (auto* set = std::get_if<Set>(&after.value)) give_back(std::get_if<Set>(old), *set, sender);
  if (auto* list = std::get_if<List>(&after.value))
    give_back(std::get_if<List>(old), *list, sender);
}

void put_up(Entry& entry, Maker sender) {
  const auto put = [sender](const std::string& name, Maker& maker) {
    if (maker == sender && !bears_token_of(sender, name)) maker = kNobody;
  };
  if (auto* list = std::get_if<List>(&entry.value))
    for (ListElement& element : *list) put(element.value, element.maker);
  if (auto* set = std::get_if<Set>(&entry.value))
    for (auto& [name, member] : *set) put(name, member.maker);
  if (auto* set = std::get_if<SortedSet>(&entry.value))
    for (auto& [name, member] : *set) put(name, member.maker);
}

void expire_sooner(const Keyspace& before, Keyspace& after) {
  const auto sooner = [](const std::string&, const Entry* was, Entry& entry) {
    if (entry.expires && (was == nullptr || was->expires != entry.expires)) entry.expires->ms -= 1;
  };
  for_each_with_before(before, after, sooner);
}

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
  number |= other.number;
  common = common || other.common;
  sure |= other.sure;
  return *this;
}

namespace {

/// A string that bears nobody's token may be a mark of all who share a lock.
bool is_common(const Entry& entry) {
  const auto* text = std::get_if<std::string>(&entry.value);
  return text && !bears_token(*text);
}

}  // namespace

Belongings belongings_in(const Entry& entry) {
  Makers whole = 0, sharing = 0, named = 0;
  for (const auto& part : parts_of(entry)) {
    (part.share == 0 ? whole : sharing) |= only_maker(part.maker);
    if (part.share == 0 && bears_token_of(part.maker, part.name)) named |= only_maker(part.maker);
  }
  Belongings belongings;
  belongings.any = whole | sharing;
  const bool alone = std::has_single_bit(belongings.any);
  const bool hash = std::holds_alternative<Hash>(entry.value);
  const auto* text = std::get_if<std::string>(&entry.value);
  belongings.counting = alone ? sharing : 0;
  // A number that others count in is there for all, whoever has set it.
  const bool for_all = text && (sharing & ~whole) != 0;
  if (text && parse_integer(*text)) belongings.number = whole;
  // Who marks a field of a hash beside those of others, under no name of its own, only waits.
  belongings.refused = (for_all          ? 0
                        : hash && !alone ? named
                                         : whole) |
                       (text ? belongings.counting : 0);
  belongings.left = hash && !alone ? 0 : whole;
  belongings.common = is_common(entry);
  belongings.sure = belongings.common ? sharing : belongings.any;
  return belongings;
}

namespace {

/// A string that looks as it did, but is the sender's now, and ends later.
bool is_rewritten(const Entry& before, const Entry& after, Maker sender) {
  const auto* text = std::get_if<std::string>(&after.value);
  const auto* old_text = std::get_if<std::string>(&before.value);
  return text && old_text && *text == *old_text && after.maker == sender &&
         after.end() > before.end();
}

}  // namespace

bool names_one_of(const Entry& entry, const std::vector<Token>& tokens) {
  if (tokens.empty()) return false;
  const auto stands_in = [&tokens](std::string_view text) {
    return std::ranges::any_of(scan_tokens(text).tokens, [&](const Token& token) {
      return std::ranges::find(tokens, token) != tokens.end();
    });
  };
  if (const auto* text = std::get_if<std::string>(&entry.value)) return stands_in(*text);
  const auto* hash = std::get_if<Hash>(&entry.value);
  return hash &&
         std::ranges::any_of(*hash, [&](const auto& item) { return stands_in(item.second.value); });
}

PartsChange change_of(const Entry* before, const Entry* after, Maker sender,
                      const TokensIn& tokens_in) {
  const auto had = before ? parts_of(*before) : std::vector<Part>{};
  const auto have = after ? parts_of(*after) : std::vector<Part>{};
  PartsChange change;
  compare_shares(had, have, sender, change);
  for_each_missing(had, have, [&](const Part& part) {
    if (part.maker != sender)
      (is_overwritten(part, had, have, after, sender) ? change.overwritten : change.taken) |=
          only_maker(part.maker);
    change.freed = change.freed || part.maker == sender;
    change.counted = change.counted || (part.maker == sender && part.share != 0);
  });
  for_each_missing(have, had, [&](const Part& part) {
    change.made = change.made ||
                  (part.maker == sender && part.share == 0 && !is_set_again(part, before, after));
    if (part.maker != sender && part.share == 0) change.given |= only_maker(part.maker);
  });
  if (before && after) {
    const OwnMarks marks = marks_in(*before, *after, sender, tokens_in);
    change.marked = marks.marked;
    change.replaced = marks.replaced;
    change.common = is_common(*before) && is_common(*after);
    Makers others = 0, before_too = 0;  // SWAPDB may bring a key of somebody who had nothing there
    for (const auto& part : had) before_too |= only_maker(part.maker);
    bool entitled = false, counts = false;
    const bool hash = std::holds_alternative<Hash>(after->value);
    for (const auto& part : have) {
      if (part.maker != sender) others |= only_maker(part.maker);
      entitled = entitled || (part.maker == sender && (part.share == 0 || hash));
      counts = counts || (part.maker == sender && part.share != 0);
    }
    others &= before_too;
    for (const auto& part : had)
      if (has_maker(others | change.overwritten, part.maker) &&
          after->end() < relied_until(*before, part.maker))
        change.taken |= only_maker(part.maker);
    if (after->end() > before->end()) {
      const Makers living_on = others & ~change.taken & ~change.overwritten;
      change.by_count = counts;
      if (entitled)
        change.prolonged = living_on & ~with_times(*after);
      else
        change.extended = living_on;
    }
  }
  change.overwritten &= ~change.taken & ~only_maker(kNobody);
  change.taken |= change.overwritten;
  change.taken &= ~only_maker(kNobody);
  if (before && after && is_rewritten(*before, *after, sender))
    change.rewritten = change.taken & only_maker(before->maker);
  change.given &= ~only_maker(kNobody);
  change.extended &= ~only_maker(kNobody);
  change.prolonged &= ~only_maker(kNobody);
  if (sender == kNobody) {
    change.made_by_nobody = change.made;
    change.made = change.marked = change.replaced = change.freed = change.counted = false;
  }
  return change;
}

}  // namespace lockstep::sim
