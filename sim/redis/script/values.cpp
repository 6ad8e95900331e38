// Between Lua values and replies, both ways (Redis 7.0 script_lua.c; shared tables in docs).
#include <algorithm>
#include <cstdio>

#include "sim/base/ascii.hpp"
#include "sim/lua51/order.hpp"
#include "sim/redis/commands/command.hpp"
#include "sim/redis/reply.hpp"
#include "sim/redis/script/run.hpp"
#include "sim/redis/script/shortest_number.hpp"

namespace lockstep::sim {

namespace {

constexpr int kMaxDepth = 1000;

void push_text(lua_State* L, const std::string& text) {
  lua_pushlstring(L, text.data(), text.size());
}

void push_field(lua_State* L, const char* name, const std::string& text) {
  push_text(L, text);
  lua_setfield(L, -2, name);
}

/// Pushes a field read raw; true if it is a string, else pops it.
bool raw_text(lua_State* L, const char* name) {
  lua_pushstring(L, name);
  if (lua_rawget(L, -2) == LUA_TSTRING) return true;
  lua_pop(L, 1);
  return false;
}

/// The text of the string on top, which is popped.
void pop_text(lua_State* L, std::string& text) {
  std::size_t length = 0;
  const char* bytes = lua_tolstring(L, -1, &length);
  text.assign(bytes, length);
  lua_pop(L, 1);
}

/// Pushes a field read raw; true if it is a table, else pops it.
bool raw_table(lua_State* L, const char* name) {
  lua_pushstring(L, name);
  if (lua_rawget(L, -2) == LUA_TTABLE) return true;
  lua_pop(L, 1);
  return false;
}

void convert(lua_State* L, Reply& reply, int depth);

/// {double = n}, {big_number = "n"} or {verbatim_string = {format, string}}, as a client of RESP2
/// gets it: a text.
bool convert_number_or_text(lua_State* L, Reply& reply) {
  reply.kind = Reply::Kind::bulk;
  lua_pushliteral(L, "double");
  const bool number = lua_rawget(L, -2) == LUA_TNUMBER;
  const double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  if (number) {
    reply.text = number_reply(script_run(L).version, value);
    return true;
  }
  if (raw_text(L, "big_number")) {
    pop_text(L, reply.text);
    reply.text = one_line(std::string(c_text(reply.text)));
    return true;
  }
  if (!raw_table(L, "verbatim_string")) return false;
  const bool has_format = raw_text(L, "format");
  if (has_format) lua_pop(L, 1);
  const bool complete = has_format && raw_text(L, "string");
  if (complete) pop_text(L, reply.text);
  lua_pop(L, 1);
  return complete;
}

/// {map = {...}} or {set = {...}}, as a client of RESP2 gets it: a flat array.
bool convert_collection(lua_State* L, Reply& reply, int depth) {
  const bool map = raw_table(L, "map");
  if (!map && !raw_table(L, "set")) return false;
  reply.kind = Reply::Kind::array;
  const int table = lua_gettop(L);
  const int count = dialect::push_ordered_keys(L, table);
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, table + 1, i);
    convert(L, reply.items.emplace_back(), depth + 1);
    if (map) {
      lua_rawget(L, table);
      convert(L, reply.items.emplace_back(), depth + 1);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return true;
}

void convert_table(lua_State* L, Reply& reply, int depth) {
  if (raw_text(L, "err")) {
    reply.kind = Reply::Kind::error;
    pop_text(L, reply.text);
    reply.text = one_line(std::string(c_text(reply.text)));
    return;
  }
  if (raw_text(L, "ok")) {
    reply.kind = Reply::Kind::status;
    pop_text(L, reply.text);
    reply.text = one_line(std::string(c_text(reply.text)));
    return;
  }
  if (convert_number_or_text(L, reply) || convert_collection(L, reply, depth)) return;
  reply.kind = Reply::Kind::array;
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    reply.items.emplace_back();
    convert(L, reply.items.back(), depth + 1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void convert(lua_State* L, Reply& reply, int depth) {
  if (depth > kMaxDepth || !lua_checkstack(L, 8)) {
    dialect::refuse(L, "a result nested more than 1000 deep");
  }
  switch (lua_type(L, -1)) {
    case LUA_TSTRING:
      reply.kind = Reply::Kind::bulk;
      lua_pushvalue(L, -1);
      pop_text(L, reply.text);
      return;
    case LUA_TNUMBER:
      reply.kind = Reply::Kind::integer;
      reply.integer = dialect::truncate(lua_tonumber(L, -1));
      return;
    case LUA_TBOOLEAN:
      if (lua_toboolean(L, -1) || script_run(L).resp3) {  // RESP3's false is 0 for RESP2
        reply.kind = Reply::Kind::integer;
        reply.integer = lua_toboolean(L, -1);
      }
      return;
    case LUA_TTABLE:
      convert_table(L, reply, depth);
      return;
    default:
      return;
  }
}

}  // namespace

void push_reply(lua_State* L, const Reply& reply, bool null_is_nil) {
  luaL_checkstack(L, 4, nullptr);
  switch (reply.kind) {
    case Reply::Kind::null:
      null_is_nil ? lua_pushnil(L) : lua_pushboolean(L, 0);
      return;
    case Reply::Kind::integer:
      lua_pushnumber(L, static_cast<double>(reply.integer));
      return;
    case Reply::Kind::bulk:
      push_text(L, reply.text);
      return;
    case Reply::Kind::status:
      lua_createtable(L, 0, 1);
      push_field(L, "ok", reply.text);
      return;
    case Reply::Kind::error:
      lua_createtable(L, 0, 2);
      push_field(L, "err", reply.text);
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, "ignore_error_stats_update");
      return;
    case Reply::Kind::array:
      lua_createtable(L, null_is_nil ? 0 : static_cast<int>(reply.items.size()), 0);
      for (std::size_t i = 0; i < reply.items.size(); ++i) {
        push_reply(L, reply.items[i], null_is_nil);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
      }
      return;
  }
}

void pop_reply(lua_State* L, Reply& reply) {
  reply = Reply{};
  convert(L, reply, 0);
  lua_pop(L, 1);
}

}  // namespace lockstep::sim
