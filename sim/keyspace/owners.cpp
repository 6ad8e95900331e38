// See the header.
#include "sim/keyspace/owners.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "sim/base/time.hpp"
#include "sim/base/token.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/visible_key.hpp"

namespace lockstep::sim {

namespace {

bool is_time(const std::string& text) {
  const std::int64_t number = parse_integer(text).value_or(0);
  return number >= kFirstTime || number <= -kFirstTime;
}

/// A text in a key, and whose it is.
struct Text {
  const std::string& text;
  Maker maker;
  const Shares& shares;
};

/// The processes whose tokens stand in a text, each with these.
std::map<Maker, std::set<std::uint16_t>> named_in(const std::string& text, const WrittenBy& by) {
  std::map<Maker, std::set<std::uint16_t>> named;
  for (const Token token : by.tokens_in(text)) named[maker_of(token.process)].insert(token.number);
  return named;
}

/// Whose a text is, as a whole or a piece of it; nothing if it is a number that is counted in.
std::optional<std::set<Maker>> owners_of(const Text& text) {
  std::set<Maker> owners;
  for (const Share& share : text.shares) {
    if (share.place == 0) return std::nullopt;
    owners.insert(share.maker);
  }
  if (text.maker != 0) owners.insert(text.maker);
  return owners;
}

/// How many parts each has of a text: as many as tokens of its stand in it.
using Owners = std::map<Maker, std::int64_t>;

void give_to(const Owners& owners, Maker& maker, Shares& shares) {
  shares.clear();
  const bool one = owners.size() == 1 && owners.begin()->second == 1;
  maker = one ? owners.begin()->first : 0;
  if (!one)
    for (const auto& [owner, tokens] : owners) add_share(shares, owner, tokens, kOwner);
}

/// Nothing if it is not a text in which a token of another owner has been left; or if it was the
/// sender's alone, some of that's.
std::optional<Owners> owners_kept(const Text& before, const std::string& after,
                                  const WrittenBy& by) {
  const Maker sender = by.sender;
  const auto owners = owners_of(before);
  if (!owners || owners->empty()) return std::nullopt;
  auto had = named_in(before.text, by), has = named_in(after, by);
  Owners kept;
  for (const Maker owner : *owners) {
    const auto left = [&](std::uint16_t token) { return has[owner].contains(token); };
    if (owner != sender && std::ranges::any_of(had[owner], left))
      kept[owner] = std::ssize(has[owner]);
  }
  const auto stands = [&](std::uint16_t token) { return has[sender].contains(token); };
  if (kept.empty() && std::ranges::none_of(had[sender], stands)) return std::nullopt;
  if (sender != 0 && !has[sender].empty()) kept[sender] = std::ssize(has[sender]);
  return kept;
}

/// A piece that somebody has begun a text with, and that names it, is all of the text.
void own_if_named(const std::string& text, Maker& maker, Shares& shares, const WrittenBy& by) {
  const auto owners = owners_of({text, maker, shares});
  if (maker != 0 || !owners || owners->size() != 1 || std::ranges::any_of(shares, is_owner)) return;
  const Maker owner = *owners->begin();
  if (named_in(text, by).contains(owner)) give_to({{owner, 1}}, maker, shares);
}

void keep_named(const Text& before, const std::string& text, Maker& maker, Shares& shares,
                const WrittenBy& by) {
  if (before.text == text && std::ranges::any_of(before.shares, is_owner)) {
    maker = before.maker;
    shares = before.shares;
  } else if (before.text != text) {
    if (const auto owners = owners_kept(before, text, by))
      give_to(*owners, maker, shares);
    else if (std::ranges::any_of(shares, is_owner))
      give_to({{by.sender, 1}}, maker, shares);
  }
}

/// 1 or -1, where one more or one less was written over a number, or over nothing.
std::optional<std::int64_t> counted_by(const std::string& before, const std::string& after) {
  const auto was = before.empty() ? 0 : parse_integer(before), is = parse_integer(after);
  if (!was || !is || is_time(before) || is_time(after)) return std::nullopt;
  return std::abs(*is - *was) == 1 ? std::optional(*is - *was) : std::nullopt;
}

void keep(const std::optional<Text>& before, const std::string& text, Maker& maker, Shares& shares,
          const WrittenBy& by) {
  const std::string was = before ? before->text : "";
  const std::optional<std::int64_t> more = counted_by(was, text);
  if (by.counts && more && maker == by.sender && shares.empty()) {
    maker = before ? before->maker : 0;
    shares = before ? before->shares : Shares{};
    return count_in(maker, shares, by.sender, was, text, more);
  }
  if (before) keep_named(*before, text, maker, shares, by);
  own_if_named(text, maker, shares, by);
}

/// Of what was removed and put back, whose it was: where it bears a lock token, nobody else's is
/// the same.
void keep_named_parts(const Hash& before, Hash& after) {
  for (auto& [name, field] : after) {
    const auto was = before.find(name);
    if (was == before.end() || was->second.value != field.value) continue;
    if (!bears_token(name) && !bears_token(field.value)) continue;
    field.maker = was->second.maker;
    field.shares = was->second.shares;
  }
}

/// Of equal elements each as the one at its place among them.
void keep_named_parts(const List& before, List& after) {
  std::multimap<std::string_view, Maker> makers;
  for (const ListElement& element : before) makers.emplace(element.value, element.maker);
  for (ListElement& element : after) {
    const auto was = makers.find(element.value);
    if (was == makers.end() || !bears_token(element.value)) continue;
    element.maker = was->second;
    makers.erase(was);
  }
}

void keep_named_parts(const Entry& before, Entry& after) {
  if (auto* hash = std::get_if<Hash>(&after.value))
    if (const auto* old = std::get_if<Hash>(&before.value)) keep_named_parts(*old, *hash);
  if (auto* list = std::get_if<List>(&after.value))
    if (const auto* old = std::get_if<List>(&before.value)) keep_named_parts(*old, *list);
  if (const auto* text = std::get_if<std::string>(&after.value))
    if (before.value == after.value && bears_token(*text)) after.maker = before.maker;
  keep_makers(before, after, bears_token);
}

/// Hands over what is new in one key.
class Handover {
 public:
  explicit Handover(const HandedBy& by) : by_(by) {}

