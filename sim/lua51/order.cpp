// The order in which scripts visit the keys of a table.
#include "sim/lua51/order.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::sim::dialect {

// Redis visits a table's keys in the order of its hash nodes. Here the keys 1..n come first and
// then the others, numbers, strings, booleans, each ascending. A script that visits several of
// those others is run a second time in the opposite order, and refused if that makes a difference.

bool before(const OrderedKey& a, const OrderedKey& b) {
  if (a.type != b.type) return a.type < b.type;
  return a.type == OrderedKey::Type::text ? a.text < b.text : a.number < b.number;
}

bool read_key(lua_State* L, int index, OrderedKey& key) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      key = {OrderedKey::Type::number, lua_tonumber(L, index), {}};
      return true;
    case LUA_TSTRING: {
      std::size_t length = 0;
      const char* text = lua_tolstring(L, index, &length);
      key = {OrderedKey::Type::text, 0, std::string(text, length)};
      return true;
    }
    case LUA_TBOOLEAN:
      key = {OrderedKey::Type::boolean, static_cast<double>(lua_toboolean(L, index)), {}};
      return true;
    default:
      return false;
  }
}

void push_key(lua_State* L, const OrderedKey& key) {
  if (key.type == OrderedKey::Type::number) {
    lua_pushnumber(L, key.number);
  } else if (key.type == OrderedKey::Type::text) {
    lua_pushlstring(L, key.text.data(), key.text.size());
  } else {
    lua_pushboolean(L, key.number != 0);
  }
}

namespace {

using Keys = std::vector<OrderedKey>::iterator;

/// Puts them into the order with this number, counted from that in which they are.
void permute(Keys first, Keys last, unsigned number) {
  for (auto left = static_cast<unsigned>(last - first); number > 0 && left > 1; --left, ++first) {
    std::rotate(first, first + number % left, first + number % left + 1);
    number /= left;
  }
}

}  // namespace

void collect_keys(lua_State* L, int index, const OrderedKey* gone) {
  Runtime& rt = runtime(L);
  rt.keys.clear();
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    rt.keys.emplace_back();
    if (!read_key(L, -1, rt.keys.back()))
      refuse(L, "the order of a table whose keys are tables or functions");
  }
  if (gone) rt.keys.push_back(*gone);
  std::sort(rt.keys.begin(), rt.keys.end(), before);
  auto n = static_cast<double>(lua_rawlen(L, index));  // an array in which some were removed
  if (gone && gone->type == OrderedKey::Type::number) n = std::max(n, gone->number);
  for (const OrderedKey& key : rt.keys) {
    if (key.type == OrderedKey::Type::number && key.number == n + 1) ++n;
  }
  const auto others =
      std::stable_partition(rt.keys.begin(), rt.keys.end(), [n](const OrderedKey& key) {
        return key.type == OrderedKey::Type::number && key.number >= 1 && key.number <= n &&
               key.number == std::floor(key.number);
      });
  const auto fields = static_cast<unsigned>(rt.keys.end() - others);
  if (fields < 2) return;
  rt.varies = true;
  rt.fields = std::max(rt.fields, fields);
  permute(others, rt.keys.end(), rt.order);
  if (rt.reversed) std::reverse(others, rt.keys.end());
}

int push_ordered_keys(lua_State* L, int index) {
  index = lua_absindex(L, index);
  collect_keys(L, index);
  const auto& keys = runtime(L).keys;
  const auto count = static_cast<int>(keys.size());
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    push_key(L, keys[static_cast<std::size_t>(i)]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return count;
}

void refuse_new_keys(lua_State* L, int table, int keys) {
  table = lua_absindex(L, table);
  keys = lua_absindex(L, keys);
  lua_newtable(L);
  const int known = lua_gettop(L);
  for (lua_Integer i = 1; lua_rawgeti(L, keys, i) != LUA_TNIL; ++i) {
    lua_pushboolean(L, 1);
    lua_rawset(L, known);
  }
  for (lua_pushnil(L); lua_next(L, table); lua_settop(L, known + 2)) {
    lua_pushvalue(L, -2);
    if (lua_rawget(L, known) == LUA_TNIL)
      refuse(L, "a table that gets keys while they are visited");
  }
  lua_settop(L, known - 1);
}

}  // namespace lockstep::sim::dialect
