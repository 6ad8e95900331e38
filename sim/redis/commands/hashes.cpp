// Commands on hashes (Redis 7.0 t_hash.c). Fields keep the order in which they were added, as in
// Redis's listpack encoding (at most 512 fields of at most 64 bytes); a larger hash has no
// documented order in Redis.
#include <cmath>
#include <optional>

#include "sim/keyspace/compact_limits.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/keyspace/ordered_parts.hpp"
#include "sim/keyspace/owners.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/random_choice.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

const HashField* find_field(const Hash* hash, const std::string& name) {
  if (!hash) return nullptr;
  const auto it = hash->find(name);
  return it == hash->end() ? nullptr : &it->second;
}

/// The field `name`, made if it is not there, with this value; true if it is new. A hash that is
/// too large for a listpack becomes a hash table, for good.
struct Placed {
  HashField& field;
  bool is_new;
};
Placed place(Call& call, const std::string& name, const std::string& value) {
  const Maker sender = call.execution.sender;
  auto& hash = call.at_or_new<Hash>(call.argv[1]);
  const auto position = static_cast<std::uint32_t>(hash.size());
  const auto [it, is_new] = hash.try_emplace(name, HashField{value, sender, position, {}});
  it->second.value = value;
  if (hash.size() > kMostListpackFields || name.size() > kLongestListpackField ||
      value.size() > kLongestListpackField) {
    call.find(call.argv[1])->encoding = Encoding::large;
  }
  return {it->second, is_new};
}

/// Sets a field that the sender makes or overwrites; true if it is new. A value that it has already
/// leaves it whose it is.
bool set_field(Call& call, const std::string& name, const std::string& value) {
  const HashField* old = find_field(call.at<Hash>(call.argv[1]), name);
  const bool same =
      old && old->value == value && (!old->shares.empty() || call.stays(old->maker, name + value));
  const Placed placed = place(call, name, value);
  if (same) return false;
  placed.field.maker = call.execution.sender;
  placed.field.shares.clear();
  return placed.is_new;
}

/// Writes the new value of a field that is counted in. One whose name bears a lock token is that of
/// one client however often it is counted in: another one that does so writes over it.
void count_in_field(Call& call, const std::string& value, std::optional<std::int64_t> by) {
  const std::string& name = call.argv[2];
  const HashField* old = find_field(call.at<Hash>(call.argv[1]), name);
  const std::string before = old ? old->value : "";
  HashField& field = place(call, name, value).field;
  const Maker sender = call.execution.sender;
  if (field.maker != 0 && bears_token(name)) {
    if (by != 0) field.maker = sender;
    return;
  }
  count_in(field.maker, field.shares, sender, before, field.value, by);
}

std::int64_t set_fields(Call& call, std::string_view command) {
  if (call.argv.size() % 2 == 1) refuse_arity(command);
  std::int64_t created = 0;
  for (std::size_t i = 2; i < call.argv.size(); i += 2) {
    if (set_field(call, call.argv[i], call.argv[i + 1])) ++created;
  }
  const std::size_t pairs = (call.argv.size() - 2) / 2;
  if (since_72(call.execution.mode.version) && pairs > kMostListpackFields)
    call.find(call.argv[1])->encoding = Encoding::large;  // however many of them are the same
  call.notify(kHashEvents, "hset", call.argv[1]);
  return created;
}

Reply bulk_or_null(const HashField* field) {
  return field ? Reply::bulk(field->value) : Reply::null();
}

/// The hash's contents in its order: names, values, or both in turn.
Reply listing(Call& call, bool names, bool values) {
  std::vector<Reply> items;
  const Hash* hash = call.read<Hash>(call.argv[1]);
  if (!hash) return Reply::array({});
  for (const auto* item : by_position(*hash)) {
    if (names) items.push_back(Reply::bulk(item->first));
    if (values) items.push_back(Reply::bulk(item->second.value));
  }
  return Reply::array(std::move(items));
}

Reply run_hset(Call& call) { return Reply::number(set_fields(call, "hset")); }

Reply run_hmset(Call& call) {
  set_fields(call, "hmset");
  return Reply::ok();
}

Reply run_hsetnx(Call& call) {
  if (find_field(call.at<Hash>(call.argv[1]), call.argv[2])) return Reply::number(0);
  set_field(call, call.argv[2], call.argv[3]);
  call.notify(kHashEvents, "hset", call.argv[1]);
  return Reply::number(1);
}

Reply run_hget(Call& call) {
  return bulk_or_null(find_field(call.read<Hash>(call.argv[1]), call.argv[2]));
}

Reply run_hmget(Call& call) {
  const Hash* hash = call.read<Hash>(call.argv[1]);
  std::vector<Reply> values;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    values.push_back(bulk_or_null(find_field(hash, call.argv[i])));
  }
  return Reply::array(std::move(values));
}

Reply run_hdel(Call& call) {
  Hash* hash = call.at<Hash>(call.argv[1]);
  if (!hash) return Reply::number(0);
  std::int64_t removed = 0;
  for (std::size_t i = 2; i < call.argv.size(); ++i) {
    if (erase_part(*hash, call.argv[i])) ++removed;
  }
  if (removed != 0) call.notify(kHashEvents, "hdel", call.argv[1]);
  if (hash->empty()) call.remove(call.argv[1]);
  return Reply::number(removed);
}

