// Function libraries: their globals, and redis.register_function.
#include "sim/redis/script/function_library.hpp"

#include <array>

#include "sim/redis/commands/command.hpp"
#include "sim/redis/script/run.hpp"
#include "sim/redis/script/shebang.hpp"

namespace lockstep::sim {

namespace {

constexpr const char* kMissing = "Script attempted to access nonexistent global variable '%s'";

/// Raises {err = "ERR ..."}: no place is added.
[[noreturn]] void refuse_library(lua_State* L, const char* text) {
  if (is_valkey(script_run(L).version)) text = luaL_gsub(L, text, "redis.reg", "server.reg");
  lua_createtable(L, 0, 1);
  lua_pushfstring(L, "ERR %s", text);
  lua_setfield(L, -2, "err");
  lua_error(L);
  __builtin_unreachable();
}

/// The flags in the list at `index`; a wrong one raises.
std::uint8_t read_flags(lua_State* L, int index) {
  std::uint8_t flags = 0;
  for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; ++i) {
    const std::uint8_t flag = lua_type(L, -1) == LUA_TSTRING ? script_flag(lua_tostring(L, -1)) : 0;
    if (flag == 0) refuse_library(L, "unknown flag given");
    flags |= flag;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return flags;
}

/// Where the arguments of register_function are on the stack; 0 for one that is not given.
struct Registration {
  int name = 0;
  int callback = 0;
  int description = 0;
  std::uint8_t flags = 0;
};

void read_named(lua_State* L, const char* key, Registration& given) {
  const std::string_view name = key;
  const int value = lua_gettop(L);
  if (name == "function_name") {
    if (!lua_isstring(L, value)) {
      refuse_library(L, "function_name argument given to redis.register_function must be a string");
    }
    given.name = value;
  } else if (name == "description") {
    if (!lua_isstring(L, value)) {
      refuse_library(L, "description argument given to redis.register_function must be a string");
    }
    given.description = value;
  } else if (name == "callback") {
    if (!lua_isfunction(L, value)) {
      refuse_library(L, "callback argument given to redis.register_function must be a function");
    }
    given.callback = value;
  } else if (name == "flags") {
    if (!lua_istable(L, value)) {
      refuse_library(
          L,
          "flags argument to redis.register_function must be a table representing function flags");
    }
    given.flags = read_flags(L, value);
  } else {
    refuse_library(L, "unknown argument given to redis.register_function");
  }
}

/// redis.register_function{function_name = ..., callback = ..., ...}
Registration named_arguments(lua_State* L) {
  if (!lua_istable(L, 1)) {
    refuse_library(
        L,
        "calling redis.register_function with a single argument is only applicable to Lua "
        "table (representing named arguments).");
  }
  // Which of several wrong arguments is blamed depends on the table's order in Redis.
  Registration given;
  constexpr std::array kKeys{"function_name", "description", "callback", "flags"};
  int known = 0;
  for (const char* key : kKeys) {
    lua_pushstring(L, key);
    if (lua_rawget(L, 1) == LUA_TNIL) continue;
    read_named(L, key, given);
    ++known;
  }
  lua_pushnil(L);
  int all = 0;
  while (lua_next(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING && lua_type(L, -2) != LUA_TNUMBER) {
      refuse_library(L, "named argument key given to redis.register_function is not a string");
    }
    ++all;
    lua_pop(L, 1);
  }
  if (all > known) refuse_library(L, "unknown argument given to redis.register_function");
  if (given.name == 0)
    refuse_library(L, "redis.register_function must get a function name argument");
  if (given.callback == 0)
    refuse_library(L, "redis.register_function must get a callback argument");
  return given;
}

/// redis.register_function(name, callback)
Registration positional_arguments(lua_State* L) {
  if (!lua_isfunction(L, 2)) {
    refuse_library(L, "second argument to redis.register_function must be a function");
  }
  if (!lua_isstring(L, 1)) {
    refuse_library(L, "first argument to redis.register_function must be a string");
  }
  return {1, 2, 0, 0};
}

std::string text_at(lua_State* L, int index) {
  std::size_t length = 0;
  const char* text = dialect::check_text(L, index, &length);
  return {text, length};
}

int register_function(lua_State* L) {
  ScriptRun& run = script_run(L);
  if (!run.loads_library)
    refuse_library(L, "redis.register_function can only be called on FUNCTION LOAD command");
  const int count = lua_gettop(L);
  if (count < 1 || count > 2) {
    refuse_library(L, "wrong number of arguments to redis.register_function");
  }
  const Registration given = count == 1 ? named_arguments(L) : positional_arguments(L);
  const std::string name = text_at(L, given.name);
  if (!is_library_name(name)) {
    refuse_library(
        L,
        "Library names can only contain letters, numbers, or underscores(_) and must be at "
        "least one character long");
  }
  for (const LibraryFunction& other : run.functions) {
    if (other.name == name) refuse_library(L, "Function already exists in the library");
    if (is_name(other.name, lower_case(name))) {
      dialect::refuse(L, "two functions whose names differ in case only");  // which one FCALL finds
    }
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, run.callbacks);
  lua_pushlstring(L, name.data(), name.size());
  lua_pushvalue(L, given.callback);
  lua_rawset(L, -3);
  LibraryFunction& function = run.functions.emplace_back();
  function.name = name;
  if (given.description != 0) function.description = text_at(L, given.description);
  function.flags = given.flags;
  return 0;
}

void copy_fields(lua_State* L, int from, int to) {
  lua_pushnil(L);
  while (lua_next(L, from)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, to);
  }
}

/// Pushes the table redis of functions: that of scripts without what is for scripts only.
void push_running_redis(lua_State* L) {
  open_redis(L);
  for (const char* name : {"breakpoint", "debug", "replicate_commands"}) {
    lua_pushnil(L);
    lua_setfield(L, -2, name);
  }
  dialect::protect(L);
}

/// Pushes the table redis while a library is loaded.
void push_loading_redis(lua_State* L) {
  constexpr dialect::Function51 kFunctionFunctions[] = {
      {"register_function", dialect::guarded<register_function>}};
  constexpr std::array kShared{"log",         "LOG_DEBUG",     "LOG_VERBOSE",      "LOG_NOTICE",
                               "LOG_WARNING", "REDIS_VERSION", "REDIS_VERSION_NUM"};
  open_redis(L);
  lua_newtable(L);
  for (const char* name : kShared) {
    lua_getfield(L, -2, name);
    lua_setfield(L, -2, name);
  }
  dialect::set_functions(L, kFunctionFunctions, std::size(kFunctionFunctions), kMissing);
  lua_remove(L, -2);
  dialect::protect(L);
}

/// Pops the table redis into the globals at `globals`; of a Valkey it is also called server.
void set_redis(lua_State* L, int globals) {
  if (is_valkey(script_run(L).version)) {
    lua_pushvalue(L, -1);
    lua_setfield(L, globals, "server");
  }
  lua_setfield(L, globals, "redis");
}

const char kLoadingTable = 0;  // their addresses are keys in the globals' metatable
const char kRunningTable = 0;

}  // namespace

void open_library_globals(lua_State* L) {
  const int globals = lua_gettop(L);
  lua_newtable(L);
  const int running = lua_gettop(L);
  copy_fields(L, globals, running);
  lua_getmetatable(L, globals);
  lua_setmetatable(L, running);
  push_running_redis(L);
  set_redis(L, running);

  lua_newtable(L);
  const int loading = lua_gettop(L);
  push_loading_redis(L);
  set_redis(L, loading);
  dialect::set_functions(L, nullptr, 0, kMissing);

  lua_pushvalue(L, running);
  dialect::protect(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, running, "_G");
  lua_getmetatable(L, -1);
  lua_pushvalue(L, loading);
  lua_rawsetp(L, -2, &kLoadingTable);
  lua_pushvalue(L, running);
  lua_rawsetp(L, -2, &kRunningTable);
  lua_pop(L, 1);
  lua_replace(L, running);
  lua_settop(L, running);
}

void library_phase(lua_State* L, int globals, bool loading) {
  lua_getmetatable(L, globals);
  lua_rawgetp(L, -1, loading ? &kLoadingTable : &kRunningTable);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

}  // namespace lockstep::sim
