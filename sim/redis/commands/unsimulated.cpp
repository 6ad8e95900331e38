// Commands that Redis 7.0 has and lockstep does not simulate: refused by name, never answered as
// unknown.
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/families.hpp"

namespace lockstep::sim {

namespace {

/// MIGRATE host port key|"" db timeout [COPY] [REPLACE] [AUTH p] [AUTH2 u p] [KEYS key ...].
KeyArguments migrate_keys(const Request& request) {
  constexpr std::string_view kFlags = "RW access delete";
  std::size_t i = 6;
  while (i < request.size() && !is_word(request[i], "keys")) {
    i += is_word(request[i], "auth") ? 2 : is_word(request[i], "auth2") ? 3 : 1;
  }
  if (i >= request.size()) return {{3, kFlags}};
  KeyArguments keys;
  if (!request[3].empty()) return keys;
  while (++i < request.size()) keys.push_back({i, kFlags});
  return keys;
}

constexpr Command kUnsimulatedRows[] = {
    {{"acl", -2}, nullptr, {kContainer}},
    {{"acl|cat", -2, kNoScript | kLoading | kStale}},
    {{"acl|deluser", -3, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|dryrun", -4, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|genpass", -2, kNoScript | kLoading | kStale}},
    {{"acl|getuser", 3, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|help", 2, kLoading | kStale}},
    {{"acl|list", 2, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|load", 2, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|log", -2, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|save", 2, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|setuser", -3, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|users", 2, kAdmin | kNoScript | kLoading | kStale}},
    {{"acl|whoami", 2, kNoScript | kLoading | kStale}},
    {{"bgrewriteaof", 1, kAdmin | kNoScript | kNoAsyncLoading}},
    {{"bgsave", -1, kAdmin | kNoScript | kNoAsyncLoading}},
    {{"failover", -1, kAdmin | kNoScript | kStale}},
    {{"lastsave", 1, kLoading | kStale | kFast, "admin dangerous", {}, "nondeterministic_output"}},
    {{"latency", -2}, nullptr, {kContainer}},
    {{"latency|doctor",
      2,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "nondeterministic_output request_policy:all_nodes response_policy:special"}},
    {{"latency|graph",
      3,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "nondeterministic_output request_policy:all_nodes response_policy:special"}},
    {{"latency|help", 2, kLoading | kStale}},
    {{"latency|histogram",
      -2,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "nondeterministic_output request_policy:all_nodes response_policy:special"}},
    {{"latency|history",
      3,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "nondeterministic_output request_policy:all_nodes response_policy:special"}},
    {{"latency|latest",
      2,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "nondeterministic_output request_policy:all_nodes response_policy:special"}},
    {{"latency|reset",
      -2,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "request_policy:all_nodes response_policy:all_succeeded"}},
    {{"lolwut", -1, kReadOnly | kFast}},
    {{"memory", -2}, nullptr, {kContainer}},
    {{"memory|doctor",
      2,
      0,
      "",
      {},
      "nondeterministic_output request_policy:all_shards response_policy:special"}},
    {{"memory|help", 2, kLoading | kStale}},
    {{"memory|malloc-stats",
      2,
      0,
      "",
      {},
      "nondeterministic_output request_policy:all_shards response_policy:special"}},
    {{"memory|purge", 2, 0, "", {}, "request_policy:all_shards response_policy:all_succeeded"}},
    {{"memory|stats",
      2,
      0,
      "",
      {},
      "nondeterministic_output request_policy:all_shards response_policy:special"}},
    {{"memory|usage", -3, kReadOnly, "", {{"RO", 2}}}},
    {{"migrate",
      -6,
      kWrite,
      "keyspace dangerous",
      {{"RW access delete", 3}, {"RW access delete incomplete", -2, -1, 1, "KEYS"}},
      "nondeterministic_output"},
     nullptr,
     {.find_keys = migrate_keys}},
    {{"monitor", 1, kAdmin | kNoScript | kLoading | kStale}},
    {{"psync", -3, kAdmin | kNoScript | kNoAsyncLoading | kNoMulti}},
    {{"replconf", -1, kAdmin | kNoScript | kLoading | kStale | kAllowBusy}},
    {{"replicaof", 3, kAdmin | kNoScript | kStale | kNoAsyncLoading}},
    {{"save", 1, kAdmin | kNoScript | kNoAsyncLoading | kNoMulti}},
    {{"shutdown", -1, kAdmin | kNoScript | kLoading | kStale | kNoMulti | kAllowBusy}},
    {{"slaveof", 3, kAdmin | kNoScript | kStale | kNoAsyncLoading}},
    {{"slowlog", -2}, nullptr, {kContainer}},
    {{"slowlog|get",
      -2,
      kAdmin | kLoading | kStale,
      "",
      {},
      "request_policy:all_nodes nondeterministic_output"}},
    {{"slowlog|help", 2, kLoading | kStale}},
    {{"slowlog|len",
      2,
      kAdmin | kLoading | kStale,
      "",
      {},
      "request_policy:all_nodes response_policy:agg_sum nondeterministic_output"}},
    {{"slowlog|reset",
      2,
      kAdmin | kLoading | kStale,
      "",
      {},
      "request_policy:all_nodes response_policy:all_succeeded"}},
    {{"sync", 1, kAdmin | kNoScript | kNoAsyncLoading | kNoMulti}},
};

}  // namespace

std::span<const Command> unsimulated_commands() { return kUnsimulatedRows; }

}  // namespace lockstep::sim
