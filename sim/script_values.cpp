// Between Lua values and replies, both ways (Redis 7.0 script_lua.c; shared tables in docs).
#include "sim/script_run.hpp"

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

void one_line(std::string& text) {
  for (char& c : text) {
    if (c == '\r' || c == '\n') c = ' ';
  }
}

void refuse_resp3(lua_State* L) {
  for (const char* name : {"double", "map", "set", "big_number", "verbatim_string"}) {
    lua_pushstring(L, name);
    if (lua_rawget(L, -2) != LUA_TNIL) {
      lua_pushfstring(L, "a result with the field '%s' (RESP3)", name);
      dialect::refuse(L, lua_tostring(L, -1));
    }
    lua_pop(L, 1);
  }
}

void convert(lua_State* L, Reply& reply, int depth);

void convert_table(lua_State* L, Reply& reply, int depth) {
  if (raw_text(L, "err")) {
    reply.kind = Reply::Kind::error;
    pop_text(L, reply.text);
    one_line(reply.text);
    return;
  }
  if (raw_text(L, "ok")) {
    reply.kind = Reply::Kind::status;
    pop_text(L, reply.text);
    one_line(reply.text);
    return;
  }
  refuse_resp3(L);
  reply.kind = Reply::Kind::array;
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    reply.items.emplace_back();
    convert(L, reply.items.back(), depth + 1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void convert(lua_State* L, Reply& reply, int depth) {
  if (depth > kMaxDepth || !lua_checkstack(L, 4)) {
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
      if (lua_toboolean(L, -1)) {
        reply.kind = Reply::Kind::integer;
        reply.integer = 1;
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

void push_reply(lua_State* L, const Reply& reply) {
  luaL_checkstack(L, 4, nullptr);
  switch (reply.kind) {
    case Reply::Kind::null:
      lua_pushboolean(L, 0);
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
      lua_createtable(L, static_cast<int>(reply.items.size()), 0);
      for (std::size_t i = 0; i < reply.items.size(); ++i) {
        push_reply(L, reply.items[i]);
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
