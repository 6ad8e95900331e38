// The keyspace as a value: look-up with expiry, and the canonical bytes under which equal keyspaces
// are interned.
#include "sim/keyspace/keyspace.hpp"

#include <algorithm>
#include <type_traits>

namespace lockstep::sim {

namespace {

bool expired(const Entry& entry, WallTime now) { return entry.expires && now > *entry.expires; }

void put_number(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out.push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  out.push_back(static_cast<char>(number));
}

void put_bytes(std::string& out, std::string_view bytes) {
  put_number(out, bytes.size());
  out += bytes;
}

/// Nothing for none, so that a value without shares costs no byte.
void put_shares(std::string& out, const Shares& shares) {
  for (const auto& share : shares) {
    out.push_back(static_cast<char>(share.maker));
    put_number(out, static_cast<std::uint64_t>(share.amount));
    put_number(out, share.place);
  }
}

void put_value(std::string& out, const std::string& text) { put_bytes(out, text); }

void put_value(std::string& out, const Hash& hash) {
  put_number(out, hash.size());
  for (const auto& [name, field] : hash) {
    put_bytes(out, name);
    put_bytes(out, field.value);
    out.push_back(static_cast<char>(field.maker));
    put_number(out, field.position);
    put_number(out, field.shares.size());
    put_shares(out, field.shares);
  }
}

void put_json_settings(std::string& out, const dialect::JsonSettings& json) {
  const bool changed = json != dialect::JsonSettings{};
  out.push_back(changed ? 1 : 0);
  if (!changed) return;
  for (const int number :
       {static_cast<int>(json.sparse_as_object), json.sparse_ratio, json.sparse_safe,
        json.encode_max_depth, json.decode_max_depth, json.precision,
        static_cast<int>(json.keep_buffer), static_cast<int>(json.encode_invalid),
        static_cast<int>(json.decode_invalid)}) {
    put_number(out, static_cast<std::uint64_t>(number));
  }
}

void put_value(std::string& out, const List& list) {
  put_number(out, list.size());
  for (const auto& element : list) {
    put_bytes(out, element.value);
    out.push_back(static_cast<char>(element.maker));
  }
}

void put_value(std::string& out, const Set& set) {
  put_number(out, set.size());
  for (const auto& [member, about] : set) {
    put_bytes(out, member);
    out.push_back(static_cast<char>(about.maker));
    put_number(out, about.position);
  }
}

void put_value(std::string& out, const SortedSet& set) {
  put_number(out, set.size());
  for (const auto& [member, about] : set) {
    put_bytes(out, member);
    out.push_back(static_cast<char>(about.maker));
    put_number(out, std::bit_cast<std::uint64_t>(about.score));
  }
}

void put_entry(std::string& out, const Entry& entry) {
  out.push_back(static_cast<char>(entry.maker));
  const std::int64_t sooner = entry.expires ? entry.expires->sooner : 0;
  const std::int64_t lasts = entry.expires ? entry.expires->lasts_ms : 0;
  put_number(out, entry.shares.size() << 4U | (entry.reliances.empty() ? 0U : 8U) |
                      (lasts != 0 ? 4U : 0U) | (sooner != 0 ? 2U : 0U) | (entry.expires ? 1U : 0U));
  put_shares(out, entry.shares);
  if (entry.expires) put_number(out, static_cast<std::uint64_t>(entry.expires->ms));
  if (sooner != 0) put_number(out, static_cast<std::uint64_t>(sooner));
  if (lasts != 0) put_number(out, static_cast<std::uint64_t>(lasts));
  if (!entry.reliances.empty()) put_number(out, entry.reliances.size());
  for (const auto& [maker, until] : entry.reliances) {
    out.push_back(static_cast<char>(maker));
    put_number(out, static_cast<std::uint64_t>(until.ms));
    put_number(out, static_cast<std::uint64_t>(until.sooner));
  }
  out.push_back(
      static_cast<char>(entry.value.index() << 4U | static_cast<unsigned>(entry.encoding)));
  std::visit([&out](const auto& value) { put_value(out, value); }, entry.value);
}

void put_keys(std::string& out, const Keys& keys) {
  put_number(out, keys.size());
  for (const auto& [key, entry] : keys) {
    put_bytes(out, key);
    put_entry(out, entry);
  }
}

void disown_parts(std::string&, Maker) {}

void disown_parts(List& list, Maker maker) {
  for (auto& element : list) {
    if (element.maker == maker) element.maker = 0;
  }
}

void drop_share(Shares& shares, Maker maker) {
  std::erase_if(shares, [maker](const Share& share) { return share.maker == maker; });
}

template <class Parts>  // Hash, Set, SortedSet
void disown_parts(Parts& parts, Maker maker) {
  for (auto& [name, part] : parts) {
    if (part.maker == maker) part.maker = 0;
    if constexpr (std::is_same_v<Parts, Hash>) drop_share(part.shares, maker);
  }
}

using Change = std::function<std::string(std::string_view)>;

void change_texts(std::string& text, const Change& change) { text = change(text); }

void change_texts(List& list, const Change& change) {
  for (auto& element : list) element.value = change(element.value);
}

template <class Parts>  // Hash, Set, SortedSet
void change_texts(Parts& parts, const Change& change) {
  Parts changed;
  for (auto& [name, part] : parts) {
    if constexpr (std::is_same_v<Parts, Hash>) part.value = change(part.value);
    changed.emplace(change(name), std::move(part));
  }
  parts = std::move(changed);
}

}  // namespace

const Entry* Keyspace::find(std::string_view key, WallTime now) const {
  const auto it = keys.find(key);
  return it == keys.end() || expired(it->second, now) ? nullptr : &it->second;
}

const Entry* Keyspace::find(int database, std::string_view key) const {
  const Keys* keys_there = this->database(database);
  if (!keys_there) return nullptr;
  const auto place = keys_there->find(key);
  return place == keys_there->end() ? nullptr : &place->second;
}

const Keys* Keyspace::database(int database, int selected) const {
  if (database == selected) return &keys;
  const auto it = others.find(static_cast<std::uint8_t>(database));
  return it == others.end() ? nullptr : &it->second;
}

void Keyspace::select(int selected, int wanted) {
  if (selected == wanted) return;
  if (!keys.empty()) others.emplace(static_cast<std::uint8_t>(selected), std::move(keys));
  keys.clear();
  if (auto taken = others.extract(static_cast<std::uint8_t>(wanted))) {
    keys = std::move(taken.mapped());
  }
}

void Keyspace::purge(WallTime now, bool told) {
  const auto purge_one = [&](std::uint8_t number, Keys& from) {
    std::erase_if(from, [&](const auto& item) {
      const bool gone = expired(item.second, now);
      if (gone && told) unnoticed.emplace(std::pair(number, item.first), false);
      return gone;
    });
  };
  purge_one(0, keys);
  if (others.empty()) return;
  for (auto& [number, other] : others) purge_one(number, other);
  std::erase_if(others, [](const auto& item) { return item.second.empty(); });
}

void Keyspace::shift_expiry(Duration by) {
  for_each([by](const std::string&, Entry& entry) {
    entry.change_times([by](Expiry time) {
      time.ms += by.ms;
      return time;
    });
  });
}

void Keyspace::disown(Maker maker) {
  for_each([maker](const std::string&, Entry& entry) {
    if (entry.maker == maker) entry.maker = 0;
    drop_share(entry.shares, maker);
    std::erase_if(entry.reliances, [maker](const Reliance& each) { return each.maker == maker; });
    std::visit([maker](auto& value) { disown_parts(value, maker); }, entry.value);
  });
}

Keyspace mirror_of(Keyspace master, const Keyspace& replica) {
  master.scripts = replica.scripts;
  master.script_random = replica.script_random;
  master.script_json = replica.script_json;
  return master;
}

bool same_keys(const Keyspace& a, const Keyspace& b) {
  return a.keys == b.keys && a.others == b.others && a.libraries == b.libraries;
}

std::vector<std::string_view> texts(const Entry& entry) {
  std::vector<std::string_view> all;
  if (const auto* text = std::get_if<std::string>(&entry.value)) all.push_back(*text);
  if (const auto* list = std::get_if<List>(&entry.value)) {
    for (const auto& element : *list) all.push_back(element.value);
  }
  if (const auto* hash = std::get_if<Hash>(&entry.value)) {
    for (const auto& [name, field] : *hash) all.insert(all.end(), {name, field.value});
  }
  if (const auto* set = std::get_if<Set>(&entry.value)) {
    for (const auto& [member, about] : *set) all.push_back(member);
  }
  if (const auto* set = std::get_if<SortedSet>(&entry.value)) {
    for (const auto& [member, about] : *set) all.push_back(member);
  }
  return all;
}

Entry with_texts(const Entry& entry, const Change& change) {
  Entry changed = entry;
  std::visit([&change](auto& value) { change_texts(value, change); }, changed.value);
  return changed;
}

SortedSetOrder in_order(const SortedSet& set) {
  SortedSetOrder order;
  order.reserve(set.size());
  for (const auto& item : set) order.push_back(&item);
  std::ranges::stable_sort(order, {}, [](const auto* item) { return item->second.score; });
  return order;
}

std::string encode(const Keyspace& keyspace) {
  std::string out;
  put_keys(out, keyspace.keys);
  put_number(out, keyspace.scripts.size());
  for (const auto& [sha1, body] : keyspace.scripts) {
    put_bytes(out, sha1);
    put_bytes(out, body);
  }
  put_number(out, keyspace.script_random);
  put_json_settings(out, keyspace.script_json);
  for (const auto& [number, other] : keyspace.others) {  // none: nothing is added
    put_number(out, number);
    put_keys(out, other);
  }
  if (keyspace.lease_databases != Keyspace{}.lease_databases) {
    put_number(out, kDatabases + 1);
    put_number(out, keyspace.lease_databases);
  }
  if (!keyspace.libraries.empty()) put_number(out, kDatabases);  // no number of a database
  for (const auto& [name, code] : keyspace.libraries) {
    put_bytes(out, name);
    put_bytes(out, code);
  }
  if (!keyspace.unnoticed.empty()) put_bytes(out, "");  // no name of a library
  for (const auto& [place, late] : keyspace.unnoticed) {
    put_number(out, place.first * 2U + (late ? 1U : 0U));
    put_bytes(out, place.second);
  }
  return out;
}

}  // namespace lockstep::sim
