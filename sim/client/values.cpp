// Error objects, texts without addresses, and keys in a fixed order.
#include "sim/client/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace lockstep::sim::program {

bool is_error_object(lua_State* lua, int index) {
  if (!lua_istable(lua, index) || lua_getmetatable(lua, index) == 0) return false;
  luaL_getmetatable(lua, kErrorName);
  const bool same = lua_rawequal(lua, -1, -2) != 0;
  lua_pop(lua, 2);
  return same;
}

namespace {

/// A field of an error object. Nothing if it is no string any more.
std::optional<std::string> text_field(lua_State* lua, int index, const char* name) {
  index = lua_absindex(lua, index);
  lua_pushstring(lua, name);
  lua_rawget(lua, index);
  std::optional<std::string> text;
  if (lua_type(lua, -1) == LUA_TSTRING) text = string_at(lua, -1);
  lua_pop(lua, 1);
  return text;
}

}  // namespace

bool tells_of_no_answer(lua_State* lua, int index) {
  if (lua_type(lua, index) == LUA_TSTRING) {
    const std::string_view text = string_at(lua, index);
    return text.find(kConnectionText) != text.npos || text.find(kTimeoutText) != text.npos;
  }
  if (!lua_istable(lua, index)) return false;
  if (is_error_object(lua, index)) {
    const auto kind = text_field(lua, index, "kind");
    return kind == kConnectionError || kind == kTimeoutError;
  }
  index = lua_absindex(lua, index);
  bool tells = false;
  for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
    const bool wrapped = lua_type(lua, -1) == LUA_TSTRING || is_error_object(lua, -1);
    tells = tells || (wrapped && tells_of_no_answer(lua, -1));
  }
  return tells;
}

bool is_answered_error(lua_State* lua, int index) {
  return is_error_object(lua, index) && text_field(lua, index, "kind") == kRedisError;
}

void push_error_object(lua_State* lua, std::string_view kind, std::string_view message,
                       std::string_view code) {
  lua_createtable(lua, 0, 3);
  push_string(lua, kind);
  lua_setfield(lua, -2, "kind");
  push_string(lua, message);
  lua_setfield(lua, -2, "message");
  if (!code.empty()) {
    push_string(lua, code);
    lua_setfield(lua, -2, "code");
  }
  luaL_setmetatable(lua, kErrorName);
}

std::string text_of(lua_State* lua, int index) {
  switch (lua_type(lua, index)) {
    case LUA_TNIL:
      return "nil";
    case LUA_TBOOLEAN:
      return lua_toboolean(lua, index) != 0 ? "true" : "false";
    case LUA_TSTRING:
      return std::string(string_at(lua, index));
    case LUA_TNUMBER: {
      lua_pushvalue(lua, index);  // lua_tolstring would change the value itself
      std::size_t size = 0;
      const char* bytes = lua_tolstring(lua, -1, &size);
      std::string text(bytes, size);
      lua_pop(lua, 1);
      return text;
    }
    case LUA_TUSERDATA: {
      if (luaL_getmetafield(lua, index, "__name") != LUA_TSTRING) return "userdata";
      std::string name(string_at(lua, -1));
      lua_pop(lua, 1);
      return name;
    }
    default:
      return is_error_object(lua, index) ? text_field(lua, index, "message").value_or("error")
                                         : luaL_typename(lua, index);
  }
}

std::optional<std::int64_t> whole_number(lua_State* lua, int index) {
  if (lua_type(lua, index) != LUA_TNUMBER) return std::nullopt;
  int whole = 0;
  const lua_Integer number = lua_tointegerx(lua, index, &whole);
  if (whole == 0) return std::nullopt;
  return number;
}

bool is_longest_wait(lua_State* lua, int index, std::optional<std::int64_t>& most_ms) {
  most_ms = whole_number(lua, index);
  return most_ms ? *most_ms >= 0 : lua_isnoneornil(lua, index);
}

std::string longest_wait_expected(lua_State* lua, int index) {
  return fmt::format(
      "retry: expected as second result how long to wait at most, in whole milliseconds (use // "
      "to divide), found {}",
      text_of(lua, index));
}

std::vector<Key> sorted_keys(lua_State* lua, int index, bool* all) {
  std::vector<Key> keys;
  index = lua_absindex(lua, index);
  for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
    if (lua_isinteger(lua, -2) != 0) {
      keys.push_back({Key::Kind::whole, lua_tointeger(lua, -2), 0, {}});
    } else if (lua_type(lua, -2) == LUA_TNUMBER) {
      keys.push_back({Key::Kind::broken, 0, lua_tonumber(lua, -2), {}});
    } else if (lua_type(lua, -2) == LUA_TSTRING) {
      keys.push_back({Key::Kind::text, 0, 0, string_at(lua, -2)});
    } else {
      *all = false;
    }
  }
  const auto number = [](const Key& key) {
    return key.kind == Key::Kind::whole ? static_cast<long double>(key.whole)
                                        : static_cast<long double>(key.broken);
  };
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    const bool a_text = a.kind == Key::Kind::text, b_text = b.kind == Key::Kind::text;
    if (a_text != b_text) return b_text;
    return a_text ? a.text < b.text : number(a) < number(b);
  });
  return keys;
}

void push_key(lua_State* lua, const Key& key) {
  switch (key.kind) {
    case Key::Kind::whole:
      return lua_pushinteger(lua, key.whole);
    case Key::Kind::broken:
      return lua_pushnumber(lua, key.broken);
    case Key::Kind::text:
      return push_string(lua, key.text);
  }
}

namespace {

char give_up;  // its address is what Lua sees

}  // namespace

void push_give_up(lua_State* lua) { lua_pushlightuserdata(lua, &give_up); }
bool is_give_up(lua_State* lua, int index) { return lua_touserdata(lua, index) == &give_up; }

}  // namespace lockstep::sim::program
