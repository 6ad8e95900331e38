// The library `cjson` of Redis's scripts (lua-cjson 2.1.0). Its settings belong to the server; each
// cjson.new() has its own.
#include <array>
#include <climits>
#include <new>
#include <string_view>

#include "sim/redis/script/json.hpp"
#include "sim/redis/script/libraries.hpp"
#include "sim/redis/script/run.hpp"

namespace lockstep::sim::dialect {

namespace {

/// Of the running function: those of a cjson.new() are its upvalue.
JsonSettings& settings(lua_State* L) {
  void* own = lua_touserdata(L, lua_upvalueindex(1));
  return own ? *static_cast<JsonSettings*>(own) : *script_run(L).json;
}

int cjson_encode(lua_State* L) {
  if (lua_gettop(L) != 1) argument_error(L, 1, "expected 1 argument");
  push_as_json(L, settings(L));
  return 1;
}

int cjson_decode(lua_State* L) {
  if (lua_gettop(L) != 1) argument_error(L, 1, "expected 1 argument");
  push_from_json(L, settings(L));
  return 1;
}

// ---- settings: each function sets what it is given, and returns what is set ----

void check_count(lua_State* L, int count) {
  if (lua_gettop(L) > count) argument_error(L, count + 1, "found too many arguments");
  lua_settop(L, count);
}

constexpr std::array kOptions{"off", "on", "null"};

/// Reads argument 1 as one of the first `count` options; a boolean stands for off and on. Returns
/// `otherwise` without an argument.
std::size_t option(lua_State* L, std::size_t count, std::size_t otherwise) {
  if (lua_isnil(L, 1)) return otherwise;
  if (lua_isboolean(L, 1)) return lua_toboolean(L, 1) ? 1 : 0;
  const char* text = check_text(L, 1, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::string_view(kOptions[i]) == text) return i;
  }
  lua_pushfstring(L, "invalid option '%s'", text);
  argument_error(L, 1, lua_tostring(L, -1));
}

void set_switch(lua_State* L, bool& value) {
  value = option(L, 2, value ? 1 : 0) == 1;
  lua_pushboolean(L, value);
}

void set_integer(lua_State* L, int argument, int& value, int low, int high) {
  if (!lua_isnil(L, argument)) {
    const auto wanted = static_cast<int>(check_integer(L, argument));  // as the original
    if (wanted < low || wanted > high) {
      lua_pushfstring(L, "expected integer between %d and %d", low, high);
      argument_error(L, 1, lua_tostring(L, -1));
    }
    value = wanted;
  }
  lua_pushnumber(L, value);
}

int cjson_encode_sparse_array(lua_State* L) {
  check_count(L, 3);
  JsonSettings& json = settings(L);
  set_switch(L, json.sparse_as_object);
  set_integer(L, 2, json.sparse_ratio, 0, INT_MAX);
  set_integer(L, 3, json.sparse_safe, 0, INT_MAX);
  return 3;
}

template <int JsonSettings::*member, int high>
int set_number(lua_State* L) {
  check_count(L, 1);
  set_integer(L, 1, settings(L).*member, 1, high);
  return 1;
}

template <bool JsonSettings::*member>
int set_flag(lua_State* L) {
  check_count(L, 1);
  set_switch(L, settings(L).*member);
  return 1;
}

int cjson_encode_invalid_numbers(lua_State* L) {
  check_count(L, 1);
  auto& invalid = settings(L).encode_invalid;
  invalid = static_cast<JsonSettings::Invalid>(
      option(L, kOptions.size(), static_cast<std::size_t>(invalid)));
  if (invalid == JsonSettings::Invalid::null) {
    lua_pushliteral(L, "null");
  } else {
    lua_pushboolean(L, invalid == JsonSettings::Invalid::written);
  }
  return 1;
}

int cjson_new(lua_State* L);

constexpr Function51 kCjsonFunctions[] = {
    {"decode", guarded<cjson_decode>},
    {"decode_invalid_numbers", guarded<set_flag<&JsonSettings::decode_invalid>>},
    {"decode_max_depth", guarded<set_number<&JsonSettings::decode_max_depth, INT_MAX>>},
    {"encode", guarded<cjson_encode>},
    {"encode_invalid_numbers", guarded<cjson_encode_invalid_numbers>},
    {"encode_keep_buffer", guarded<set_flag<&JsonSettings::keep_buffer>>},
    {"encode_max_depth", guarded<set_number<&JsonSettings::encode_max_depth, INT_MAX>>},
    {"encode_number_precision", guarded<set_number<&JsonSettings::precision, 14>>},
    {"encode_sparse_array", guarded<cjson_encode_sparse_array>},
    {"new", guarded<cjson_new>},
};

/// Sets what is no function in the table on top.
void set_constants(lua_State* L) {
  lua_pushlightuserdata(L, nullptr);
  lua_setfield(L, -2, "null");
  lua_pushliteral(L, "cjson");
  lua_setfield(L, -2, "_NAME");
  lua_pushliteral(L, "2.1.0");
  lua_setfield(L, -2, "_VERSION");
}

int cjson_new(lua_State* L) {
  lua_newtable(L);
  new (lua_newuserdatauv(L, sizeof(JsonSettings), 0)) JsonSettings;
  for (const Function51& entry : kCjsonFunctions) {
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, entry.function, 1);
    lua_setfield(L, -3, entry.name);
  }
  lua_pop(L, 1);
  set_constants(L);
  return 1;
}

}  // namespace

void open_cjson(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kCjsonFunctions, std::size(kCjsonFunctions));
  set_constants(L);
}

}  // namespace lockstep::sim::dialect
