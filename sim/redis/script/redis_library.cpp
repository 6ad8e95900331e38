// The table `redis` that scripts see (Redis 7.0 script_lua.c).
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/ascii.hpp"
#include "sim/base/error.hpp"
#include "sim/base/sha1.hpp"
#include "sim/keyspace/keyspace.hpp"
#include "sim/redis/commands/admission.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/commands/keys_of.hpp"
#include "sim/redis/commands/newer.hpp"
#include "sim/redis/commands/unknown.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/observer.hpp"
#include "sim/redis/script/run.hpp"
#include "sim/redis/script/server_words.hpp"
#include "sim/redis/script/shortest_number.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::sim {

namespace {

using dialect::Function51;

/// Pushes {err = text} as luaPushError does, with the code that a script's own error gets.
int push_error(lua_State* L, const char* text) {
  lua_createtable(L, 0, 1);
  lua_pushstring(L, text);
  lua_setfield(L, -2, "err");
  return 1;
}

/// The same with one of the server's own texts.
int push_own_error(lua_State* L, const char* text) {
  return push_error(L, in_words_of(script_run(L).version, text));
}

// ---- redis.call, redis.pcall ----

/// Reads the arguments into run.request; null, or what is wrong with them.
const char* read_arguments(lua_State* L, Request& request) {
  const int count = lua_gettop(L);
  if (count == 0) return "ERR Please specify at least one argument for this redis lib call";
  request.resize(static_cast<std::size_t>(count));
  for (int i = 1; i <= count; ++i) {
    std::string& argument = request[static_cast<std::size_t>(i - 1)];
    const int type = lua_type(L, i);
    if (type == LUA_TSTRING) {
      std::size_t length = 0;
      const char* text = lua_tolstring(L, i, &length);
      argument.assign(text, length);
    } else if (type == LUA_TNUMBER) {
      number_argument(script_run(L).version, lua_tonumber(L, i), argument);
    } else {
      return "ERR Lua redis lib command arguments must be strings or integers";
    }
  }
  return nullptr;
}

/// A node of a cluster says no to keys of other nodes, and to keys of another slot than before,
/// which only a script without a shebang line, or with a flag for it, may touch (Redis 7.0 script.c
/// scriptVerifyClusterState).
const char* check_slots(ScriptRun& run) {
  Execution& execution = *run.execution;
  const auto keys = key_names_of(run.request);
  const std::string elsewhere = cluster_refusal(*run.keyspace, keys, execution.session->asking,
                                                execution.mode, execution.now);
  if (elsewhere.starts_with("CROSSSLOT ") && run.version != ServerVersion::redis_7_0 &&
      run.version != ServerVersion::valkey_9) {
    run.text = "ERR Command '" + lower_case(run.request[0]) +
               "' in script attempted to access keys that don't hash to the same slot";
    return run.text.c_str();
  }
  if (!elsewhere.empty()) return "ERR Script attempted to access a non local key in a cluster node";
  if (keys.empty() || run.cross_slot) return nullptr;
  const unsigned slot = hash_slot(keys[0]);
  if (!execution.slot) execution.slot = slot;
  return *execution.slot == slot
             ? nullptr
             : "ERR Script attempted to access keys that do not hash to the same slot";
}

/// What the server's mode says no to. Without memory or replicas a script may go on writing once it
/// has begun (Redis 7.0 `scriptVerifyWriteCommandAllow`).
const char* check_mode(ScriptRun& run, unsigned flags) {
  const ServerMode& mode = run.execution->mode;
  const bool write = (flags & kWrite) != 0;
  if (mode.replica && write) return "READONLY You can't write against a read only replica.";
  if (mode.few_replicas && write && !run.wrote)
    return "NOREPLICAS Not enough good replicas to write.";
  if (mode.over_memory && !run.allow_oom && !run.wrote && (flags & kDenyOom) != 0) {
    return "OOM command not allowed when used memory > 'maxmemory'.";
  }
  run.wrote = run.wrote || write;
  return mode.cluster ? check_slots(run) : nullptr;
}

/// What is said of an unknown command. Only Valkey 9 names a subcommand, as to a client.
const char* unknown_in(ScriptRun& run) {
  const Command* container = find_command(run.request[0]);
  const bool subcommand = container && container->has(kContainer) && run.request.size() > 1;
  if (!subcommand || run.version != ServerVersion::valkey_9)
    return "ERR Unknown Redis command called from script";
  run.text = look_up(run.request, run.version).error;
  return run.text.c_str();
}

/// What Redis checks before a script's command (script.c scriptCall); null if nothing is against
/// it.
const char* check_command(ScriptRun& run, const Command* command) {
  refuse_newer(run.request, run.version);
  if (run.known_only) refuse_unknown(run.request, run.version);
  if (!command) refuse_lacking(run.request);
  if (!command) return unknown_in(run);
  if (!arity_fits(command->arity, run.request.size())) {
    return "ERR Wrong number of args calling Redis command from script";
  }
  if (command->is(kNoScript) && !(since_72(run.version) && command->has(kSince72InScripts))) {
    return "ERR This Redis command is not allowed from script";
  }
  if (run.read_only && (command->is(kWrite) || command->has(kMayReplicate))) {
    return "ERR Write commands are not allowed from read-only scripts.";
  }
  return check_mode(run, command->flags);
}

std::int64_t bytes_of(const Entry& entry) {
  constexpr std::int64_t kElement = 64;  // a node of a map, roughly
  std::int64_t bytes = 0;
  for (const std::string_view text : texts(entry)) bytes += std::ssize(text) + kElement;
  return bytes;
}

/// Counts what a command that takes memory has written, so that no script fills the machine's
/// memory by way of the keyspace. More than any value of a lock, by far: BadInput.
void count_written(ScriptRun& run, const Command& command, Call& call) {
  constexpr std::int64_t kMost = 256 << 20;
  for (const std::string& argument : run.request) run.written_bytes += std::ssize(argument);
  if (command.has(kMultiplies)) {
    for (const KeyArgument& key : keys_of(run.request))
      if (const Entry* entry = call.keyspace.find(run.request[key.position], call.execution.now))
        run.written_bytes += bytes_of(*entry);
  }
  if (run.written_bytes > kMost) throw BadInput("its commands write more than 256 MB");
}

/// The numbers in a text, with their fractions.
std::vector<double> decimals_in(const std::string& text) {
  std::vector<double> numbers;
  const char* after_whole = nullptr;  // where a fraction may begin
  with_digit_runs(text, [&](std::string_view run) {
    const bool fraction =
        after_whole != nullptr && *after_whole == '.' && run.data() == after_whole + 1;
    if (fraction)
      numbers.back() += number_of_run(run) / std::pow(10, run.size());
    else
      numbers.push_back(number_of_run(run));
    after_whole = fraction ? nullptr : run.data() + run.size();
    return "";
  });
  return numbers;
}

/// Shows that a command is called, and the numbers that it is given where they are no lifetimes.
void show_call(const Command& command, const Request& request, std::vector<Compared>& compared) {
  compared.push_back({0, 0, Compared::kCall});
  if (command.has(kGivesLifetime)) return;
  for (const std::string& argument : request)
    for (const double number : decimals_in(argument))
      compared.push_back({number, 0, Compared::kSent});
}

/// Shows where a reply says that there is nothing.
void show_nothing(const Reply& reply, std::vector<Compared>& compared) {
  if (reply.kind == Reply::Kind::null || (reply.kind == Reply::Kind::array && reply.items.empty()))
    compared.push_back({0, 0, Compared::kNothing});
  for (const Reply& item : reply.items) show_nothing(item, compared);
}

/// Runs run.request; the reply is left in run.reply. False if the script cannot go on (run.refusal
/// says why).
bool call_command(ScriptRun& run, const char*& error) {
  const Command* command = find_command(run.request, run.version);
  try {
    error = check_command(run, command);
    if (error) return true;
    if (run.resp3 && command->has(kNoResp3)) {
      throw BadInput("what COMMAND says of commands after redis.setresp(3) is not simulated");
    }
    Call call{*run.keyspace, run.request, *run.execution};
    if (call.execution.compared != nullptr)
      show_call(*command, run.request, *call.execution.compared);
    *run.reply = run_command(*command, call);
    if (call.execution.compared != nullptr) show_nothing(*run.reply, *call.execution.compared);
    if (command->is(kDenyOom)) count_written(run, *command, call);
    if (run.watched()) run.execution->observer->called(run.request, *run.reply);
    return true;
  } catch (const BadInput& bad) {
    run.refusal = bad.what();
  }
  return false;
}

/// Leaves redis.call's result on the stack; true if it is an error.
bool generic_call(lua_State* L) {
  ScriptRun& run = script_run(L);
  const char* error = read_arguments(L, run.request);
  if (error) {
    push_own_error(L, error);
    return true;
  }
  if (!call_command(run, error)) {
    lua_pushliteral(L, "refused");
    lua_error(L);
  }
  if (error) {
    push_own_error(L, error);
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "ignore_error_stats_update");
    return true;
  }
  if (run.resp3) {
    push_reply_resp3(L, run.request, *run.reply);
  } else {
    push_reply(L, *run.reply);
  }
  return run.reply->is_error();
}

