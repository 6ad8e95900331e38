// One run of one script, as the functions of the redis table see it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/keyspace/json_settings.hpp"
#include "sim/lua51/runtime.hpp"
#include "sim/redis/execute.hpp"
#include "sim/redis/request.hpp"
#include "sim/redis/script/function_library.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::sim {

/// What redis.call works on; the VM's one Runtime, so that C functions find it.
struct ScriptRun : dialect::Runtime {
  ScriptRun();
  ~ScriptRun();
  ScriptRun(const ScriptRun&) = delete;
  ScriptRun& operator=(const ScriptRun&) = delete;

  Keyspace* keyspace = nullptr;
  dialect::JsonSettings* json = nullptr;  ///< of cjson
  Execution* execution = nullptr;
  ServerVersion version = ServerVersion::redis_7_0;
  bool calls_comparisons = false;  ///< so that they can be put down
  bool known_only = false;         ///< ScriptLimits::known_only
  bool read_only = false;
  bool allow_oom = false;
  bool cross_slot = true;
  bool wrote = false;                      ///< a write command was let through
  std::int64_t written_bytes = 0;          ///< by its commands, at most
  bool resp3 = false;                      ///< after redis.setresp(3)
  bool loads_library = false;              ///< only then it can register functions
  bool load_timed_out = false;             ///< it reached the limit on instructions meanwhile
  std::vector<LibraryFunction> functions;  ///< that the library under way has registered
  int callbacks = LUA_NOREF;               ///< table: their names -> the functions
  Request request;                         ///< of the redis.call under way
  std::unique_ptr<Reply> reply;            ///< of it, or of the script; never null

  int line = 0;  ///< of the script, that the observer was told last
  /// Where it reached the limit on instructions, as an error says it; not within a pcall, which
  /// would catch what SCRIPT KILL raises there.
  std::string stopped_at;

  /// Whether somebody watches; not a second run in the opposite order, which is a check of our own.
  bool watched() const { return execution->observer != nullptr && !reversed; }
};

ScriptRun& script_run(lua_State* L);

/// Pushes the table `redis`.
void open_redis(lua_State* L);
/// Leaves the table os of scripts on the stack, which servers after 7.2 have.
void open_os(lua_State* L);

/// Pushes what redis.call returns for `reply` (Redis 7.0 script_lua.c redisProtocolToLuaType).
void push_reply(lua_State* L, const Reply& reply, bool null_is_nil = false);
/// The same after redis.setresp(3), for the reply to `request`.
void push_reply_resp3(lua_State* L, const Request& request, const Reply& reply);
/// Turns the value on top of the stack into a reply, as a script's result (luaReplyToRedisReply);
/// pops it.
void pop_reply(lua_State* L, Reply& reply);

}  // namespace lockstep::sim
