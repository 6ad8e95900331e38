// Counts parts; see the header.
#include "checker/naive/belongings.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <variant>

#include "sim/base/token.hpp"

namespace lockstep::checker::naive {

using sim::kNobody;
using sim::Maker;

namespace {

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether a share lies further from nothing than another does, or on the other side of it.
bool is_further(std::int64_t share, std::int64_t than) {
  return share > 0 ? share > than : share < 0 && share < than;
}

}  // namespace

Belongings::Belongings(const sim::Entry* entry) : entry_(entry) {
  if (entry == nullptr) return;
  hash_ = std::holds_alternative<sim::Hash>(entry->value);
  string_ = std::holds_alternative<std::string>(entry->value);
  if (string_) {
    common_ = sim::scan_tokens(std::get<std::string>(entry->value)).tokens.empty();
    is_number_ = number_in(std::get<std::string>(entry->value)).has_value();
    add_number("", std::get<std::string>(entry->value), entry->maker, entry->shares);
  } else if (hash_) {
    for (const auto& [name, field] : std::get<sim::Hash>(entry->value))
      add_number(name, field.value, field.maker, field.shares);
  } else if (const auto* list = std::get_if<sim::List>(&entry->value)) {
    for (const auto& element : *list) add(element.value, element.maker);
  } else if (const auto* set = std::get_if<sim::Set>(&entry->value)) {
    for (const auto& [name, member] : *set) add(name, member.maker);
  } else {
    for (const auto& [name, member] : std::get<sim::SortedSet>(entry->value))
      add(name, member.maker);
  }
}

void Belongings::add(const std::string& name, Maker maker) { ++parts_[{maker, name}]; }

/// A string or a field, which may be a number that is counted in.
void Belongings::add_number(const std::string& name, const std::string& value, Maker maker,
                            const sim::Shares& shares) {
  std::int64_t together = 0;
  std::string left = value;  // without the pieces that are somebody's
  for (const sim::Token token : sim::scan_tokens(value).tokens) {
    const Maker named = sim::maker_of(token.process);
    const bool one_of_several = std::ranges::any_of(shares, [&](const sim::Share& share) {
      return sim::is_owner(share) && share.maker == named;
    });
    if (named == maker || one_of_several) tokens_[{named, name}].insert(token.number);
  }
  if (std::ranges::any_of(shares, sim::is_owner)) {  // the text is a part of each of them
    for (const sim::Share& share : shares)
      for (std::int64_t token = 0; token < share.amount; ++token) add(name, share.maker);
    return;
  }
  for (const sim::Share& share : shares) {
    if (share.place == 0) {
      shares_[{share.maker, name}] = share.amount;
      together += share.amount;
      continue;
    }
    shares_[{share.maker, name + "\n" + std::to_string(share.place)}] = share.amount;
    const auto past = share.place - 1 + static_cast<std::uint64_t>(share.amount);
    for (auto bit = share.place - 1; bit < past && bit / 8 < left.size(); ++bit)
      left[bit / 8] = '\0';
  }
  const bool in_pieces = std::ranges::any_of(shares, [](const auto& s) { return s.place != 0; });
  const bool only_counted =
      !shares.empty() && (in_pieces ? left.find_first_not_of('\0') == std::string::npos
                                    : together == number_in(value).value_or(0));
  if (maker != kNobody || !only_counted) add(name, maker);
}

std::int64_t Belongings::share(const Place& place) const {
  const auto found = shares_.find(place);
  return found == shares_.end() ? 0 : found->second;
}

std::set<Maker> Belongings::owners() const {
  std::set<Maker> owners;
  for (const auto& [place, count] : parts_) owners.insert(place.first);
  for (const auto& [place, amount] : shares_) owners.insert(place.first);
  owners.erase(kNobody);
  return owners;
}

bool Belongings::has_part(Maker maker) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const auto& part) { return part.first.first == maker; });
}

bool Belongings::has_named_part(Maker maker) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) {
    const auto tokens = sim::scan_tokens(part.first.second).tokens;
    return part.first.first == maker &&
           std::any_of(tokens.begin(), tokens.end(),
                       [&](sim::Token token) { return sim::maker_of(token.process) == maker; });
  });
}

bool Belongings::has_share(Maker maker) const {
  return std::any_of(shares_.begin(), shares_.end(),
                     [&](const auto& share) { return share.first.first == maker; });
}

bool Belongings::others_share(Maker maker) const {
  return std::any_of(shares_.begin(), shares_.end(),
                     [&](const auto& share) { return share.first.first != maker; });
}

bool Belongings::all_of(Maker maker) const {
  const auto is_its = [&](const auto& item) { return item.first.first == maker; };
  return has_anything(maker) && std::all_of(parts_.begin(), parts_.end(), is_its) &&
         std::all_of(shares_.begin(), shares_.end(), is_its);
}

bool Belongings::gave(const Belongings& after, Maker owner) const {
  for (const auto& [place, count] : after.parts_) {
    if (place.first != owner) continue;
    const auto had = parts_.find(place);
    if (had == parts_.end() || had->second < count) return true;
  }
  return false;
}