int redis_call(lua_State* L) { return generic_call(L) ? lua_error(L) : 1; }

int redis_pcall(lua_State* L) {
  generic_call(L);
  return 1;
}

// ---- replies ----

/// redis.error_reply: the code ERR is added to a text of one word.
int redis_error_reply(lua_State* L) {
  if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TSTRING) {
    return push_error(L, "ERR wrong number or type of arguments");
  }
  const char* text = lua_tostring(L, 1);
  if (*text == '-') ++text;
  const std::string_view view(text);
  if (view.find(' ') == view.npos) {
    lua_pushfstring(L, "ERR %s", text);
    text = lua_tostring(L, -1);
  }
  return push_error(L, text);
}

int redis_status_reply(lua_State* L) {
  if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TSTRING) {
    return push_error(L, "ERR wrong number or type of arguments");
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "ok");
  return 1;
}

// ---- the rest ----

int raise_error(lua_State* L, const char* text) {
  push_own_error(L, text);
  return lua_error(L);
}

/// The argument cast to a C int, as x86 does it: what does not fit is the smallest one; 0 if it is
/// no number.
int number_or_0(lua_State* L, int argument) {
  double number = 0;
  dialect::to_number(L, argument, number);
  return number > INT_MIN && number < INT_MAX + 1.0 ? static_cast<int>(number) : INT_MIN;
}

