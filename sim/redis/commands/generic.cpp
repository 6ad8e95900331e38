// Commands on keys of any type (Redis 7.0 db.c).
#include <array>

#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/commands/random_choice.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// Whose a key is that comes to be at `to`. It is the sender's: who passes a token on by renaming
/// it gives it to nobody, and who renames it takes it.
Maker maker_at(Call& call, const std::string& to, const Entry& entry) {
  const auto* text = std::get_if<std::string>(&entry.value);
  const Maker sender = call.execution.sender;
  return text ? maker_of_written(call.find(to), *text, sender) : sender;
}

/// Moves a key with its value and expiry. The reply of RENAME and RENAMENX differs in all but the
/// error.
Reply rename(Call& call, bool only_if_free) {
  const std::string& from = call.argv[1];
  const std::string& to = call.argv[2];
  Entry* entry = call.find(from);
  if (!entry) refuse("ERR no such key");
  const bool taken = call.find(to) != nullptr;
  if (only_if_free && taken) return Reply::number(0);
  if (from != to) {
    Entry moved = std::move(*entry);
    moved.maker = maker_at(call, to, moved);
    call.erase(from);
    add_entry(call, to, std::move(moved));
    call.notify(kGenericEvents, "rename_from", from);
    call.notify(kGenericEvents, "rename_to", to);
  }
  return only_if_free ? Reply::number(1) : Reply::ok();
}

/// COPY's target database.
int copied_to(const Call& call, const std::string& text) {
  const int database = database_argument(text);
  if (call.execution.mode.cluster && database != 0) {
    refuse("ERR Copying to another database is not allowed in cluster mode");
  }
  return database;
}

Reply run_exists(Call& call) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < call.argv.size(); ++i) {
    if (call.read(call.argv[i])) ++count;
  }
  return Reply::number(count);
}

Reply run_del(Call& call) {
  std::int64_t count = 0;
  for (std::size_t i = 1; i < call.argv.size(); ++i) {
    if (!call.find(call.argv[i])) continue;
    call.remove(call.argv[i]);
    ++count;
  }
  return Reply::number(count);
}

Reply run_type(Call& call) {
  const Entry* entry = call.read(call.argv[1]);
  if (!entry) return Reply::status("none");
  return Reply::status(type_name(*entry));
}

Reply run_rename(Call& call) { return rename(call, false); }
Reply run_renamenx(Call& call) { return rename(call, true); }

/// In order of name; Redis's order is that of its hash table, seeded at random.
Reply run_keys(Call& call) {
  std::vector<Reply> names;
  for (const auto& [key, entry] : call.keyspace.keys) {
    if (!call.keyspace.find(key, call.execution.now)) continue;
    if (glob_matches(call.argv[1], key)) names.push_back(Reply::bulk(key));
  }
  return Reply::array(std::move(names));
}

Reply run_randomkey(Call& call) {
  std::vector<const std::string*> names;
  for (const auto& [key, entry] : call.keyspace.keys) {
    if (call.keyspace.find(key, call.execution.now)) names.push_back(&key);
  }
  if (names.empty()) {  // it has met them all
    for (const std::string& key : unnoticed_keys(call)) call.notice(key);
    return Reply::null();
  }
  return Reply::bulk(*names[chosen_indexes(call, names.size(), 1).front()]);
}

/// COPY source destination [DB n] [REPLACE]. The copy is the sender's; its parts keep their makers.
Reply run_copy(Call& call) {
  const Request& argv = call.argv;
  const int from = call.execution.session->database;
  int to = from;
  bool replace = false;
  for (std::size_t i = 3; i < argv.size(); ++i) {
    if (is_word(argv[i], "replace")) {
      replace = true;
    } else if (is_word(argv[i], "db") && i + 1 < argv.size()) {
      to = copied_to(call, argv[++i]);
    } else {
      refuse_syntax();
    }
  }
  if (argv[1] == argv[2] && from == to) {
    refuse("ERR source and destination objects are the same");
  }
  const Entry* entry = call.read(argv[1]);
  if (!entry) return Reply::number(0);
  Entry copy = *entry;
  select_database(call, to);
  copy.maker = maker_at(call, argv[2], copy);
  const bool taken = call.find(argv[2]) != nullptr;
  const bool allowed = replace || !taken;
  if (allowed) {
    add_entry(call, argv[2], std::move(copy));
    call.notify(kGenericEvents, "copy_to", argv[2]);
  }
  select_database(call, from);
  return Reply::number(allowed ? 1 : 0);
}

/// RENAME k k leaves it in peace.
bool touches_other_name(const Request& argv, const Reply&, bool) { return argv[1] != argv[2]; }

constexpr Command kGenericRows[] = {
    {{"exists",
      -2,
      kReadOnly | kFast,
      "keyspace",
      {{"RO", 1, -1}},
      "request_policy:multi_shard response_policy:agg_sum"},
     run_exists},
    {{"touch",
      -2,
      kReadOnly | kFast,
      "keyspace",
      {{"RO", 1, -1}},
      "request_policy:multi_shard response_policy:agg_sum"},
     run_exists},
    {{"del",
      -2,
      kWrite,
      "keyspace",
      {{"RM delete", 1, -1}},
      "request_policy:multi_shard response_policy:agg_sum"},
     run_del},
    {{"unlink",
      -2,
      kWrite | kFast,
      "keyspace",
      {{"RM delete", 1, -1}},
      "request_policy:multi_shard response_policy:agg_sum"},
     run_del},
    {{"type", 2, kReadOnly | kFast, "keyspace", {{"RO", 1}}}, run_type},
    {{"rename", 3, kWrite, "keyspace", {{"RW access delete", 1}, {"OW update", 2}}},
     run_rename,
     {.touches = touches_other_name}},
    {{"renamenx", 3, kWrite | kFast, "keyspace", {{"RW access delete", 1}, {"OW insert", 2}}},
     run_renamenx},
    {{"keys",
      2,
      kReadOnly,
      "keyspace dangerous",
      {},
      "request_policy:all_shards nondeterministic_output_order"},
     run_keys,
     {kLooksAtBytes | kUnordered}},
    {{"randomkey",
      1,
      kReadOnly,
      "keyspace",
      {},
      "request_policy:all_shards nondeterministic_output"},
     run_randomkey,
     {kLooksAtBytes | kByChance}},
    {{"copy", -3, kWrite | kDenyOom, "keyspace", {{"RO access", 1}, {"OW update", 2}}},
     run_copy,
     {.traits = kMultiplies, .touches = touches_if_positive}},
};

}  // namespace

/// In the order of Entry::value's types.
std::string type_name(const Entry& entry) {
  static constexpr std::array kNames{"string", "hash", "list", "set", "zset"};
  return kNames.at(entry.value.index());
}

std::span<const Command> generic_commands() { return kGenericRows; }

}  // namespace lockstep::sim
