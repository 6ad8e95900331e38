// Commands on the server as a whole: TIME, ROLE, INFO, CONFIG, CLUSTER, DEBUG (Redis 7.0 server.c,
// config.c).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/connection.hpp"
#include "sim/redis/commands/glob.hpp"
#include "sim/redis/commands/handlers.hpp"

namespace lockstep::sim {

namespace {

struct Setting {
  std::string_view name;
  std::string_view value;
};

/// What CONFIG GET knows, with Redis's defaults; none of it can be changed in a way that the fake
/// would have to follow.
constexpr auto kSettings = std::to_array<Setting>({
    {"appendfsync", "everysec"},
    {"appendonly", "no"},
    {"bind", "127.0.0.1"},
    {"busy-reply-threshold", "5000"},
    {"databases", "16"},
    {"lua-time-limit", "5000"},
    {"maxclients", "10000"},
    {"maxmemory", "0"},
    {"maxmemory-policy", "noeviction"},
    {"min-replicas-to-write", "0"},
    {"notify-keyspace-events", ""},
    {"port", "6379"},
    {"proto-max-bulk-len", "536870912"},
    {"replica-read-only", "yes"},
    {"requirepass", ""},
    {"save", ""},
    {"timeout", "0"},
});

Reply config_get(const Request& argv) {
  std::vector<Reply> found;
  for (const Setting& setting : kSettings) {
    const bool asked = std::any_of(argv.begin() + 2, argv.end(), [&](const std::string& pattern) {
      return glob_matches(lower_case(pattern), setting.name);
    });
    if (!asked) continue;
    found.push_back(Reply::bulk(std::string(setting.name)));
    found.push_back(Reply::bulk(std::string(setting.value)));
  }
  return Reply::array(std::move(found));
}

/// Setting something to what it is does nothing; to anything else is not simulated.
Reply config_set(Call& call) {
  const Request& argv = call.argv;
  if (argv.size() % 2 != 0) refuse_arity("config|set");
  for (std::size_t i = 2; i < argv.size(); i += 2) {
    const auto setting = std::ranges::find(kSettings, lower_case(argv[i]), &Setting::name);
    if (setting == kSettings.end()) {
      refuse("ERR Unknown option or number of arguments for CONFIG SET - '" + argv[i] + "'");
    }
    if (setting->value != argv[i + 1]) not_simulated(call);
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
    const Keys* keys = call.keyspace.database(number, call.execution.database);
    if (keys && !keys->empty()) text += database_line(number, *keys);
  }
  return text;
}

std::vector<Section> sections(const Call& call) {
  const Caller* caller = call.execution.caller;
  const ServerMode& mode = call.execution.mode;
  const std::size_t clients = caller ? caller->server.sessions.size() : 0;
  const std::size_t blocked = caller ? caller->server.blocked.size() : 0;
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

}  // namespace

Reply run_time(Call& call) {
  call.execution.looked_at_time = call.execution.looked_at_clock = true;
  const std::int64_t ms = call.execution.now.ms;
  return Reply::array(
      {Reply::bulk(std::to_string(ms / 1000)), Reply::bulk(std::to_string(ms % 1000 * 1000))});
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

Reply run_config(Call& call) {
  const std::string name = lower_case(call.argv[1]);
  if (name == "get") return config_get(call.argv);
  if (name == "set") return config_set(call);
  if (name == "resetstat") return Reply::ok();
  if (name == "rewrite") refuse("ERR The server is running without a config file");
  not_simulated(call);
}

Reply run_cluster(Call& call) {
  if (!call.execution.mode.cluster) refuse("ERR This instance has cluster support disabled");
  if (!is_word(call.argv[1], "keyslot")) not_simulated(call);
  return Reply::number(hash_slot(call.argv[2]));
}

/// READONLY, READWRITE, ASKING: nothing to do on a server that has every slot.
Reply run_cluster_mode(Call& call) {
  if (!call.execution.mode.cluster) refuse("ERR This instance has cluster support disabled");
  return Reply::ok();
}

/// Time is moved by hand, and an expired key is never to be seen: both have nothing to do.
Reply run_debug(Call& call) {
  const bool sleep = is_word(call.argv[1], "sleep") || is_word(call.argv[1], "set-active-expire");
  if (!sleep || call.argv.size() != 3) not_simulated(call);
  return Reply::ok();
}

}  // namespace lockstep::sim
