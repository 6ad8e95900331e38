// The table functions of Lua 5.1. All access is raw, as it is there.
#include <algorithm>

#include "sim/lua51/order.hpp"
#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

lua_Integer length(lua_State* L) { return static_cast<lua_Integer>(length_of(L, 1)); }

/// Argument 1 is a table; a proxy is replaced by the real one.
void readable(lua_State* L) {
  check_table(L, 1);
  if (push_real(L, 1)) lua_replace(L, 1);
}

/// Argument 1 is a table that may be changed.
void writable(lua_State* L) {
  check_table(L, 1);
  if (push_real(L, 1)) raise_without_place(L, kReadonly);
}

int table_concat(lua_State* L) {
  std::size_t separator_length = 0;
  const char* separator = "";
  if (!lua_isnoneornil(L, 2)) separator = check_text(L, 2, &separator_length);
  readable(L);
  for (const int position : {3, 4}) show_sought(L, position);
  const int first = optional_int(L, 3, 1);
  const int last = lua_isnoneornil(L, 4) ? static_cast<int>(length(L)) : check_int(L, 4);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (std::int64_t i = first; i <= last; ++i) {
    if (lua_rawgeti(L, 1, i) == LUA_TNUMBER) {
      push_shown(L, lua_tonumber(L, -1));
      lua_remove(L, -2);
    } else if (lua_type(L, -1) != LUA_TSTRING) {
      raise(L, "invalid value (%s) at index %d in table for 'concat'", luaL_typename(L, -1),
            static_cast<int>(i));
    }
    luaL_addvalue(&buffer);
    if (i < last) luaL_addlstring(&buffer, separator, separator_length);
  }
  luaL_pushresult(&buffer);
  return 1;
}

int table_insert(lua_State* L) {
  writable(L);
  const int count = lua_gettop(L);
  lua_Integer end = length(L) + 1;
  if (count != 2 && count != 3) raise(L, "wrong number of arguments to 'insert'");
  lua_Integer position = end;
  if (count == 3) {
    constexpr lua_Integer kMostMoves = 1'000'000;  // a loop that no instruction limit sees
    position = check_int(L, 2);
    show_sought(L, 2);
    if (end - position > kMostMoves) refuse(L, "table.insert() moves more than 1000000 elements");
    for (end = std::max(end, position); end > position; --end) {
      lua_rawgeti(L, 1, end - 1);
      lua_rawseti(L, 1, end);
    }
  }
  lua_rawseti(L, 1, position);
  return 0;
}

int table_remove(lua_State* L) {
  writable(L);
  const lua_Integer end = length(L);
  show_sought(L, 2);
  lua_Integer position = optional_int(L, 2, static_cast<int>(end));
  if (position < 1 || position > end) return 0;
  lua_rawgeti(L, 1, position);
  for (; position < end; ++position) {
    lua_rawgeti(L, 1, position + 1);
    lua_rawseti(L, 1, position);
  }
  lua_pushnil(L);
  lua_rawseti(L, 1, end);
  return 1;
}

int table_getn(lua_State* L) {
  readable(L);
  lua_pushnumber(L, static_cast<double>(length(L)));
  return 1;
}

int table_setn(lua_State* L) {
  check_table(L, 1);
  raise(L, "'setn' is obsolete");
}

int table_maxn(lua_State* L) {
  readable(L);
  double largest = 0;
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TNUMBER) largest = std::max(largest, lua_tonumber(L, -1));
  }
  lua_pushnumber(L, largest);
  return 1;
}

/// In the order of pairs().
int table_foreach(lua_State* L) {
  readable(L);
  if (!lua_isfunction(L, 2)) type_error(L, 2, "function");
  lua_settop(L, 2);
  push_ordered_keys(L, 1);
  for (lua_Integer i = 1; lua_rawgeti(L, 3, i) != LUA_TNIL; ++i) {
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 4);
    lua_pushvalue(L, 4);
    if (lua_rawget(L, 1) != LUA_TNIL) {  // not removed meanwhile
      lua_call(L, 2, 1);
      if (!lua_isnil(L, -1)) return 1;
    }
    lua_settop(L, 3);
  }
  refuse_new_keys(L, 1, 3);
  return 0;
}

