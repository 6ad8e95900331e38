// Commands on hashes (Redis 7.0 t_hash.c). Fields keep the order in which they were added, as in
// Redis's listpack encoding (at most 128 fields of at most 64 bytes); a larger hash has no
// documented order in Redis.
#include <cmath>

#include "sim/commands/handlers.hpp"
#include "sim/commands/numbers.hpp"

namespace lockstep::sim {

namespace {

Hash& hash_or_new(Call& call) { return call.at_or_new<Hash>(call.argv[1]); }

const HashField* find_field(const Hash* hash, const std::string& name) {
  if (!hash) return nullptr;
  const auto it = hash->find(name);
  return it == hash->end() ? nullptr : &it->second;
}

/// Sets a field that the sender makes or overwrites; true if it is new.
bool set_field(Call& call, Hash& hash, const std::string& name, const std::string& value) {
  const auto position = static_cast<std::uint32_t>(hash.size());
  const auto [it, is_new] =
      hash.try_emplace(name, HashField{value, call.execution.sender, position});
  if (!is_new) {
    it->second.value = value;
    it->second.maker = call.execution.sender;
  }
  return is_new;
}

/// A counter's new value: an existing field keeps its maker.
void store_count(Call& call, Hash& hash, const std::string& name, std::string value) {
  const auto it = hash.find(name);
  if (it != hash.end()) {
    it->second.value = std::move(value);
  } else {
    set_field(call, hash, name, value);
  }
}

bool erase_field(Hash& hash, const std::string& name) {
  const auto it = hash.find(name);
  if (it == hash.end()) return false;
  const std::uint32_t position = it->second.position;
  hash.erase(it);
  for (auto& [other, field] : hash) {
    if (field.position > position) --field.position;
  }
  return true;
}

std::int64_t set_fields(Call& call, std::string_view command) {
  if (call.argv.size() % 2 == 1) refuse_arity(command);
  Hash& hash = hash_or_new(call);
  std::int64_t created = 0;
  for (std::size_t i = 2; i < call.argv.size(); i += 2) {
    if (set_field(call, hash, call.argv[i], call.argv[i + 1])) ++created;
  }
  return created;
}

Reply bulk_or_null(const HashField* field) {
  return field ? Reply::bulk(field->value) : Reply::null();
}

/// The hash's contents in its order: names, values, or both in turn.
Reply listing(Call& call, bool names, bool values) {
  std::vector<Reply> items;
  const Hash* hash = call.hash_at(call.argv[1]);
  if (!hash) return Reply::array({});
  const std::size_t width = names && values ? 2 : 1;
  items.resize(hash->size() * width);
  for (const auto& [name, field] : *hash) {
    const std::size_t at = field.position * width;
    if (names) items[at] = Reply::bulk(name);
    if (values) items[at + width - 1] = Reply::bulk(field.value);
  }
  return Reply::array(std::move(items));
}

}  // namespace

Reply run_hset(Call& call) { return Reply::number(set_fields(call, "hset")); }

Reply run_hmset(Call& call) {
  set_fields(call, "hmset");
  return Reply::ok();
}

Reply run_hsetnx(Call& call) {
  if (find_field(call.hash_at(call.argv[1]), call.argv[2])) return Reply::number(0);
  set_field(call, hash_or_new(call), call.argv[2], call.argv[3]);
  return Reply::number(1);
}

Reply run_hget(Call& call) {
  return bulk_or_null(find_field(call.hash_at(call.argv[1]), call.argv[2]));
}

Reply run_hmget(Call& call) {
  const Hash* hash = call.hash_at(call.argv[1]);
  std::vector<Reply> values;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    values.push_back(bulk_or_null(find_field(hash, call.argv[i])));
  }
  return Reply::array(std::move(values));
}

Reply run_hdel(Call& call) {
  Hash* hash = call.hash_at(call.argv[1]);
  if (!hash) return Reply::number(0);
  std::int64_t removed = 0;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    if (erase_field(*hash, call.argv[i])) ++removed;
  }
  if (hash->empty()) call.erase(call.argv[1]);
  return Reply::number(removed);
}

Reply run_hexists(Call& call) {
  return Reply::number(find_field(call.hash_at(call.argv[1]), call.argv[2]) ? 1 : 0);
}

Reply run_hlen(Call& call) {
  const Hash* hash = call.hash_at(call.argv[1]);
  return Reply::number(hash ? static_cast<std::int64_t>(hash->size()) : 0);
}

Reply run_hstrlen(Call& call) {
  const HashField* field = find_field(call.hash_at(call.argv[1]), call.argv[2]);
  return Reply::number(field ? static_cast<std::int64_t>(field->value.size()) : 0);
}

Reply run_hkeys(Call& call) { return listing(call, true, false); }
Reply run_hvals(Call& call) { return listing(call, false, true); }
Reply run_hgetall(Call& call) { return listing(call, true, true); }

Reply run_hincrby(Call& call) {
  const std::int64_t by = integer_argument(call.argv[3]);
  const HashField* field = find_field(call.hash_at(call.argv[1]), call.argv[2]);
  const std::int64_t value =
      field ? integer_argument(field->value, "ERR hash value is not an integer") : 0;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(value, by, &sum)) {
    refuse("ERR increment or decrement would overflow");
  }
  store_count(call, hash_or_new(call), call.argv[2], std::to_string(sum));
  return Reply::number(sum);
}

Reply run_hincrbyfloat(Call& call) {
  const auto by = parse_float(call.argv[3]);
  if (!by) refuse("ERR value is not a valid float");
  if (!std::isfinite(*by)) refuse("ERR value is NaN or Infinity");
  const HashField* field = find_field(call.hash_at(call.argv[1]), call.argv[2]);
  const auto value = field ? parse_float(field->value) : 0.0L;
  if (!value) refuse("ERR hash value is not a float");
  const long double sum = *value + *by;
  if (!std::isfinite(sum)) refuse("ERR increment would produce NaN or Infinity");
  std::string shown = format_float(sum);
  store_count(call, hash_or_new(call), call.argv[2], shown);
  return Reply::bulk(std::move(shown));
}

}  // namespace lockstep::sim
