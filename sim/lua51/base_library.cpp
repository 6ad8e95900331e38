// The basic functions of Lua 5.1 as Redis 7.0 leaves them to scripts.
#include <algorithm>
#include <cstdlib>

#include "sim/lua51/order.hpp"
#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

// ---- errors ----

int base_assert(lua_State* L) {
  check_any(L, 1);
  if (lua_toboolean(L, 1)) return lua_gettop(L);
  if (lua_isnoneornil(L, 2)) raise(L, "assertion failed!");
  raise(L, "%s", check_text(L, 2, nullptr));
}

int base_error(lua_State* L) {
  const int level = optional_int(L, 2, 1);
  lua_settop(L, 1);
  if (lua_isstring(L, 1) && level > 0) {
    check_text(L, 1, nullptr);
    push_place(L, level);
    lua_pushvalue(L, 1);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/// Redis's own pcall (script_lua.c luaRedisPcall): of an error table the caller gets the text.
int base_pcall(lua_State* L) {
  if (lua_gettop(L) == 0) lua_pushboolean(L, 1);  // Redis then calls its own place holder
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  const int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  if (status == LUA_OK) return lua_gettop(L);
  take_error(L, status);
  lua_remove(L, 1);
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "err");  // stays as a further result if it is no text
    if (lua_isstring(L, -1)) lua_replace(L, -2);
  }
  lua_pushboolean(L, 0);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/// Stands before the handler of xpcall.
int handle(lua_State* L) {
  if (runtime(L).refusal) return 1;
  take_error(L, LUA_ERRRUN);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

int base_xpcall(lua_State* L) {
  check_any(L, 2);
  lua_settop(L, 2);
  lua_pushcclosure(L, handle, 1);
  lua_insert(L, 1);
  const int status = lua_pcall(L, 0, LUA_MULTRET, 1);
  if (status == LUA_ERRMEM) refuse_for_memory(L);
  if (status != LUA_OK && runtime(L).refusal) return lua_error(L);
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);
  return lua_gettop(L);
}

// ---- values ----

int base_type(lua_State* L) {
  check_any(L, 1);
  lua_pushstring(L, luaL_typename(L, 1));
  return 1;
}

int base_tostring(lua_State* L) {
  check_any(L, 1);
  if (luaL_getmetafield(L, 1, "__tostring")) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
  }
  switch (lua_type(L, 1)) {
    case LUA_TNUMBER:
      push_shown(L, lua_tonumber(L, 1));
      return 1;
    case LUA_TSTRING:
      lua_settop(L, 1);
      return 1;
    case LUA_TBOOLEAN:
      lua_pushstring(L, lua_toboolean(L, 1) ? "true" : "false");
      return 1;
    case LUA_TNIL:
      lua_pushliteral(L, "nil");
      return 1;
    case LUA_TLIGHTUSERDATA:
      lua_pushliteral(L, "userdata: (nil)");  // cjson.null; there are no others
      return 1;
    default:
      push_address(L, 1);
      return 1;
  }
}

/// tonumber(text, base) with a base other than 10.
int number_in_base(lua_State* L, int base) {
  const char* text = check_text(L, 1, nullptr);
  if (base < 2 || base > 36) argument_error(L, 2, "base out of range");
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, base);
  if (end != text) {
    while (std::isspace(static_cast<unsigned char>(*end))) ++end;
    if (*end == '\0') {
      lua_pushnumber(L, static_cast<double>(value));
      return 1;
    }
  }
  lua_pushnil(L);
  return 1;
}