Reply run_hexists(Call& call) {
  return Reply::number(find_field(call.read<Hash>(call.argv[1]), call.argv[2]) ? 1 : 0);
}

Reply run_hlen(Call& call) {
  const Hash* hash = call.read<Hash>(call.argv[1]);
  return Reply::number(hash ? static_cast<std::int64_t>(hash->size()) : 0);
}

Reply run_hstrlen(Call& call) {
  const HashField* field = find_field(call.read<Hash>(call.argv[1]), call.argv[2]);
  return Reply::number(field ? static_cast<std::int64_t>(field->value.size()) : 0);
}

Reply run_hkeys(Call& call) { return listing(call, true, false); }
Reply run_hvals(Call& call) { return listing(call, false, true); }
Reply run_hgetall(Call& call) { return listing(call, true, true); }

Reply run_hincrby(Call& call) {
  const std::int64_t by = integer_argument(call.argv[3]);
  const HashField* field = find_field(call.at<Hash>(call.argv[1]), call.argv[2]);
  const std::int64_t value =
      field ? integer_argument(field->value, "ERR hash value is not an integer") : 0;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(value, by, &sum)) {
    refuse("ERR increment or decrement would overflow");
  }
  count_in_field(call, std::to_string(sum), by);
  call.notify(kHashEvents, "hincrby", call.argv[1]);
  return Reply::number(sum);
}

Reply run_hincrbyfloat(Call& call) {
  const auto by = parse_float(call.argv[3]);
  if (!by) refuse("ERR value is not a valid float");
  if (!std::isfinite(*by)) refuse("ERR value is NaN or Infinity");
  const HashField* field = find_field(call.at<Hash>(call.argv[1]), call.argv[2]);
  const auto value = field ? parse_float(field->value) : 0.0L;
  if (!value) refuse("ERR hash value is not a float");
  const long double sum = *value + *by;
  if (!std::isfinite(sum)) refuse("ERR increment would produce NaN or Infinity");
  std::string shown = format_float(sum);
  count_in_field(call, shown, whole_part(*by));
  call.notify(kHashEvents, "hincrbyfloat", call.argv[1]);
  return Reply::bulk(std::move(shown));
}

/// HRANDFIELD key [count [WITHVALUES]].
Reply run_hrandfield(Call& call) {
  const Request& argv = call.argv;
  const bool counted = argv.size() > 2;
  const std::int64_t count = counted ? signed_count(argv[2]) : 1;
  const bool values = counted && with_option(argv, "withvalues", count);
  const Hash* hash = call.read<Hash>(argv[1]);
  if (!hash) return counted ? Reply::array({}) : Reply::null();
  const auto order = by_position(*hash);
  std::vector<Reply> chosen;
  for (const std::size_t i : chosen_indexes(call, order.size(), count)) {
    chosen.push_back(Reply::bulk(order[i]->first));
    if (values) chosen.push_back(Reply::bulk(order[i]->second.value));
  }
  return counted ? Reply::array(std::move(chosen)) : chosen[0];
}

constexpr Command kHashesRows[] = {
    {{"hset", -4, kWrite | kDenyOom | kFast, "hash", {{"RW update", 1}}},
     run_hset,
     {.touches = touches_always}},
    {{"hmset", -4, kWrite | kDenyOom | kFast, "hash", {{"RW update", 1}}},
     run_hmset,
     {.touches = touches_always}},
    {{"hsetnx", 4, kWrite | kDenyOom | kFast, "hash", {{"RW insert", 1}}}, run_hsetnx},
    {{"hget", 3, kReadOnly | kFast, "hash", {{"RO access", 1}}}, run_hget},
    {{"hmget", -3, kReadOnly | kFast, "hash", {{"RO access", 1}}}, run_hmget},
    {{"hdel", -3, kWrite | kFast, "hash", {{"RW delete", 1}}}, run_hdel},
    {{"hexists", 3, kReadOnly | kFast, "hash", {{"RO", 1}}}, run_hexists},
    {{"hlen", 2, kReadOnly | kFast, "hash", {{"RO", 1}}}, run_hlen},
    {{"hstrlen", 3, kReadOnly | kFast, "hash", {{"RO", 1}}}, run_hstrlen},
    {{"hkeys", 2, kReadOnly, "hash", {{"RO access", 1}}, "nondeterministic_output_order"},
     run_hkeys,
     {kUnordered}},
    {{"hvals", 2, kReadOnly, "hash", {{"RO access", 1}}, "nondeterministic_output_order"},
     run_hvals,
     {kUnordered}},
    {{"hgetall", 2, kReadOnly, "hash", {{"RO access", 1}}, "nondeterministic_output_order"},
     run_hgetall,
     {.traits = kUnordered, .resp3 = {Resp3Type::map}}},
    {{"hincrby", 4, kWrite | kDenyOom | kFast, "hash", {{"RW access update", 1}}},
     run_hincrby,
     {.touches = touches_always}},
    {{"hincrbyfloat", 4, kWrite | kDenyOom | kFast, "hash", {{"RW access update", 1}}},
     run_hincrbyfloat,
     {.touches = touches_always}},
    {{"hrandfield", -2, kReadOnly, "hash", {{"RO access", 1}}, "nondeterministic_output"},
     run_hrandfield,
     {.traits = kByChance, .resp3 = {Resp3Type::pairs, 3, "withvalues"}}},
};

}  // namespace

std::span<const Command> hash_commands() { return kHashesRows; }

}  // namespace lockstep::sim
