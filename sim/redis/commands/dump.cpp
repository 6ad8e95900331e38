// DUMP and RESTORE (Redis 7.0 cluster.c).
#include <limits>

#include "sim/keyspace/dump/rdb.hpp"
#include "sim/keyspace/numbers.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/expiry.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

struct RestoreOptions {
  bool replace = false, absolute = false;
};

std::int64_t at_least_0(const std::string& text, const char* error) {
  const std::int64_t value = integer_argument(text);
  if (value < 0) refuse(error);
  return value;
}

/// REPLACE, ABSTTL, IDLETIME seconds or FREQ frequency. When a key was last used, and how often, is
/// not remembered.
RestoreOptions restore_options(const Request& argv) {
  RestoreOptions o;
  bool idle = false, frequent = false;
  for (std::size_t i = 4; i < argv.size(); ++i) {
    const bool has_value = i + 1 < argv.size();
    if (is_word(argv[i], "replace")) {
      o.replace = true;
    } else if (is_word(argv[i], "absttl")) {
      o.absolute = true;
    } else if (is_word(argv[i], "idletime") && has_value && !frequent) {
      at_least_0(argv[++i], "ERR Invalid IDLETIME value, must be >= 0");
      idle = true;
    } else if (is_word(argv[i], "freq") && has_value && !idle) {
      constexpr const char* kError = "ERR Invalid FREQ value, must be >= 0 and <= 255";
      if (at_least_0(argv[++i], kError) > 255) refuse(kError);
      frequent = true;
    } else {
      refuse_syntax();
    }
  }
  return o;
}

/// When a lifetime of `ms` (above 0) ends. Redis adds without a check: past the end of time lies
/// its beginning.
WallTime end_of(Call& call, std::int64_t ms, bool absolute) {
  if (absolute) {
    call.execution.looked_at_time = true;
    return {ms};
  }
  return {from_now(call, ms).value_or(std::numeric_limits<std::int64_t>::min())};
}

/// The bytes show those of the value, and its checksum hides them: no token in it can be renamed.
Reply run_dump(Call& call) {
  const Entry* entry = call.read(call.argv[1]);
  if (!entry) return Reply::null();
  call.execution.looked_at_bytes = true;
  return Reply::bulk(dump(*entry));
}

Reply run_restore(Call& call) {
  const Request& argv = call.argv;
  const RestoreOptions o = restore_options(argv);
  if (!o.replace && call.find(argv[1])) refuse("BUSYKEY Target key name already exists.");
  const std::int64_t ttl = at_least_0(argv[2], "ERR Invalid TTL value, must be >= 0");
  call.execution.looked_at_bytes = true;
  Entry entry = restored(argv[3], call.execution.sender);
  if (ttl != 0) entry.expires = end_of(call, ttl, o.absolute);
  if (ttl != 0 && call.is_over(*entry.expires)) {
    call.remove_unseen(argv[1]);
    return Reply::ok();
  }
  call.forget(argv[1]);  // what REPLACE removes is not looked at
  add_entry(call, argv[1], std::move(entry));
  call.notify(kGenericEvents, "restore", argv[1]);
  return Reply::ok();
}

constexpr Command kDumpRows[] = {
    {{"dump", 2, kReadOnly, "keyspace", {{"RO access", 1}}, "nondeterministic_output"}, run_dump},
    {{"restore", -4, kWrite | kDenyOom, "keyspace dangerous", {{"OW update", 1}}},
     run_restore,
     {.traits = kMultiplies | kGivesLifetime, .touches = touches_if_there}},
    {{"restore-asking", -4, kWrite | kDenyOom | kAsking, "keyspace dangerous", {{"OW update", 1}}},
     run_restore,
     {.touches = touches_if_there}},
};

}  // namespace

std::span<const Command> dump_commands() { return kDumpRows; }

}  // namespace lockstep::sim