int base_tonumber(lua_State* L) {
  const int base = optional_int(L, 2, 10);
  if (base != 10) return number_in_base(L, base);
  check_any(L, 1);
  double value = 0;
  if (to_number(L, 1, value)) {
    lua_pushnumber(L, value);
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int base_select(lua_State* L) {
  const int count = lua_gettop(L);
  if (lua_type(L, 1) == LUA_TSTRING && *lua_tostring(L, 1) == '#') {
    lua_pushnumber(L, count - 1);
    return 1;
  }
  int from = check_int(L, 1);
  show_sought(L, 1);
  if (from < 0) {
    from += count;
  } else if (from > count) {
    from = count;
  }
  if (from < 1) argument_error(L, 1, "index out of range");
  return count - from;
}

int base_unpack(lua_State* L) {
  check_table(L, 1);
  for (const int position : {2, 3}) show_sought(L, position);
  const std::int64_t first = optional_int(L, 2, 1);
  const std::int64_t last =
      lua_isnoneornil(L, 3) ? static_cast<int>(length_of(L, 1)) : check_int(L, 3);
  if (first > last) return 0;
  const std::int64_t count = last - first + 1;
  if (!has_room(L, count)) {
    raise(L, "too many results to unpack");
  }
  for (std::int64_t i = first; i <= last; ++i) lua_rawgeti(L, 1, i);
  return static_cast<int>(count);
}

// ---- tables ----

int base_rawequal(lua_State* L) {
  check_any(L, 1);
  check_any(L, 2);
  if (lua_type(L, 1) != LUA_TTABLE) equal(L, 1, 2);  // shows it; asks no metatable
  lua_pushboolean(L, lua_rawequal(L, 1, 2));
  return 1;
}

int base_rawget(lua_State* L) {
  check_table(L, 1);
  check_any(L, 2);
  lua_settop(L, 2);
  show_sought(L, 2);
  if (push_real(L, 1)) lua_replace(L, 1);
  lua_rawget(L, 1);
  return 1;
}

int base_rawset(lua_State* L) {
  check_table(L, 1);
  check_any(L, 2);
  check_any(L, 3);
  lua_settop(L, 3);
  show_sought(L, 2);
  if (push_real(L, 1)) raise_without_place(L, kReadonly);
  lua_rawset(L, 1);
  return 1;
}

/// The globals have a metatable and strings have one, both read-only; the libraries have none.
int base_getmetatable(lua_State* L) {
  check_any(L, 1);
  if (push_real(L, 1)) {
    lua_pushliteral(L, "_G");  // of scripts, or of functions
    lua_rawget(L, -2);
    if (lua_rawequal(L, 1, -1)) refuse(L, "getmetatable(_G)");
    lua_pushnil(L);
  } else if (lua_type(L, 1) == LUA_TSTRING) {
    refuse(L, "getmetatable() of a string");
  } else if (!lua_getmetatable(L, 1)) {
    lua_pushnil(L);
  } else {
    luaL_getmetafield(L, 1, "__metatable");
  }
  return 1;
}

/// Refuses what 5.4 would take from a metatable otherwise than 5.1, if the value there has the type
/// `type` (or any, LUA_TNONE) and is not `fine`.
void refuse_field(lua_State* L, int index, const char* name, int type, int fine) {
  lua_pushstring(L, name);
  const int found = lua_rawget(L, index);
  lua_pop(L, 1);
  if (found == LUA_TNIL || found == fine || (type != LUA_TNONE && found != type)) return;
  lua_pushfstring(L, "the field %s of a metatable", name);
  refuse(L, lua_tostring(L, -1));
}

/// Sets the metatable at 2 for the table at 1, without a finalizer: 5.1 has none for tables. 5.4
/// looks for __gc at this moment only.
void set_without_finalizer(lua_State* L) {
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_setmetatable(L, 1);
    return;
  }
  lua_pushliteral(L, "__gc");
  lua_pushvalue(L, -1);
  const bool has_finalizer = lua_rawget(L, 2) != LUA_TNIL;
  lua_insert(L, -2);  // finalizer, "__gc"
  if (has_finalizer) {
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, 2);
  }
  lua_pushvalue(L, 2);
  lua_setmetatable(L, 1);
  if (has_finalizer) {
    lua_pushvalue(L, -2);
    lua_rawset(L, 2);
  }
  lua_settop(L, 1);
}

int base_setmetatable(lua_State* L) {
  check_table(L, 1);
  const int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TTABLE) argument_error(L, 2, "nil or table expected");
  if (luaL_getmetafield(L, 1, "__metatable")) raise(L, "cannot change a protected metatable");
  if (push_real(L, 1)) raise_without_place(L, kReadonly);
  if (type == LUA_TTABLE) {
    refuse_field(L, 2, "__mode", LUA_TSTRING, LUA_TNONE);    // depends on the garbage collector
    refuse_field(L, 2, "__name", LUA_TSTRING, LUA_TNONE);    // 5.4 shows it in errors
    refuse_field(L, 2, "__call", LUA_TNONE, LUA_TFUNCTION);  // 5.4 asks its metatable in turn
  }
  if (runtime(L).odd_key) refuse(L, kOddKey);
  runtime(L).has_metatables = true;
  set_without_finalizer(L);
  return 1;
}

/// collectgarbage() without what tells how much memory there is.
int base_collectgarbage(lua_State* L) {
  constexpr const char* kOptions[] = {"stop", "restart",  "collect",   "count",
                                      "step", "setpause", "setstepmul"};
  constexpr std::ptrdiff_t kWithoutEffect = 3;
  const char* option = lua_isnoneornil(L, 1) ? "collect" : check_text(L, 1, nullptr);
  const auto* known = std::ranges::find_if(
      kOptions, [&](const char* name) { return std::string_view(name) == option; });
  if (known == std::end(kOptions)) {
    lua_pushfstring(L, "invalid option '%s'", option);
    argument_error(L, 1, lua_tostring(L, -1));
  }
  optional_int(L, 2, 0);
  if (known - kOptions >= kWithoutEffect) {
    lua_pushfstring(L, "collectgarbage('%s')", option);
    refuse(L, lua_tostring(L, -1));
  }
  lua_pushnumber(L, 0);
  return 1;
}

// ---- visiting keys, in the order of order.cpp ----