int redis_sha1hex(lua_State* L) {
  if (lua_gettop(L) != 1) return raise_error(L, "ERR wrong number of arguments");
  std::size_t length = 0;
  const int type = lua_type(L, 1);
  const bool is_text = type == LUA_TSTRING || type == LUA_TNUMBER;  // anything else counts as ""
  const char* text = is_text ? dialect::check_text(L, 1, &length) : "";
  dialect::show_sought_in(L, {text, length});
  ScriptRun& run = script_run(L);
  run.text = sha1_hex({text, length});
  constexpr int kExact = 12, kHexadecimal = 16;  // digits that a double has
  dialect::show_sought_number(
      L, static_cast<double>(std::stoull(run.text.substr(0, kExact), nullptr, kHexadecimal)));
  lua_pushlstring(L, run.text.data(), run.text.size());
  return 1;
}

int redis_log(lua_State* L) {
  const int count = lua_gettop(L);
  if (count < 2) return raise_error(L, "ERR redis.log() requires two arguments or more.");
  double number = 0;
  if (!dialect::to_number(L, 1, number)) {
    return raise_error(L, "ERR First argument must be a number (log level).");
  }
  const int level = number_or_0(L, 1);
  if (level < 0 || level > 3) return raise_error(L, "ERR Invalid debug level.");
  return 0;
}

