// Remembering and comparing; see the header. What is remembered is a copy of each object, one level
// deep: a change anywhere is a change of one of them.
#include "sim/library_state.hpp"

#include "sim/dialect/runtime.hpp"

namespace lockstep::sim {

namespace {

/// In the copy of a table, after its contents.
constexpr int kContents = 1;
constexpr int kMetatable = 2;

bool keeps_something(lua_State* L, int index) {
  const int type = lua_type(L, index);
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
         type == LUA_TTHREAD;
}

/// Puts the value on top of the stack into the list `queue`, if it can keep something; pops it.
void enqueue(lua_State* L, int queue) {
  if (keeps_something(L, -1))
    lua_rawseti(L, queue, static_cast<lua_Integer>(lua_rawlen(L, queue)) + 1);
  else
    lua_pop(L, 1);
}

/// Pushes {contents, metatable} of the table at `object`.
void copy_table(lua_State* L, int object, int queue) {
  lua_createtable(L, 2, 0);
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
  lua_rawseti(L, -2, kContents);
  if (!lua_getmetatable(L, object)) return;
  lua_pushvalue(L, -1);
  enqueue(L, queue);
  lua_rawseti(L, -2, kMetatable);
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

void push_bytes(lua_State* L, int object) {
  lua_pushlstring(L, static_cast<const char*>(lua_touserdata(L, object)), lua_rawlen(L, object));
}

/// Pushes the copy of the object at `object`.
void copy(lua_State* L, int object, int queue) {
  switch (lua_type(L, object)) {
    case LUA_TTABLE:
      return copy_table(L, object, queue);
    case LUA_TFUNCTION:
      return copy_upvalues(L, object, queue);
    case LUA_TUSERDATA:
      return push_bytes(L, object);
    default:
      dialect::refuse(L, "a library that keeps a coroutine from one call to the next");
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

bool same_table(lua_State* L, int object, int kept) {
  lua_rawgeti(L, kept, kContents);
  const int contents = lua_gettop(L);
  if (!includes(L, object, contents) || !includes(L, contents, object)) return false;
  lua_rawgeti(L, kept, kMetatable);
  if (!lua_getmetatable(L, object)) lua_pushnil(L);
  return pop_same(L);
}

bool same_upvalues(lua_State* L, int object, int kept) {
  for (int i = 1; lua_getupvalue(L, object, i); ++i) {
    lua_rawgeti(L, kept, i);
    if (!pop_same(L)) return false;
  }
  return true;
}

/// Whether the object at `object` is as its copy at `kept` says; may leave values on the stack.
bool same_object(lua_State* L, int object, int kept) {
  switch (lua_type(L, object)) {
    case LUA_TTABLE:
      return same_table(L, object, kept);
    case LUA_TFUNCTION:
      return same_upvalues(L, object, kept);
    default:
      push_bytes(L, object);
      lua_pushvalue(L, kept);
      return pop_same(L);
  }
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
      copy(L, queue + 1, queue);
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
    changed = !same_object(L, memory + 1, memory + 2);
    lua_settop(L, memory + 1);
  }
  lua_settop(L, memory);
  return changed;
}

}  // namespace lockstep::sim