  /// `before` is what had this name, or null. Who writes over another's part takes it, even if the
  /// other's token still stands there: it may look for all of the text.
  template <class Part>
  void part(const std::string& text, const Part* before, Part& after, bool as_before) {
    if (before == nullptr)
      put(text, after.maker);
    else if (before->maker != after.maker || !as_before)
      put(text, after.maker, before->maker);
  }
  void put(const std::string& text, Maker& maker, Maker had = kNobody) {
    if (maker != by_.sender) return;
    const Maker named = named_in(text);
    if (named == kNobody || named == had || named == by_.late) return;
    const bool gone = has_maker(by_.gone, named);
    if (gone && by_.sender != kNobody) to_gone_ |= only_maker(named);
    maker = gone ? kNobody : named;
  }
  /// A field by a token's name in which a request counts that has just made it.
  void counted(const std::string& name, HashField& field) {
    if (field.maker != kNobody || field.shares.size() != 1) return;
    if (field.shares.front().maker != by_.sender || named_in(name) == kNobody) return;
    field.shares.clear();
    field.maker = by_.sender;
    put(name, field.maker);
  }
  Makers to_gone() const { return to_gone_; }

 private:
  /// The one process whose tokens stand in it; nobody if there are several, or it is the sender.
  Maker named_in(const std::string& text) const {
    Maker named = kNobody;
    for (const Token token : by_.tokens_in(text)) {
      const Maker maker = maker_of(token.process);
      if (maker == by_.sender || (named != kNobody && named != maker)) return kNobody;
      named = maker;
    }
    return named;
  }