namespace {

/// What a part of this name says, and whether it is anybody's.
struct Said {
  std::string text;
  double score = 0;
};

std::optional<Said> said_by(const sim::Entry& key, const std::string& name) {
  if (const auto* text = std::get_if<std::string>(&key.value)) return Said{*text, 0};
  if (const auto* hash = std::get_if<sim::Hash>(&key.value))
    if (const auto field = hash->find(name); field != hash->end())
      return Said{field->second.value, 0};
  if (const auto* set = std::get_if<sim::Set>(&key.value))
    if (const auto member = set->find(name); member != set->end()) return Said{"", 0};
  if (const auto* set = std::get_if<sim::SortedSet>(&key.value))
    if (const auto member = set->find(name); member != set->end())
      return Said{"", member->second.score};
  return std::nullopt;
}

}  // namespace

/// The same part was there before, bears no lock token, and lasts no longer.
bool Belongings::had_already(const Belongings& after, const std::string& name) const {
  if (!entry_ || !after.entry_ || entry_->value.index() != after.entry_->value.index())
    return false;
  const auto &before = entry_->expires, &now = after.entry_->expires;
  if (before && (!now || now->ms > before->ms)) return false;
  const auto was = said_by(*entry_, name), is = said_by(*after.entry_, name);
  return was && is && was->text == is->text && was->score == is->score &&
         sim::scan_tokens(name + is->text).tokens.empty();
}

bool Belongings::made(const Belongings& after, Maker sender) const {
  for (const auto& [place, count] : after.parts_) {
    const auto had = parts_.find(place);
    const bool more = place.first == sender && count > (had == parts_.end() ? 0 : had->second);
    if (more && !had_already(after, place.second)) return true;
  }
  return std::any_of(after.shares_.begin(), after.shares_.end(), [&](const auto& has) {
    return has.first.first == sender && is_further(has.second, share(has.first));
  });
}

bool Belongings::marked(const Belongings& after, Maker sender) const {
  return std::any_of(after.tokens_.begin(), after.tokens_.end(), [&](const auto& text) {
    const auto& [place, numbers] = text;
    if (place.first != sender || !parts_.contains(place)) return false;
    const auto had = tokens_.find(place);
    return had == tokens_.end() ||
           !std::includes(had->second.begin(), had->second.end(), numbers.begin(), numbers.end());
  });
}

bool Belongings::replaced(const Belongings& after, Maker sender) const {
  return std::any_of(after.tokens_.begin(), after.tokens_.end(), [&](const auto& text) {
    const auto& [place, numbers] = text;
    const auto had = tokens_.find(place);
    if (place.first != sender || had == tokens_.end() || !parts_.contains(place)) return false;
    return std::none_of(numbers.begin(), numbers.end(),
                        [&](std::uint16_t number) { return had->second.contains(number); });
  });
}

bool Belongings::freed(const Belongings& after, Maker sender) const {
  for (const auto& [place, count] : parts_) {
    if (place.first != sender) continue;
    const auto left = after.parts_.find(place);
    if (left == after.parts_.end() || left->second < count) return true;
  }
  return freed_of_share(after, sender);
}

bool Belongings::freed_of_share(const Belongings& after, Maker sender) const {
  return std::any_of(shares_.begin(), shares_.end(), [&](const auto& had) {
    return had.first.first == sender && is_further(had.second, after.share(had.first));
  });
}

/// But for what an earlier end of the whole key takes.
bool Belongings::took_from(const Belongings& after, Maker sender, Maker owner) const {
  for (const auto& [place, count] : parts_) {
    if (place.first != owner) continue;
    const auto left = after.parts_.find(place);
    if (left == after.parts_.end() || left->second < count) return true;
  }
  return took_share(after, sender, owner);
}

bool Belongings::took_share(const Belongings& after, Maker sender, Maker owner) const {
  for (const auto& [place, amount] : shares_) {
    if (place.first == owner && after.share(place) == 0) return true;
  }
  for (const auto& [place, amount] : after.shares_) {
    if (place.first != owner) continue;
    const Place senders{sender, place.second};
    const std::int64_t now = after.share(senders);
    if (is_further(now, share(senders)) && (now > 0) != (amount > 0)) return true;
  }
  return false;
}

int Belongings::parts_named(const std::string& name) const {
  int count = 0;
  for (const auto& [place, times] : parts_)
    if (place.second == name && place.first != kNobody) count += times;
  return count;
}

bool Belongings::only_wrote_over(const Belongings& after, Maker sender, Maker owner) const {
  if (took_share(after, sender, owner)) return false;
  return std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) {
    const auto& [place, count] = part;
    const auto left = after.parts_.find(place);
    const bool lost = left == after.parts_.end() || left->second < count;
    return place.first != owner || !lost ||
           (after.parts_named(place.second) >= parts_named(place.second) &&
            !after.tokens_.contains({sender, place.second}));
  });
}

std::set<int> databases_of(const sim::Keyspace& keyspace) {
  std::set<int> databases;
  for (int database = 0; database < sim::kDatabases; ++database)
    if (keyspace.may_have_leases(database)) databases.insert(database);
  return databases;
}

}  // namespace lockstep::checker::naive
