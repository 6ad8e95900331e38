// Every subcommand of Redis 7.0.15, as its COMMAND lists them: with a subcommand that is not here a
// container command is refused before it runs, also while a transaction is queued.
#include "sim/redis/commands/subcommands.hpp"

#include <algorithm>
#include <array>

namespace lockstep::sim {

namespace {

// clang-format off
constexpr auto kSubcommands = std::to_array<Subcommand>({
    // container, name, arity, flags
    {"acl", "cat", -2, kNoScript},
    {"acl", "deluser", -3, kNoScript},
    {"acl", "dryrun", -4, kNoScript},
    {"acl", "genpass", -2, kNoScript},
    {"acl", "getuser", 3, kNoScript},
    {"acl", "help", 2},
    {"acl", "list", 2, kNoScript},
    {"acl", "load", 2, kNoScript},
    {"acl", "log", -2, kNoScript},
    {"acl", "save", 2, kNoScript},
    {"acl", "setuser", -3, kNoScript},
    {"acl", "users", 2, kNoScript},
    {"acl", "whoami", 2, kNoScript},
    {"client", "caching", 3, kNoScript},
    {"client", "getname", 2, kNoScript},
    {"client", "getredir", 2, kNoScript},
    {"client", "help", 2},
    {"client", "id", 2, kNoScript},
    {"client", "info", 2, kNoScript},
    {"client", "kill", -3, kNoScript},
    {"client", "list", -2, kNoScript},
    {"client", "no-evict", 3, kNoScript},
    {"client", "pause", -3, kNoScript},
    {"client", "reply", 3, kNoScript},
    {"client", "setname", 3, kNoScript},
    {"client", "tracking", -3, kNoScript},
    {"client", "trackinginfo", 2, kNoScript},
    {"client", "unblock", -3, kNoScript},
    {"client", "unpause", 2, kNoScript},
    {"cluster", "addslots", -3},
    {"cluster", "addslotsrange", -4},
    {"cluster", "bumpepoch", 2},
    {"cluster", "count-failure-reports", 3},
    {"cluster", "countkeysinslot", 3},
    {"cluster", "delslots", -3},
    {"cluster", "delslotsrange", -4},
    {"cluster", "failover", -2},
    {"cluster", "flushslots", 2},
    {"cluster", "forget", 3},
    {"cluster", "getkeysinslot", 4},
    {"cluster", "help", 2},
    {"cluster", "info", 2},
    {"cluster", "keyslot", 3},
    {"cluster", "links", 2},
    {"cluster", "meet", -4},
    {"cluster", "myid", 2},
    {"cluster", "nodes", 2},
    {"cluster", "replicas", 3},
    {"cluster", "replicate", 3},
    {"cluster", "reset", -2, kNoScript},
    {"cluster", "saveconfig", 2},
    {"cluster", "set-config-epoch", 3},
    {"cluster", "setslot", -4},
    {"cluster", "shards", 2},
    {"cluster", "slaves", 3},
    {"cluster", "slots", 2},
    {"command", "count", 2},
    {"command", "docs", -2},
    {"command", "getkeys", -4},
    {"command", "getkeysandflags", -4},
    {"command", "help", 2},
    {"command", "info", -2},
    {"command", "list", -2},
    {"config", "get", -3, kNoScript},
    {"config", "help", 2},
    {"config", "resetstat", 2, kNoScript},
    {"config", "rewrite", 2, kNoScript},
    {"config", "set", -4, kNoScript},
    {"function", "delete", 3, kWrite | kNoScript},
    {"function", "dump", 2, kNoScript},
    {"function", "flush", -2, kWrite | kNoScript},
    {"function", "help", 2},
    {"function", "kill", 2, kNoScript | kAllowBusy},
    {"function", "list", -2, kNoScript},
    {"function", "load", -3, kWrite | kDenyOom | kNoScript},
    {"function", "restore", -3, kWrite | kDenyOom | kNoScript},
    {"function", "stats", 2, kNoScript | kAllowBusy},
    {"latency", "doctor", 2, kNoScript},
    {"latency", "graph", 3, kNoScript},
    {"latency", "help", 2},
    {"latency", "histogram", -2, kNoScript},
    {"latency", "history", 3, kNoScript},
    {"latency", "latest", 2, kNoScript},
    {"latency", "reset", -2, kNoScript},
    {"memory", "doctor", 2},
    {"memory", "help", 2},
    {"memory", "malloc-stats", 2},
    {"memory", "purge", 2},
    {"memory", "stats", 2},
    {"memory", "usage", -3},
    {"object", "encoding", 3},
    {"object", "freq", 3},
    {"object", "help", 2},
    {"object", "idletime", 3},
    {"object", "refcount", 3},
    {"pubsub", "channels", -2},
    {"pubsub", "help", 2},
    {"pubsub", "numpat", 2},
    {"pubsub", "numsub", -2},
    {"pubsub", "shardchannels", -2},
    {"pubsub", "shardnumsub", -2},
    {"script", "debug", 3, kNoScript},
    {"script", "exists", -3, kNoScript},
    {"script", "flush", -2, kNoScript},
    {"script", "help", 2},
    {"script", "kill", 2, kNoScript | kAllowBusy},
    {"script", "load", 3, kNoScript},
    {"slowlog", "get", -2},
    {"slowlog", "help", 2},
    {"slowlog", "len", 2},
    {"slowlog", "reset", 2},
});
// clang-format on

static_assert(std::ranges::is_sorted(kSubcommands, {}, [](const Subcommand& sub) {
  return std::pair(sub.container, sub.name);
}));

}  // namespace

std::string full_name(const Subcommand& subcommand) {
  return std::string(subcommand.container) + "|" + std::string(subcommand.name);
}

std::span<const Subcommand> subcommands_of(std::string_view container) {
  const auto by_container = &Subcommand::container;
  return {std::ranges::lower_bound(kSubcommands, container, {}, by_container),
          std::ranges::upper_bound(kSubcommands, container, {}, by_container)};
}

const Subcommand* find_subcommand(std::string_view container, std::string_view name) {
  for (const Subcommand& sub : subcommands_of(container)) {
    if (is_word(name, sub.name)) return &sub;
  }
  return nullptr;
}

}  // namespace lockstep::sim
