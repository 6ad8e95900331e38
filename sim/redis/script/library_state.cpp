// Remembering and comparing; see the header. What is remembered is a copy of each object, one level
// deep: a change anywhere is a change of one of them.
#include "sim/redis/script/library_state.hpp"

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim {

namespace {

/// Nothing else is reached: while a library is loaded it has no globals that make other objects.
bool keeps_something(lua_State* L, int index) {
  return lua_istable(L, index) || lua_isfunction(L, index);
}

/// Puts the value on top of the stack into the list `queue`, if it can keep something; pops it.
void enqueue(lua_State* L, int queue) {
  if (keeps_something(L, -1))
    lua_rawseti(L, queue, static_cast<lua_Integer>(lua_rawlen(L, queue)) + 1);
  else
    lua_pop(L, 1);
}

/// Pushes a table with the contents of the one at `object`.
void copy_contents(lua_State* L, int object, int queue) {
  lua_newtable(L);
  const int contents = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, object)) {
    lua_pushvalue(L, -1);
    enqueue(L, queue);
    lua_pushvalue(L, -2);
    enqueue(L, queue);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, contents);
  }
}

/// Pushes the list of the upvalues of the function at `object`.
void copy_upvalues(lua_State* L, int object, int queue) {
  lua_newtable(L);
  for (int i = 1; lua_getupvalue(L, object, i); ++i) {
    lua_pushvalue(L, -1);
    enqueue(L, queue);
    lua_rawseti(L, -2, i);
  }
}

/// Whether the object on top of the stack cannot change: the globals and the libraries.
bool is_readonly(lua_State* L) {
  if (lua_type(L, -1) != LUA_TTABLE || !dialect::push_real(L, lua_gettop(L))) return false;
  lua_pop(L, 1);
  return true;
}

/// Whether the two values on top are the same; pops them.
bool pop_same(lua_State* L) {
  const bool nan = lua_type(L, -1) == LUA_TNUMBER && !lua_rawequal(L, -1, -1) &&
                   lua_type(L, -2) == LUA_TNUMBER && !lua_rawequal(L, -2, -2);
  const bool same = nan || lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/// Whether the table at `one` has everything that the table at `other` has.
bool includes(lua_State* L, int one, int other) {
  lua_pushnil(L);
  while (lua_next(L, other)) {
    lua_pushvalue(L, -2);
    lua_rawget(L, one);
    if (pop_same(L)) continue;
    lua_pop(L, 1);
    return false;
  }
  return true;
}

/// No table has a metatable before the first call.
bool same_table(lua_State* L, int object, int contents) {
  return includes(L, object, contents) && includes(L, contents, object) &&
         !lua_getmetatable(L, object);
}

bool same_upvalues(lua_State* L, int object, int upvalues) {
  for (int i = 1; lua_getupvalue(L, object, i); ++i) {
    lua_rawgeti(L, upvalues, i);
    if (!pop_same(L)) return false;
  }
  return true;
}

}  // namespace

void remember_state(lua_State* L) {
  luaL_checkstack(L, LUA_MINSTACK, nullptr);
  lua_newtable(L);
  const int memory = lua_gettop(L);
  lua_newtable(L);
  const int queue = lua_gettop(L);
  lua_pushvalue(L, memory - 1);
  enqueue(L, queue);
  while (const auto last = static_cast<lua_Integer>(lua_rawlen(L, queue))) {
    lua_rawgeti(L, queue, last);
    lua_pushnil(L);
    lua_rawseti(L, queue, last);
    lua_pushvalue(L, -1);
    const bool known = lua_rawget(L, memory) != LUA_TNIL;
    lua_pop(L, 1);
    if (!known && !is_readonly(L)) {
      if (lua_istable(L, queue + 1))
        copy_contents(L, queue + 1, queue);
      else
        copy_upvalues(L, queue + 1, queue);
      lua_pushvalue(L, queue + 1);
      lua_insert(L, -2);
      lua_rawset(L, memory);
    }
    lua_settop(L, queue);
  }
  lua_settop(L, memory);
}

bool state_changed(lua_State* L) {
  luaL_checkstack(L, LUA_MINSTACK, nullptr);
  const int memory = lua_gettop(L);
  bool changed = false;
  lua_pushnil(L);
  while (!changed && lua_next(L, memory)) {
    changed = lua_istable(L, memory + 1) ? !same_table(L, memory + 1, memory + 2)
                                         : !same_upvalues(L, memory + 1, memory + 2);
    lua_settop(L, memory + 1);
  }
  lua_settop(L, memory);
  return changed;
}

}  // namespace lockstep::sim