/// The iterator of pairs(): upvalues are the table, its keys, and how many have been visited.
int pairs_step(lua_State* L) {
  auto at = lua_tointeger(L, lua_upvalueindex(3));
  while (lua_rawgeti(L, lua_upvalueindex(2), ++at) != LUA_TNIL) {
    lua_pushvalue(L, -1);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
      lua_pushinteger(L, at);
      lua_replace(L, lua_upvalueindex(3));
      return 2;
    }
    lua_pop(L, 2);  // removed meanwhile
  }
  refuse_new_keys(L, lua_upvalueindex(1), lua_upvalueindex(2));
  return 1;
}

int base_pairs(lua_State* L) {
  check_table(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  if (push_real(L, 1)) lua_replace(L, 2);
  push_ordered_keys(L, 2);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, pairs_step, 3);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/// lua_next as a function of Lua: it raises an error for a key that the table never had.
int raw_next(lua_State* L) { return lua_next(L, 1) != 0 ? 2 : 0; }

/// Refuses the key at 2 unless it is in the table at 1, or was when it was visited: 5.1 goes on
/// also from a key that was only ever assigned nil.
void check_visited(lua_State* L) {
  lua_pushcfunction(L, raw_next);
  lua_pushvalue(L, 1);
  int whole = 0;
  const lua_Integer integer = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &whole) : 0;
  if (whole != 0) {
    lua_pushinteger(L, integer);  // as 5.4 keeps such a key
  } else {
    lua_pushvalue(L, 2);
  }
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) refuse(L, "next() of a key that the table does not have");
  lua_settop(L, 2);
}

int base_next(lua_State* L) {
  check_table(L, 1);
  lua_settop(L, 2);
  if (push_real(L, 1)) lua_replace(L, 1);
  const bool first = lua_isnil(L, 2);
  OrderedKey& last = runtime(L).probe;
  if (first) {
    collect_keys(L, 1);
  } else {
    check_visited(L);
    lua_pushvalue(L, 2);
    const bool there = lua_rawget(L, 1) != LUA_TNIL;
    if (!read_key(L, 2, last)) refuse(L, "next() of a key that is a table or a function");
    collect_keys(L, 1, there ? nullptr : &last);
  }
  const auto& keys = runtime(L).keys;
  auto at = keys.begin();
  if (!first) {
    at = std::find_if(keys.begin(), keys.end(), [&](const OrderedKey& key) {
      return !before(key, last) && !before(last, key);
    });
    ++at;
  }
  if (at == keys.end()) {
    lua_pushnil(L);
    return 1;
  }
  push_key(L, *at);
  lua_pushvalue(L, -1);
  lua_rawget(L, 1);
  return 2;
}

int ipairs_step(lua_State* L) {
  const int at = check_int(L, 2) + 1;
  if (push_real(L, 1)) lua_replace(L, 1);
  lua_pushnumber(L, at);
  return lua_rawgeti(L, 1, at) == LUA_TNIL ? 0 : 2;
}

int base_ipairs(lua_State* L) {
  check_table(L, 1);
  lua_pushcfunction(L, ipairs_step);
  lua_pushvalue(L, 1);
  lua_pushnumber(L, 0);
  return 3;
}

constexpr Function51 kBaseFunctions[] = {
    {"assert", guarded<base_assert>},
    {"collectgarbage", guarded<base_collectgarbage>},
    {"error", guarded<base_error>},
    {"getmetatable", guarded<base_getmetatable>},
    {"ipairs", guarded<base_ipairs>},
    {"next", guarded<base_next>},
    {"pairs", guarded<base_pairs>},
    {"pcall", base_pcall},
    {"rawequal", guarded<base_rawequal>},
    {"rawget", guarded<base_rawget>},
    {"rawset", guarded<base_rawset>},
    {"select", guarded<base_select>},
    {"setmetatable", guarded<base_setmetatable>},
    {"tonumber", guarded<base_tonumber>},
    {"tostring", guarded<base_tostring>},
    {"type", guarded<base_type>},
    {"unpack", guarded<base_unpack>},
    {"xpcall", base_xpcall},
    // Exist in Redis and are refused here by name.
    {"__redis__err__handler", nullptr},
    {"gcinfo", nullptr},
};

}  // namespace

bool is_protected(lua_State* L) {
  lua_Debug info;
  for (int level = 0; lua_getstack(L, level, &info) != 0; ++level) {
    lua_getinfo(L, "f", &info);
    const lua_CFunction function = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    if (function == base_pcall || function == base_xpcall) return true;
  }
  return false;
}

void open_base(lua_State* L) {
  set_functions(L, kBaseFunctions, std::size(kBaseFunctions),
                "Script attempted to access nonexistent global variable '%s'");
  lua_pushliteral(L, "Lua 5.1");
  lua_setfield(L, -2, "_VERSION");
}

}  // namespace lockstep::sim::dialect
