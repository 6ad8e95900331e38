// Commands on the server as a whole: TIME, ROLE, INFO, CONFIG, CLUSTER, DEBUG (Redis 7.0 server.c,
// config.c).
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/ascii.hpp"
#include "sim/base/error.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/entries.hpp"
#include "sim/redis/commands/families.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/commands/settings.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim {

namespace {

bool is_keyspace_events(const ServerSetting& setting) {
  return setting.name == "notify-keyspace-events";
}

std::string value_of(const Call& call, const ServerSetting& setting) {
  return is_keyspace_events(setting) ? letters_of(call.execution.mode.keyspace_events)
                                     : std::string(setting.value);
}

/// Throws BadInput where the caller would have to remember it: what a protocol's server publishes
/// is the same from the start to the end of a run.
void set_keyspace_events(Call& call, const std::string& letters) {
  const auto events = parse_keyspace_events(letters);
  if (!events) {
    refuse(
        "ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - Invalid "
        "event class character. Use '" +
        std::string(kKeyspaceEventLetters) + "'.");
  }
  KeyspaceEvents& set = call.execution.mode.keyspace_events;
  if (!call.execution.connections->complete && *events != set)
    throw BadInput("CONFIG SET notify-keyspace-events " + letters + ": the server publishes \"" +
                   letters_of(set) +
                   "\"; say what it is set to from the start: --keyspace-events " + letters);
  set = *events;
}

Reply config_get(Call& call) {
  const Request& argv = call.argv;
  std::vector<Reply> found;
  for (const ServerSetting& setting : settings()) {
    const auto asked = std::find_if(argv.begin() + 2, argv.end(), [&](const std::string& pattern) {
      return glob_matches(lower_case(pattern), setting.name);
    });
    if (asked == argv.end()) continue;
    const bool named = is_name(*asked, setting.name);  // told as it was asked for
    found.push_back(Reply::bulk(named ? *asked : std::string(setting.name)));
    found.push_back(Reply::bulk(value_of(call, setting)));
  }
  return Reply::array(std::move(found));
}

/// Setting something else to what it is does nothing; to anything else is not simulated.
Reply config_set(Call& call) {
  const Request& argv = call.argv;
  if (argv.size() % 2 != 0) refuse_arity("config|set");
  for (std::size_t i = 2; i < argv.size(); i += 2) {
    const auto setting = std::ranges::find(settings(), lower_case(argv[i]), &ServerSetting::name);
    if (setting == settings().end()) {
      refuse("ERR Unknown option or number of arguments for CONFIG SET - '" +
             std::string(c_text(argv[i])) + "'");
    }
    if (is_keyspace_events(*setting)) {
      set_keyspace_events(call, argv[i + 1]);
    } else if (setting->value != argv[i + 1]) {
      not_simulated(call);
    }
  }
  return Reply::ok();
}

struct Section {
  std::string_view name;
  std::string text;
};

std::string database_line(int number, const Keys& keys) {
  const auto expiring =
      std::ranges::count_if(keys, [](const auto& item) { return item.second.expires.has_value(); });
  return fmt::format("db{}:keys={},expires={},avg_ttl=0\r\n", number, keys.size(), expiring);
}

std::string keyspace_section(const Call& call) {
  std::string text;
  for (int number = 0; number < kDatabases; ++number) {
    const Keys* keys = call.keyspace.database(number, call.execution.session->database);
    if (keys && !keys->empty()) text += database_line(number, *keys);
  }
  return text;
}

std::vector<Section> sections(const Call& call) {
  const Connections& connections = *call.execution.connections;
  const ServerMode& mode = call.execution.mode;
  const std::size_t clients = connections.clients.size(), blocked = connections.blocked.size();
  return {
      {"Server", fmt::format("redis_version:{}\r\nredis_mode:{}\r\narch_bits:64\r\n",
                             full_name(mode.version), mode.cluster ? "cluster" : "standalone")},
      {"Clients", fmt::format("connected_clients:{}\r\nblocked_clients:{}\r\n", clients, blocked)},
      {"Persistence", "loading:0\r\n"},
      {"Replication",
       fmt::format("role:{}\r\nconnected_slaves:0\r\n", mode.replica ? "slave" : "master")},
      {"Cluster", fmt::format("cluster_enabled:{}\r\n", mode.cluster ? 1 : 0)},
      {"Keyspace", keyspace_section(call)},
  };
}

bool is_asked(const Request& argv, std::string_view section) {
  if (argv.size() == 1) return true;
  return std::any_of(argv.begin() + 1, argv.end(), [&](const std::string& word) {
    return is_word(word, lower_case(section)) || is_word(word, "default") || is_word(word, "all") ||
           is_word(word, "everything");
  });
}

Reply run_time(Call& call) {
  const std::int64_t ms = call.told_clock().ms;
  return Reply::array({Reply::bulk(std::to_string(ms / 1000)),
                       Reply::bulk(std::to_string(ms % 1000 * 1000 + call.execution.micros))});
}

/// The lines that drivers look for, not all that Redis has.
Reply run_info(Call& call) {
  std::string text;
  for (const Section& section : sections(call)) {
    if (!is_asked(call.argv, section.name)) continue;
    text += fmt::format("{}# {}\r\n{}", text.empty() ? "" : "\r\n", section.name, section.text);
  }
  return Reply::bulk(std::move(text));
}

/// A replica's master is made up: a dead address.
Reply run_role(Call& call) {
  if (call.execution.mode.replica) {
    return Reply::array({Reply::bulk("slave"), Reply::bulk("127.0.0.1"), Reply::number(1),
                         Reply::bulk("connect"), Reply::number(-1)});
  }
  return Reply::array({Reply::bulk("master"), Reply::number(0), Reply::array({})});
}

Reply config_resetstat(Call&) { return Reply::ok(); }

Reply config_rewrite(Call&) { refuse("ERR The server is running without a config file"); }

void check_cluster(const Call& call) {
  if (!call.execution.mode.cluster) refuse("ERR This instance has cluster support disabled");
}

Reply cluster_keyslot(Call& call) {
  check_cluster(call);
  return Reply::number(hash_slot(call.argv[2]));
}

Reply cluster_subcommand(Call& call) {
  check_cluster(call);
  not_simulated(call);
}

/// The connection's next request is asking (cluster.c askingCommand).
Reply run_asking(Call& call) {
  check_cluster(call);
  call.execution.session->asking = true;
  return Reply::ok();
}

/// READONLY, READWRITE: nothing to do on a master.
Reply run_cluster_mode(Call& call) {
  check_cluster(call);
  return Reply::ok();
}

/// Time is moved by hand, so SLEEP has nothing to do.
Reply run_debug(Call& call) {
  const bool expires = is_word(call.argv[1], "set-active-expire");
  if ((!expires && !is_word(call.argv[1], "sleep")) || call.argv.size() != 3) not_simulated(call);
  if (expires) call.execution.connections->active_expire = call.argv[2] != "0";
  return Reply::ok();
}

constexpr Command kServerRows[] = {
    {{"time", 1, kLoading | kStale | kFast, "", {}, "nondeterministic_output"},
     run_time,
     {kLooksAtTime | kLooksAtClock}},
    {{"info",
      -1,
      kLoading | kStale,
      "dangerous",
      {},
      "nondeterministic_output request_policy:all_shards response_policy:special"},
     run_info},
    {{"role", 1, kNoScript | kLoading | kStale | kFast, "admin dangerous"}, run_role},
    {{"config", -2}, nullptr, {kContainer}},
    {{"config|get", -3, kAdmin | kNoScript | kLoading | kStale}, config_get},
    {{"config|help", 2, kLoading | kStale}},
    {{"config|resetstat", 2, kAdmin | kNoScript | kLoading | kStale}, config_resetstat},
    {{"config|rewrite", 2, kAdmin | kNoScript | kLoading | kStale}, config_rewrite},
    {{"config|set",
      -4,
      kAdmin | kNoScript | kLoading | kStale,
      "",
      {},
      "request_policy:all_nodes response_policy:all_succeeded"},
     config_set},
    {{"cluster", -2}, nullptr, {kContainer}},
    {{"cluster|addslots", -3, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|addslotsrange", -4, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|bumpepoch", 2, kAdmin | kStale | kNoAsyncLoading, "", {}, "nondeterministic_output"},
     cluster_subcommand},
    {{"cluster|count-failure-reports", 3, kAdmin | kStale, "", {}, "nondeterministic_output"},
     cluster_subcommand},
    {{"cluster|countkeysinslot", 3, kStale}, cluster_subcommand},
    {{"cluster|delslots", -3, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|delslotsrange", -4, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|failover", -2, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|flushslots", 2, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|forget", 3, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|getkeysinslot", 4, kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"cluster|help", 2, kLoading | kStale}, cluster_subcommand},
    {{"cluster|info", 2, kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"cluster|keyslot", 3, kStale}, cluster_keyslot},
    {{"cluster|links", 2, kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"cluster|meet", -4, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|myid", 2, kStale}, cluster_subcommand},
    {{"cluster|nodes", 2, kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"cluster|replicas", 3, kAdmin | kStale, "", {}, "nondeterministic_output"},
     cluster_subcommand},
    {{"cluster|replicate", 3, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|reset", -2, kAdmin | kNoScript | kStale}, cluster_subcommand},
    {{"cluster|saveconfig", 2, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|set-config-epoch", 3, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|setslot", -4, kAdmin | kStale | kNoAsyncLoading}, cluster_subcommand},
    {{"cluster|shards", 2, kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"cluster|slaves", 3, kAdmin | kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"cluster|slots", 2, kStale, "", {}, "nondeterministic_output"}, cluster_subcommand},
    {{"asking", 1, kFast, "connection"}, run_asking, {kSetsConnection}},
    {{"readonly", 1, kLoading | kStale | kFast, "connection"}, run_cluster_mode, {kSetsConnection}},
    {{"readwrite", 1, kLoading | kStale | kFast, "connection"},
     run_cluster_mode,
     {kSetsConnection}},
    {{"debug", -2, kAdmin | kNoScript | kLoading | kStale}, run_debug},
};

}  // namespace

std::span<const Command> server_commands() { return kServerRows; }

}  // namespace lockstep::sim