  const HandedBy& by_;
  Makers to_gone_ = 0;
};

void hand_over(const Hash* before, Hash& after, Handover& handover) {
  for (auto& [name, field] : after) {
    const HashField* old = nullptr;
    if (before)
      if (const auto was = before->find(name); was != before->end()) old = &was->second;
    if (old == nullptr) handover.counted(name, field);
    if (!field.shares.empty()) continue;
    handover.part(name + "\n" + field.value, old, field, old && old->value == field.value);
  }
}

/// Of equal elements as many as are new.
void hand_over(const List* before, List& after, Handover& handover) {
  std::map<std::pair<std::string_view, Maker>, std::size_t> old;
  if (before)
    for (const ListElement& element : *before) ++old[{element.value, element.maker}];
  for (ListElement& element : after) {
    if (std::size_t& left = old[{element.value, element.maker}]; left > 0)
      --left;
    else
      handover.put(element.value, element.maker);
  }
}

template <class Members>  // Set, SortedSet
void hand_over_members(const Members* before, Members& after, Handover& handover) {
  for (auto& [name, member] : after) {
    const auto* const old =
        before && before->contains(name) ? &before->find(name)->second : nullptr;
    handover.part(name, old, member, true);
  }
}

}  // namespace

Makers hand_over(const Entry* before, Entry& after, const HandedBy& by) {
  Handover handover(by);
  const auto* old = before ? &before->value : nullptr;
  if (auto* text = std::get_if<std::string>(&after.value); text && after.shares.empty()) {
    const auto* old_text = std::get_if<std::string>(old);
    handover.part(*text, old_text ? before : nullptr, after, old_text && *old_text == *text);
  }
  if (auto* hash = std::get_if<Hash>(&after.value))
    hand_over(std::get_if<Hash>(old), *hash, handover);
  if (auto* list = std::get_if<List>(&after.value))
    hand_over(std::get_if<List>(old), *list, handover);
  if (auto* set = std::get_if<Set>(&after.value))
    hand_over_members(std::get_if<Set>(old), *set, handover);
  if (auto* set = std::get_if<SortedSet>(&after.value))
    hand_over_members(std::get_if<SortedSet>(old), *set, handover);
  return handover.to_gone();
}

void count_in(Maker& maker, Shares& shares, Maker sender, const std::string& before,
              const std::string& after, std::optional<std::int64_t> by) {
  if (!by || *by == 0) return;
  if (is_time(before) || is_time(after)) {
    maker = sender;
    return shares.clear();
  }
  if (maker == sender) {
    std::int64_t set = parse_integer(before).value_or(0);
    for (const auto& share : shares) set -= share.amount;
    const bool goes_on = (set > 0) == (*by > 0);
    if ((set == 1 || set == -1) && goes_on) add_share(shares, sender, set);
    maker = 0;
  }
  add_share(shares, sender, *by);
}

bool bears_token(const std::string& name) {
  constexpr int kDigits = 32;
  int digits = 0;
  for (const char c : name) {
    digits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ? digits + 1 : 0;
    if (digits == kDigits) return true;
  }
  return !scan_tokens(name).tokens.empty();
}

namespace {

/// What was `before`'s stays so, though `maker` is whose it became: unless it was set again in
/// place of an idle process.
void put_back(Maker before, Maker& maker, const std::string& text, Rewriter& by) {
  const bool again = maker == by.sender && before != by.sender && maker != kNobody &&
                     before != kNobody && !bears_token(text);
  by.rewrote = by.rewrote || again;
  if (!again || !has_maker(by.idle, before)) maker = before;
}

template <class Parts>  // Hash, Set, SortedSet: the same names in both
void put_back(const Parts& before, const Parts& written, Parts& parts, Rewriter& by) {
  for (auto& [name, part] : parts) {
    part.maker = written.at(name).maker;
    std::string text = name;
    if constexpr (std::is_same_v<Parts, Hash>) text += part.value;
    put_back(before.at(name).maker, part.maker, text, by);
  }
}

/// The entry as it was, where it was not set again.
void put_back(const Entry& before, Entry& entry, Rewriter& by) {
  const Entry written = std::exchange(entry, before);
  entry.encoding = written.encoding;
  if (const auto* text = std::get_if<std::string>(&entry.value); text && entry.shares.empty()) {
    entry.maker = written.maker;
    put_back(before.maker, entry.maker, *text, by);
  }
  const auto of_parts = [&](auto* parts) {
    using Parts = std::remove_pointer_t<decltype(parts)>;
    if (parts) put_back(std::get<Parts>(before.value), std::get<Parts>(written.value), *parts, by);
  };
  of_parts(std::get_if<Hash>(&entry.value));
  of_parts(std::get_if<Set>(&entry.value));
  of_parts(std::get_if<SortedSet>(&entry.value));
}

}  // namespace

void keep_what_is_as_before(const Keyspace& before, Keyspace& after, Rewriter& by) {
  for_each_with_before(before, after, [&](const std::string&, const Entry* was, Entry& entry) {
    if (!was || *was == entry) return;
    if (was->expires != entry.expires || visible(*was) != visible(entry))
      return keep_named_parts(*was, entry);
    put_back(*was, entry, by);
  });
}

void keep_owners(const Entry* before, Entry& after, const WrittenBy& by) {
  if (auto* text = std::get_if<std::string>(&after.value)) {
    const auto* old = before ? std::get_if<std::string>(&before->value) : nullptr;
    std::optional<Text> was;
    if (old) was.emplace(Text{*old, before->maker, before->shares});
    if (before && !old) return;  // it was a key of another type
    keep(was, *text, after.maker, after.shares, by);
  }
  auto* hash = std::get_if<Hash>(&after.value);
  const auto* old_hash = before ? std::get_if<Hash>(&before->value) : nullptr;
  if (!hash) return;
  for (auto& [name, field] : *hash) {
    std::optional<Text> was;
    if (old_hash)
      if (const auto old = old_hash->find(name); old != old_hash->end())
        was.emplace(Text{old->second.value, old->second.maker, old->second.shares});
    keep(was, field.value, field.maker, field.shares, by);
  }
}

bool names_several(const VisibleValue& value, const TokensIn& tokens_in) {
  const auto several_in = [&](const std::string& text) {
    std::set<std::uint8_t> named;
    for (const Token token : tokens_in(text)) named.insert(token.process);
    return named.size() > 1;
  };
  if (const auto* text = std::get_if<std::string>(&value)) return several_in(*text);
  if (const auto* list = std::get_if<VisibleList>(&value))
    return std::ranges::any_of(*list, several_in);
  if (const auto* set = std::get_if<VisibleSet>(&value))
    return std::ranges::any_of(*set, several_in);
  if (const auto* hash = std::get_if<VisibleHash>(&value))
    return std::ranges::any_of(
        *hash, [&](const auto& field) { return several_in(field.first + "\n" + field.second); });
  return std::ranges::any_of(std::get<VisibleSortedSet>(value),
                             [&](const auto& member) { return several_in(member.first); });
}

}  // namespace lockstep::sim