int redis_setresp(lua_State* L) {
  if (lua_gettop(L) != 1) return raise_error(L, "ERR redis.setresp() requires one argument.");
  const int version = number_or_0(L, 1);
  if (version != 2 && version != 3) return raise_error(L, "ERR RESP version must be 2 or 3.");
  script_run(L).resp3 = version == 3;
  return 0;
}

int redis_set_repl(lua_State* L) {
  constexpr int kAll = 3;
  if (lua_gettop(L) != 1) return raise_error(L, "ERR redis.set_repl() requires two arguments.");
  const int flags = number_or_0(L, 1);
  if ((flags & ~kAll) != 0) {
    return raise_error(
        L, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  }
  if (flags != kAll) dialect::refuse(L, "redis.set_repl() with other than REPL_ALL");
  return 0;
}

/// Whether the client may run a command. Its user may run all of them.
int redis_acl_check_cmd(lua_State* L) {
  ScriptRun& run = script_run(L);
  if (const char* error = read_arguments(L, run.request)) return raise_error(L, error);
  if (!find_command(run.request, run.version)) {
    return raise_error(L, "ERR Invalid command passed to redis.acl_check_cmd()");
  }
  lua_pushboolean(L, 1);
  return 1;
}

int redis_replicate_commands(lua_State* L) {
  lua_pushboolean(L, 1);
  return 1;
}

int redis_breakpoint(lua_State* L) {
  lua_pushboolean(L, 0);
  return 1;
}

int redis_debug(lua_State*) { return 0; }

constexpr Function51 kRedisFunctions[] = {
    {"acl_check_cmd", dialect::guarded<redis_acl_check_cmd>},
    {"breakpoint", dialect::guarded<redis_breakpoint>},
    {"call", dialect::guarded<redis_call>},
    {"debug", dialect::guarded<redis_debug>},
    {"error_reply", dialect::guarded<redis_error_reply>},
    {"log", dialect::guarded<redis_log>},
    {"pcall", dialect::guarded<redis_pcall>},
    {"replicate_commands", dialect::guarded<redis_replicate_commands>},
    {"set_repl", dialect::guarded<redis_set_repl>},
    {"setresp", dialect::guarded<redis_setresp>},
    {"sha1hex", dialect::guarded<redis_sha1hex>},
    {"status_reply", dialect::guarded<redis_status_reply>},
};

struct Constant {
  const char* name;
  double value;
};
constexpr Constant kConstants[] = {
    {"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2},   {"LOG_WARNING", 3}, {"REPL_NONE", 0},
    {"REPL_AOF", 1},  {"REPL_SLAVE", 2},  {"REPL_REPLICA", 2}, {"REPL_ALL", 3},
};

/// REDIS_VERSION and REDIS_VERSION_NUM, or those of another server.
void set_version(lua_State* L, const char* server, const char* version) {
  lua_pushfstring(L, "%s_VERSION", server);
  lua_pushstring(L, version);
  lua_settable(L, -3);
  lua_pushfstring(L, "%s_VERSION_NUM", server);
  lua_pushnumber(L, static_cast<double>(version_number(version)));
  lua_settable(L, -3);
}

int os_clock(lua_State* L) { dialect::refuse(L, "os.clock, which shows the server's time"); }

}  // namespace

void open_os(lua_State* L) {
  constexpr Function51 kFunctions[] = {{"clock", dialect::guarded<os_clock>}};
  lua_newtable(L);
  dialect::set_functions(L, kFunctions, std::size(kFunctions));
}

void open_redis(lua_State* L) {
  lua_newtable(L);
  dialect::set_functions(L, kRedisFunctions, std::size(kRedisFunctions));
  for (const Constant& constant : kConstants) {
    lua_pushnumber(L, constant.value);
    lua_setfield(L, -2, constant.name);
  }
  const ServerVersion version = script_run(L).version;
  set_version(L, "REDIS", redis_version(version));
  if (!is_valkey(version)) return;
  set_version(L, "VALKEY", full_name(version));
  lua_pushliteral(L, "valkey");
  lua_setfield(L, -2, "SERVER_NAME");
}

}  // namespace lockstep::sim
