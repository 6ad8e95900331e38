// The keyspace as a value: look-up with expiry, and the canonical bytes under which equal keyspaces
// are interned.
#include "sim/keyspace.hpp"

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

void put_entry(std::string& out, const Entry& entry) {
  out.push_back(static_cast<char>(entry.maker));
  out.push_back(entry.expires ? 1 : 0);
  if (entry.expires) put_number(out, static_cast<std::uint64_t>(entry.expires->ms));
  out.push_back(static_cast<char>(entry.value.index()));
  if (const auto* text = std::get_if<std::string>(&entry.value)) {
    put_bytes(out, *text);
    return;
  }
  const auto& hash = std::get<Hash>(entry.value);
  put_number(out, hash.size());
  for (const auto& [name, field] : hash) {
    put_bytes(out, name);
    put_bytes(out, field.value);
    out.push_back(static_cast<char>(field.maker));
    put_number(out, field.position);
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

}  // namespace

const Entry* Keyspace::find(std::string_view key, WallTime now) const {
  const auto it = keys.find(key);
  return it == keys.end() || expired(it->second, now) ? nullptr : &it->second;
}

void Keyspace::purge(WallTime now) {
  std::erase_if(keys, [now](const auto& item) { return expired(item.second, now); });
}

void Keyspace::shift_expiry(Duration by) {
  for (auto& [key, entry] : keys) {
    if (entry.expires) entry.expires = *entry.expires + by;
  }
}

void Keyspace::disown(Maker maker) {
  for (auto& [key, entry] : keys) {
    if (entry.maker == maker) entry.maker = 0;
    auto* hash = std::get_if<Hash>(&entry.value);
    if (!hash) continue;
    for (auto& [name, field] : *hash) {
      if (field.maker == maker) field.maker = 0;
    }
  }
}

std::string encode(const Keyspace& keyspace) {
  std::string out;
  put_number(out, keyspace.keys.size());
  for (const auto& [key, entry] : keyspace.keys) {
    put_bytes(out, key);
    put_entry(out, entry);
  }
  put_number(out, keyspace.scripts.size());
  for (const auto& [sha1, body] : keyspace.scripts) {
    put_bytes(out, sha1);
    put_bytes(out, body);
  }
  put_number(out, keyspace.script_random);
  put_json_settings(out, keyspace.script_json);
  return out;
}

}  // namespace lockstep::sim
