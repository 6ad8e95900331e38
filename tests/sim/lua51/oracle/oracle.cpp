// Scripts on the real Lua 5.1 (liblua5.1), with what Redis 7.0 puts around it: the oracle of the
// dialect's tests that needs no server. It is a program of its own, because Lua 5.4 has the same
// symbols. It reads "LENGTH SHA1\n" and a script, and answers "LENGTH\n" and the reply in the form
// of show() (tests/support/reply_text.hpp). Each script has a fresh Lua state; it knows results
// that are no tables, and the base, string, table and math libraries without random numbers; no
// `redis`.
#include <climits>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

namespace {

struct Close {
  void operator()(lua_State* L) const { lua_close(L); }
};

int nonexistent_global(lua_State* L) {
  return luaL_error(L, "Script attempted to access nonexistent global variable '%s'",
                    luaL_checkstring(L, 2));
}

/// As luaRedisPcall: of an error table the caller gets the text.
int redis_pcall(lua_State* L) {
  const int count = lua_gettop(L);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  if (lua_pcall(L, count - 1, LUA_MULTRET, 0) != 0) {
    lua_remove(L, 1);
    if (lua_istable(L, -1)) {
      lua_getfield(L, -1, "err");
      if (lua_isstring(L, -1)) lua_replace(L, -2);
    }
    lua_pushboolean(L, 0);
    lua_insert(L, 1);
  }
  return lua_gettop(L);
}

/// unpack() as Redis has mended it: liblua5.1 crashes where the number of values is more than an
/// int holds.
int unpack(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int first = luaL_optint(L, 2, 1);
  const int last = lua_isnoneornil(L, 3) ? static_cast<int>(lua_objlen(L, 1)) : luaL_checkint(L, 3);
  if (first > last) return 0;
  const std::int64_t count = std::int64_t{last} - first + 1;
  if (count > INT_MAX || lua_checkstack(L, static_cast<int>(count)) == 0) {
    return luaL_error(L, "too many results to unpack");
  }
  for (std::int64_t i = first; i <= last; ++i) lua_rawgeti(L, 1, static_cast<int>(i));
  return static_cast<int>(count);
}

/// Puts " script: ..., on @user_script:LINE." behind the error, as Redis's handler does. Upvalue 1
/// is the SHA-1.
int error_handler(lua_State* L) {
  lua_Debug info;
  bool known = lua_getstack(L, 1, &info) != 0;
  if (known) lua_getinfo(L, "nSl", &info);
  if (known && *info.what == 'C' && (known = lua_getstack(L, 2, &info) != 0)) {
    lua_getinfo(L, "nSl", &info);
  }
  lua_getglobal(L, "tostring");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_pushliteral(L, "ERR ");
  lua_insert(L, -2);
  lua_concat(L, 2);
  if (known) {
    lua_pushstring(L, lua_tostring(L, -1));  // Redis goes on behind a NUL
    lua_pushfstring(L, " script: %s, on %s:%d.", lua_tostring(L, lua_upvalueindex(1)), info.source,
                    info.currentline);
    lua_concat(L, 2);
  }
  return 1;
}

void open_libraries(lua_State* L) {
  for (const lua_CFunction open : {luaopen_base, luaopen_table, luaopen_string, luaopen_math}) {
    lua_pushcfunction(L, open);
    lua_call(L, 0, 0);
  }
  lua_pushcfunction(L, redis_pcall);
  lua_setglobal(L, "pcall");
  lua_pushcfunction(L, unpack);
  lua_setglobal(L, "unpack");
  for (const char* removed : {"print", "dofile", "loadfile", "newproxy", "getfenv", "setfenv"}) {
    lua_pushnil(L);
    lua_setglobal(L, removed);
  }
  for (const char* array : {"KEYS", "ARGV"}) {
    lua_newtable(L);
    lua_setglobal(L, array);
  }
  lua_newtable(L);
  lua_pushcfunction(L, nonexistent_global);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, LUA_GLOBALSINDEX);
}

/// A text as an error reply holds it: one line, up to its first NUL.
std::string one_line(const char* text) {
  std::string shown = text;
  for (char& c : shown) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return shown;
}

std::string shown_result(lua_State* L) {
  switch (lua_type(L, -1)) {
    case LUA_TSTRING: {
      std::size_t length = 0;
      const char* text = lua_tolstring(L, -1, &length);
      return "'" + std::string(text, length) + "'";
    }
    case LUA_TNUMBER:
      return ":" + std::to_string(static_cast<std::int64_t>(lua_tonumber(L, -1)));
    case LUA_TBOOLEAN:
      return lua_toboolean(L, -1) ? ":1" : "(nil)";
    case LUA_TTABLE:
      return "(table)";
    default:
      return "(nil)";
  }
}

/// Runs a script without keys.
std::string run(const std::string& body, const std::string& sha1) {
  const std::unique_ptr<lua_State, Close> guard(luaL_newstate());
  lua_State* L = guard.get();
  open_libraries(L);
  lua_pushstring(L, sha1.c_str());
  lua_pushcclosure(L, error_handler, 1);
  if (luaL_loadbuffer(L, body.data(), body.size(), "@user_script") != 0) {
    return "-ERR Error compiling script (new function): " + one_line(lua_tostring(L, -1));
  }
  if (lua_pcall(L, 0, 1, 1) == 0) return shown_result(L);
  return "-" + one_line(lua_tostring(L, -1));
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::size_t length = 0;
  std::string sha1;
  while (std::cin >> length >> sha1) {
    std::cin.get();
    std::string body(length, '\0');
    std::cin.read(body.data(), static_cast<std::streamsize>(length));
    const std::string reply = run(body, sha1);
    std::cout << reply.size() << '\n' << reply << std::flush;
  }
}
