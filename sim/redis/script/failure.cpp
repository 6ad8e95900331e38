// The error value, and the line that raised it; see the header.
#include "sim/redis/script/failure.hpp"

#include "sim/redis/script/run.hpp"

namespace lockstep::sim {

namespace {

/// tostring() of the error value at 1.
std::string describe(lua_State* L) {
  switch (lua_type(L, 1)) {
    case LUA_TSTRING:
      return dialect::in_words_of_51(dialect::runtime(L), lua_tostring(L, 1));
    case LUA_TNUMBER:
      dialect::push_shown(L, lua_tonumber(L, 1));
      return lua_tostring(L, -1);
    case LUA_TBOOLEAN:
      return lua_toboolean(L, 1) ? "true" : "false";
    case LUA_TNIL:
      return "nil";
    default:
      dialect::refuse(L, "it raises a function, whose address is shown");
  }
}

void note_place(lua_State* L, Failure& failure) {
  lua_Debug info;
  failure.place.clear();
  if (!lua_getstack(L, 1, &info)) return;
  lua_getinfo(L, "Sl", &info);
  const bool by_vm = std::string_view(info.what) != "C";
  for (int level = 2; !by_vm && lua_getstack(L, level, &info); ++level) {
    lua_getinfo(L, "Slf", &info);
    const bool helper = dialect::is_helper(lua_tocfunction(L, -1));
    lua_pop(L, 1);
    if (!helper) break;
  }
  failure.place = place_of(script_run(L), info, by_vm ? std::string_view(failure.text) : "");
}

}  // namespace

std::string place_of(const ScriptRun& run, const lua_Debug& info, std::string_view message) {
  if (info.source != std::string_view(dialect::kInnerSource)) {
    return std::string(info.source) + ":" + std::to_string(info.currentline);
  }
  const auto* chunk = dialect::loaded_chunk(run, info.currentline);
  return (chunk ? chunk->source : std::string("@") + run.shown_chunk) + ":" +
         std::to_string(dialect::line_of_error(run, info.currentline, message));
}

void read_failure(lua_State* L, Failure& failure) {
  failure.readable = true;
  if (lua_istable(L, 1)) {
    if (lua_getmetatable(L, 1)) {
      dialect::refuse(L, "it raises a table with a metatable, which may crash redis-server 7.0");
    }
    lua_getfield(L, 1, "err");
    failure.readable = lua_isstring(L, -1) != 0;
    if (lua_type(L, -1) == LUA_TNUMBER) dialect::push_shown(L, lua_tonumber(L, -1));
    if (failure.readable) failure.text = lua_tostring(L, -1);
  } else {
    failure.text = "ERR ";
    failure.text += describe(L);
  }
  note_place(L, failure);
}

}  // namespace lockstep::sim
