// Commands on whole databases: SELECT, SWAPDB, MOVE, FLUSHDB, FLUSHALL, DBSIZE (Redis 7.0 db.c).
#include <algorithm>
#include <utility>

#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/arguments.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/notify.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

/// The number of a database, for SWAPDB.
int swapped_database(const std::string& text, const char* not_an_int) {
  const std::int64_t number = integer_argument(text, not_an_int);
  if (number != static_cast<int>(number)) refuse(not_an_int);
  return static_cast<int>(number);
}

void check_flush(const Request& argv) {
  if (argv.size() > 2) refuse_syntax();
  if (argv.size() == 2 && !is_word(argv[1], "sync") && !is_word(argv[1], "async")) refuse_syntax();
}

/// Keys that have expired and that Redis has not met yet are still there, in its own eyes.
void swap_unnoticed(Keyspace& keyspace, std::uint8_t one, std::uint8_t other) {
  for (auto& [place, late] : std::exchange(keyspace.unnoticed, {})) {
    const auto& [database, key] = place;
    const std::uint8_t now_in = database == one ? other : database == other ? one : database;
    keyspace.unnoticed.emplace(std::pair(now_in, key), late);
  }
}

/// In a script it selects for the script only (see ScriptVm).
Reply run_select(Call& call) {
  if (call.execution.mode.cluster && int_argument(call.argv[1]) != 0) {
    refuse("ERR SELECT is not allowed in cluster mode");
  }
  select_database(call, database_argument(call.argv[1]));
  return Reply::ok();
}

Reply run_swapdb(Call& call) {
  if (call.execution.mode.cluster) refuse("ERR SWAPDB is not allowed in cluster mode");
  const int one = swapped_database(call.argv[1], "ERR invalid first DB index");
  const int other = swapped_database(call.argv[2], "ERR invalid second DB index");
  for (const int number : {one, other}) {
    if (number < 0 || number >= kDatabases) refuse("ERR DB index is out of range");
  }
  if (one == other) return Reply::ok();
  const int selected = call.execution.session->database;
  Keys aside;
  for (const int number : {one, other, one}) {  // one's go aside, to the other, and back
    select_database(call, number);
    std::swap(aside, call.keyspace.keys);
  }
  select_database(call, selected);
  swap_unnoticed(call.keyspace, static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(other));
  return Reply::ok();
}

Reply run_move(Call& call) {
  if (call.execution.mode.cluster) refuse("ERR MOVE is not allowed in cluster mode");
  const int to = database_argument(call.argv[2]);
  const int from = call.execution.session->database;
  if (to == from) refuse("ERR source and destination objects are the same");
  const Entry* entry = call.find(call.argv[1]);
  if (!entry) return Reply::number(0);
  Entry moved = *entry;
  select_database(call, to);
  const bool taken = call.find(call.argv[1]) != nullptr;
  if (!taken) add_entry(call, call.argv[1], std::move(moved));
  select_database(call, from);
  if (taken) return Reply::number(0);
  call.erase(call.argv[1]);
  call.notify(kGenericEvents, "move_from", call.argv[1]);
  call.notify(kGenericEvents, "move_to", call.argv[1], to);
  return Reply::number(1);
}

/// Scripts stay.
Reply run_flushdb(Call& call) {
  check_flush(call.argv);
  call.keyspace.keys.clear();
  std::erase_if(call.keyspace.unnoticed, [&](const auto& item) {
    return item.first.first == call.execution.session->database;
  });
  tell_of_flush(call.execution);
  return Reply::ok();
}

Reply run_flushall(Call& call) {
  check_flush(call.argv);
  call.keyspace.keys.clear();
  call.keyspace.others.clear();
  call.keyspace.unnoticed.clear();
  call.execution.flushed_all = true;
  tell_of_flush(call.execution);
  return Reply::ok();
}

/// Counts live keys. Redis also counts expired ones that nothing has removed yet, which is a matter
/// of chance.
Reply run_dbsize(Call& call) {
  const auto live = std::ranges::count_if(call.keyspace.keys, [&call](const auto& item) {
    return !item.second.expires || call.execution.now <= *item.second.expires;
  });
  return Reply::number(live);
}

constexpr Command kDatabasesRows[] = {
    {{"select", 2, kLoading | kStale | kFast, "connection"}, run_select, {kSetsConnection}},
    {{"swapdb", 3, kWrite | kFast, "keyspace dangerous"}, run_swapdb, {kSwapsDatabases}},
    {{"move", 3, kWrite | kFast, "keyspace", {{"RW access update", 1}}}, run_move},
    {{"flushdb",
      -1,
      kWrite,
      "keyspace dangerous",
      {},
      "request_policy:all_shards response_policy:all_succeeded"},
     run_flushdb},
    {{"flushall",
      -1,
      kWrite,
      "keyspace dangerous",
      {},
      "request_policy:all_shards response_policy:all_succeeded"},
     run_flushall},
    {{"dbsize",
      1,
      kReadOnly | kFast,
      "keyspace",
      {},
      "request_policy:all_shards response_policy:agg_sum"},
     run_dbsize},
};

}  // namespace

void select_database(Call& call, int database) {
  call.keyspace.select(call.execution.session->database, database);
  call.execution.session->database = database;
}

std::span<const Command> database_commands() { return kDatabasesRows; }

}  // namespace lockstep::sim
