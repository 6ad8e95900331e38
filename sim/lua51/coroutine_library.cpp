// Coroutines as Lua 5.1 has them: none yields across a metamethod, an iterator or a C function.

#include <string_view>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

/// A coroutine counts its instructions in slices of so many; each resume costs one in advance.
constexpr int kSlice = 100;

void charge(lua_State* L, lua_Debug*) {
  Runtime& rt = runtime(L);
  rt.coroutine_instructions -= kSlice;
  if (rt.coroutine_instructions < 0) {
    refuse_beyond_limit(L, "its coroutines run for more instructions than its limit");
  }
}

const char* status_of(lua_State* L, lua_State* co) {
  if (L == co) return "running";
  lua_Debug info;
  switch (lua_status(co)) {
    case LUA_YIELD:
      return "suspended";
    case LUA_OK:
      if (lua_getstack(co, 0, &info)) return "normal";
      return lua_gettop(co) == 0 ? "dead" : "suspended";
    default:
      return "dead";
  }
}

lua_State* check_coroutine(lua_State* L) {
  lua_State* co = lua_tothread(L, 1);
  if (!co) argument_error(L, 1, "coroutine expected");
  return co;
}

/// Resumes `co` with the topmost `count` values. Returns how many results it left, or -1 with an
/// error value on top.
int resume(lua_State* L, lua_State* co, int count) {
  const std::string_view status = status_of(L, co);
  if (status != "suspended") {
    lua_pushfstring(L, "cannot resume %s coroutine", status.data());
    return -1;
  }
  if (!lua_checkstack(co, count + 1)) refuse_beyond_limit(L, "it needs more memory than its limit");
  charge(L, nullptr);
  lua_sethook(co, charge, LUA_MASKCOUNT, kSlice);
  lua_xmove(L, co, count);
  int results = 0;
  const int outcome = lua_resume(co, L, count, &results);
  if (outcome != LUA_OK && outcome != LUA_YIELD) {
    lua_xmove(co, L, 1);
    take_error(L, outcome);
    return -1;
  }
  if (!lua_checkstack(L, results + 1))
    refuse_beyond_limit(L, "it needs more memory than its limit");
  lua_xmove(co, L, results);
  return results;
}

int coroutine_create(lua_State* L) {
  if (!lua_isfunction(L, 1) || lua_iscfunction(L, 1)) {
    argument_error(L, 1, "Lua function expected");
  }
  lua_State* co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  return 1;
}

int coroutine_resume(lua_State* L) {
  lua_State* co = check_coroutine(L);
  const int results = resume(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  const int count = results < 0 ? 1 : results;
  lua_insert(L, -count - 1);
  return count + 1;
}

/// What coroutine.wrap() returns; upvalue 1 is the coroutine.
int wrapped(lua_State* L) {
  const int results = resume(L, lua_tothread(L, lua_upvalueindex(1)), lua_gettop(L));
  if (results >= 0) return results;
  if (lua_isstring(L, -1)) {
    check_text(L, lua_gettop(L), nullptr);
    push_place(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

int coroutine_wrap(lua_State* L) {
  coroutine_create(L);
  lua_pushcclosure(L, wrapped, 1);
  return 1;
}

/// Whether a metamethod or an iterator is under way. 5.4 could yield there.
bool crosses_boundary(lua_State* L) {
  lua_Debug info;
  for (int level = 0; lua_getstack(L, level, &info); ++level) {
    lua_getinfo(L, "n", &info);
    const std::string_view how(info.namewhat);
    if (how == "metamethod" || how == "for iterator") return true;
  }
  return false;
}

int coroutine_yield(lua_State* L) {
  if (!lua_isyieldable(L) || crosses_boundary(L)) {
    raise_without_place(L, "attempt to yield across metamethod/C-call boundary");
  }
  return lua_yield(L, lua_gettop(L));
}

int coroutine_status(lua_State* L) {
  lua_pushstring(L, status_of(L, check_coroutine(L)));
  return 1;
}

int coroutine_running(lua_State* L) {
  if (lua_pushthread(L)) lua_pushnil(L);  // the main thread is no coroutine
  return 1;
}

constexpr Function51 kCoroutineFunctions[] = {
    {"create", coroutine_create}, {"resume", coroutine_resume}, {"running", coroutine_running},
    {"status", coroutine_status}, {"wrap", coroutine_wrap},     {"yield", coroutine_yield},
};

}  // namespace

void open_coroutine(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kCoroutineFunctions, std::size(kCoroutineFunctions));
}

}  // namespace lockstep::sim::dialect