int table_foreachi(lua_State* L) {
  readable(L);
  if (!lua_isfunction(L, 2)) type_error(L, 2, "function");
  const lua_Integer end = length(L);
  for (lua_Integer i = 1; i <= end; ++i) {
    lua_pushvalue(L, 2);
    lua_pushnumber(L, static_cast<double>(i));
    lua_rawgeti(L, 1, i);
    lua_call(L, 2, 1);
    if (!lua_isnil(L, -1)) return 1;
    lua_pop(L, 1);
  }
  return 0;
}

// ---- sort: quicksort with the middle of three, step by step as 5.1 takes it, because which
// elements are compared shows where an order function is inconsistent or elements are equal ----

class Sorter {
 public:
  explicit Sorter(lua_State* L) : L_(L), has_function_(!lua_isnil(L, 2)) {}

  void sort(lua_Integer low, lua_Integer high) {
    while (low < high) {
      order(low, high);
      if (high - low == 1) return;
      const lua_Integer middle = (low + high) / 2;
      get(middle);
      get(low);
      if (less(-2, -1)) {
        swap(middle, low);
      } else {
        lua_pop(L_, 1);
        get(high);
        if (less(-1, -2)) {
          swap(middle, high);
        } else {
          lua_pop(L_, 2);
        }
      }
      if (high - low == 2) return;
      const lua_Integer split = partition(low, high, middle);
      if (split - low < high - split) {
        sort(low, split - 1);
        low = split + 1;
      } else {
        sort(split + 1, high);
        high = split - 1;
      }
    }
  }

 private:
  void get(lua_Integer i) { lua_rawgeti(L_, 1, i); }

  /// Of the two values on top (t[a] below t[b]), stores each at the other's place.
  void swap(lua_Integer a, lua_Integer b) {
    lua_rawseti(L_, 1, a);
    lua_rawseti(L_, 1, b);
  }

  bool less(int a, int b) {
    if (!has_function_) return dialect::less(L_, lua_absindex(L_, a), lua_absindex(L_, b), false);
    lua_pushvalue(L_, 2);
    lua_pushvalue(L_, a - 1);
    lua_pushvalue(L_, b - 2);
    lua_call(L_, 2, 1);
    const bool result = lua_toboolean(L_, -1) != 0;
    lua_pop(L_, 1);
    return result;
  }

  void order(lua_Integer low, lua_Integer high) {
    get(low);
    get(high);
    if (less(-1, -2)) {
      swap(low, high);
    } else {
      lua_pop(L_, 2);
    }
  }

  /// Parts low+1 .. high-2 around the pivot t[middle]; returns where the pivot ends up.
  lua_Integer partition(lua_Integer low, lua_Integer high, lua_Integer middle) {
    get(middle);
    lua_pushvalue(L_, -1);
    get(high - 1);
    swap(middle, high - 1);
    lua_Integer i = low;
    lua_Integer j = high - 1;
    while (true) {
      while (get(++i), less(-1, -2)) {
        if (i >= high) raise(L_, "invalid order function for sorting");
        lua_pop(L_, 1);
      }
      while (get(--j), less(-3, -1)) {
        if (j <= low) raise(L_, "invalid order function for sorting");
        lua_pop(L_, 1);
      }
      if (j < i) break;
      swap(i, j);
    }
    lua_pop(L_, 3);
    get(high - 1);
    get(i);
    swap(high - 1, i);
    return i;
  }

  lua_State* L_;
  bool has_function_;
};

int table_sort(lua_State* L) {
  writable(L);
  luaL_checkstack(L, 40, "");
  if (!lua_isnoneornil(L, 2) && !lua_isfunction(L, 2)) type_error(L, 2, "function");
  lua_settop(L, 2);
  Sorter(L).sort(1, length(L));
  return 0;
}

constexpr Function51 kTableFunctions[] = {
    {"concat", guarded<table_concat>},     {"foreach", guarded<table_foreach>},
    {"foreachi", guarded<table_foreachi>}, {"getn", guarded<table_getn>},
    {"insert", guarded<table_insert>},     {"maxn", guarded<table_maxn>},
    {"remove", guarded<table_remove>},     {"setn", guarded<table_setn>},
    {"sort", guarded<table_sort>},
};

}  // namespace

void open_table(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kTableFunctions, std::size(kTableFunctions));
}

}  // namespace lockstep::sim::dialect
