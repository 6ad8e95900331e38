// The sandbox: stock functions in which two runs cannot differ, the others replaced or refused by
// name.
#include "sim/client/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/pattern_cost.hpp"
#include "sim/client/text.hpp"
#include "sim/client/values.hpp"

namespace lockstep::sim::program {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 24> kNotAvailable{{
    {"os", "a run must not depend on the real world; use now() or monotonic() for clocks"},
    {"io", "a run must not depend on the real world; use log(text) to say something"},
    {"print", "use log(text)"},
    {"require", "a protocol is one file and its scripts"},
    {"package", "a protocol is one file and its scripts"},
    {"load", "a protocol is one file and its scripts"},
    {"loadstring", "a protocol is one file and its scripts"},
    {"loadfile", "a protocol is one file and its scripts"},
    {"dofile", "a protocol is one file and its scripts"},
    {"collectgarbage", "a run must not depend on memory"},
    {"coroutine", "use spawn(f, ...)"},
    {"debug", "a run must not depend on how it is executed"},
    {"setmetatable", "objects of the protocol are plain tables"},
    {"getmetatable", "objects of the protocol are plain tables"},
    {"rawset", "objects of the protocol are plain tables"},
    {"rawget", "objects of the protocol are plain tables"},
    {"rawequal", "objects of the protocol are plain tables"},
    {"rawlen", "objects of the protocol are plain tables"},
    {"xpcall", "use pcall"},
    {"warn", "use log(text)"},
    {"utf8", "strings are bytes here"},
    {"math.random", "use choose(n), or unique() for a token"},
    {"math.randomseed", "use choose(n), or unique() for a token"},
    {"string.dump", "functions are not data"},
}};

/// Above this length table.sort chooses its pivots by the real clock.
constexpr lua_Integer kSortLimit = 100;

// ---- pairs and next, in a fixed order ----

/// Pushes a list of the keys of the table at `index`. False: a key that has no place in the order.
bool push_sorted_keys(lua_State* lua, int index) {
  bool all = true;
  const std::vector<Key> keys = sorted_keys(lua, index, &all);
  lua_createtable(lua, static_cast<int>(keys.size()), 0);
  for (std::size_t at = 0; at < keys.size(); ++at) {
    push_key(lua, keys[at]);
    lua_rawseti(lua, -2, static_cast<lua_Integer>(at + 1));
  }
  return all;
}

int refuse_keys(Vm& vm, lua_State* lua) {
  return refuse(vm, lua,
                "pairs and next go through number and string keys only: any other order could "
                "differ between runs");
}

/// The iterator of pairs: upvalues are the key list and the place in it. Keys removed meanwhile are
/// skipped.
int pairs_step(Vm&, lua_State* lua) {
  lua_Integer at = lua_tointeger(lua, lua_upvalueindex(2));
  while (true) {
    if (lua_rawgeti(lua, lua_upvalueindex(1), ++at) == LUA_TNIL) return 1;
    lua_pushvalue(lua, -1);
    if (lua_rawget(lua, 1) != LUA_TNIL) break;
    lua_pop(lua, 2);
  }
  lua_pushinteger(lua, at);
  lua_replace(lua, lua_upvalueindex(2));
  return 2;
}

int lua_pairs(Vm& vm, lua_State* lua) {
  if (!lua_istable(lua, 1))
    return raise_text(lua, fmt::format("pairs needs a table, found {}", text_of(lua, 1)));
  if (!push_sorted_keys(lua, 1)) return refuse_keys(vm, lua);
  lua_pushinteger(lua, 0);
  lua_pushcclosure(lua, native<pairs_step>, 2);
  lua_pushvalue(lua, 1);
  lua_pushnil(lua);
  return 3;
}

int lua_next_in_order(Vm& vm, lua_State* lua) {
  if (!lua_istable(lua, 1))
    return raise_text(lua, fmt::format("next needs a table, found {}", text_of(lua, 1)));
  lua_settop(lua, 2);
  if (!push_sorted_keys(lua, 1)) return refuse_keys(vm, lua);
  bool found = lua_isnil(lua, 2);
  for (lua_Integer at = 1; lua_rawgeti(lua, 3, at) != LUA_TNIL; ++at) {
    if (found) {
      lua_pushvalue(lua, -1);
      lua_rawget(lua, 1);
      return 2;
    }
    found = lua_rawequal(lua, -1, 2) != 0;
    lua_pop(lua, 1);
  }
  if (!found) return raise_text(lua, "next: no such key");
  return 1;  // the nil that ended the list
}

// ---- replacements without addresses or chance ----

int lua_tostring_plain(Vm&, lua_State* lua) {
  push_string(lua, text_of(lua, 1));
  return 1;
}

/// string.format: tables and the like are made text by our tostring first, and %p is refused.
int string_format(Vm& vm, lua_State* lua) {
  if (lua_type(lua, 1) == LUA_TSTRING) {
    const std::string_view format = string_at(lua, 1);
    for (std::size_t at = format.find('%'); at != std::string_view::npos;
         at = format.find('%', at + 2)) {
      const std::size_t conversion = format.find_first_not_of("-+ #0123456789.", at + 1);
      if (conversion == std::string_view::npos) break;
      if (std::string_view("dfis%").find(format[conversion]) == std::string_view::npos)
        show_sought(vm, lua);
      if (format[conversion] == 'p') {
        return refuse(vm, lua, "string.format: %p is not available: addresses differ between runs");
      }
    }
  }
  for (int index = 2; index <= lua_gettop(lua); ++index) {
    const int type = lua_type(lua, index);
    if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
        type == LUA_TTHREAD) {
      push_string(lua, text_of(lua, index));
      lua_replace(lua, index);
    }
  }
  return 0;
}

/// Checked by `Check` (which returns less than 0 if it complains), then the stock function in
/// upvalue 1 is called with the arguments, as guest code.
template <Native Check>
int checked(lua_State* lua) {
  if (as_host(lua, [lua](Vm& vm) { return Check(vm, lua); }) < 0) return lua_error(lua);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
  return lua_gettop(lua);
}

int sort_check(Vm& vm, lua_State* lua) {
  if (lua_istable(lua, 1) && static_cast<lua_Integer>(lua_rawlen(lua, 1)) > kSortLimit) {
    return refuse(
        vm, lua,
        fmt::format("table.sort: at most {} elements: beyond that its order depends on the clock",
                    kSortLimit));
  }
  return 0;
}

/// Lua's own loops over a table or for a text count as instructions, which take longer.
int spend(Vm& vm, lua_State* lua, lua_Integer rounds) {
  constexpr lua_Integer kRoundsAsInstruction = 8;
  if (vm.spend(lua, rounds / kRoundsAsInstruction)) return 0;
  lua_pushnil(lua);
  return kRaise;
}

/// What is done to every byte of a text counts, a little.
int text_check(Vm& vm, lua_State* lua) {
  show_sought(vm, lua);
  return spend(vm, lua, static_cast<lua_Integer>(lua_rawlen(lua, 1)) / 8);
}

template <bool All>
int pattern_check(Vm& vm, lua_State* lua) {
  if (text_check(vm, lua) < 0) return kRaise;
  if (lua_type(lua, 1) != LUA_TSTRING || lua_type(lua, 2) != LUA_TSTRING) return 0;
  const std::string_view text = string_at(lua, 1), pattern = string_at(lua, 2);
  show_pattern_sought(vm, text, pattern);
  const auto size = [](std::string_view of) { return static_cast<lua_Integer>(of.size()); };
  if (!All && lua_toboolean(lua, 4) != 0)  // plain
    return spend(vm, lua, size(text) * size(pattern) / 8);
  constexpr std::int64_t kMostSteps = 20'000'000;  // more than a step of a client may spend
  const PatternUse use{All || !lua_isinteger(lua, 3) ? 0 : lua_tointeger(lua, 3) - 1, All};
  return spend(vm, lua, steps_of_pattern(text, pattern, use, kMostSteps));
}

int sought_check(Vm& vm, lua_State* lua) {
  show_sought(vm, lua);
  return 0;
}

/// How often, from where, to where.
int positions_check(Vm& vm, lua_State* lua) {
  for (int index = 2; index <= lua_gettop(lua); ++index) show_number(vm, lua, index);
  return 0;
}

lua_Integer elements_at(lua_State* lua, int index) {
  return lua_istable(lua, index) ? static_cast<lua_Integer>(lua_rawlen(lua, index)) : 0;
}

int over_table_check(Vm& vm, lua_State* lua) {
  positions_check(vm, lua);
  return spend(vm, lua, elements_at(lua, 1));
}

/// table.insert and table.remove: from a position on, if one is given.
int from_position(Vm& vm, lua_State* lua) {
  show_number(vm, lua, 2);
  return spend(vm, lua, elements_at(lua, 1) - lua_tointeger(lua, 2));
}

int remove_check(Vm& vm, lua_State* lua) {
  return lua_gettop(lua) < 2 ? 0 : from_position(vm, lua);
}

int move_check(Vm& vm, lua_State* lua) {
  positions_check(vm, lua);
  const lua_Integer from = lua_tointeger(lua, 2), to = lua_tointeger(lua, 3);
  return spend(vm, lua, to < from ? 0 : to / 2 - from / 2);
}

/// Of nothing, any number is made without memory.
int rep_check(Vm& vm, lua_State* lua) {
  positions_check(vm, lua);
  return spend(vm, lua, lua_rawlen(lua, 1) == 0 ? lua_tointeger(lua, 2) : 0);
}

/// select: which of them.
int first_check(Vm& vm, lua_State* lua) {
  show_number(vm, lua, 1);
  return 0;
}

/// table.insert: a number is a position if a value follows it.
int insert_check(Vm& vm, lua_State* lua) {
  return lua_gettop(lua) == 3 ? from_position(vm, lua) : 0;
}

int extremes_check(Vm& vm, lua_State* lua) {
  show_extremes(vm, lua);
  return 0;
}

/// pcall that lets through what must end the run: a complaint, a query, exhausted memory.
int finish_pcall(lua_State* lua, int status, lua_KContext) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(lua);
  const int result = as_host(lua, [lua, status](Vm& vm) {
    if (status == LUA_ERRMEM) vm.end_for_memory(lua);
    if (vm.stopped()) return kRaise;
    lua_pushboolean(lua, 0);
    lua_insert(lua, -2);
    return 2;
  });
  return result >= 0 ? result : lua_error(lua);
}

int lua_pcall_plain(lua_State* lua) {
  luaL_checkany(lua, 1);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  return finish_pcall(lua, lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish_pcall),
                      0);
}

// ---- tables of names ----

/// Names in the table at `index`, sorted.
std::vector<std::string> names_in(lua_State* lua, int index) {
  std::vector<std::string> names;
  index = lua_absindex(lua, index);
  for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1))
    names.emplace_back(string_at(lua, -2));
  std::sort(names.begin(), names.end());
  return names;
}

/// __index of last resort. Upvalues: the table of known names, and the library's name ("" for
/// globals).
int unknown_name(Vm& vm, lua_State* lua) {
  const std::string library(string_at(lua, lua_upvalueindex(2)));
  const std::string name = (library.empty() ? "" : library + ".") + text_of(lua, 2);
  if (const char* why = why_not_available(name)) {
    return refuse(vm, lua, fmt::format("`{}` is not available: {}", name, why));
  }
  const std::string hint = near_miss_hint(text_of(lua, 2), names_in(lua, lua_upvalueindex(1)));
  return refuse(vm, lua, fmt::format("`{}` is not defined{}", name, hint));
}

int assign_in_library(Vm& vm, lua_State* lua) {
  return refuse(vm, lua, fmt::format("assigns to field `{}` of a library table", text_of(lua, 2)));
}

int assign_global(Vm& vm, lua_State* lua) {
  if (vm.run != nullptr) {
    return refuse(
        vm, lua,
        fmt::format(
            "assigns to the global `{0}` while a process runs; keep state in self, self.process or "
            "task_local() (or write `local {0}`)",
            text_of(lua, 2)));
  }
  lua_rawset(lua, 1);
  return 0;
}

/// Replaces the table on top by an empty one that reads fall through, to it and then to
/// unknown_name.
void wrap(lua_State* lua, const char* library, lua_CFunction assign) {
  lua_createtable(lua, 0, 1);  // metatable of the names
  lua_pushvalue(lua, -2);
  lua_pushstring(lua, library);
  lua_pushcclosure(lua, native<unknown_name>, 2);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_newtable(lua);
  lua_createtable(lua, 0, 2);  // metatable of the front
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, assign);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

/// Opens a stock library and pushes a table of those of its functions that are named.
void push_selection(lua_State* lua, lua_CFunction open, const char* library,
                    std::initializer_list<const char*> names) {
  luaL_requiref(lua, library, open, 0);
  lua_newtable(lua);
  for (const char* name : names) {
    lua_getfield(lua, -2, name);
    lua_setfield(lua, -2, name);
  }
  lua_remove(lua, -2);
}

/// Wraps the function `name` of the table on top in `checked<Check>`.
template <Native Check>
void guard(lua_State* lua, const char* name) {
  lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, checked<Check>, 1);
  lua_setfield(lua, -2, name);
}

/// Strings' methods (`("x"):upper()`) come from the same selection as `string`, which is on top of
/// the stack.
void set_string_methods(lua_State* lua) {
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_newtable(lua);  // what a text has no field of is nil, as ever
  for (lua_pushnil(lua); lua_next(lua, -5) != 0;) {
    lua_pushvalue(lua, -2);
    lua_insert(lua, -2);
    lua_settable(lua, -4);
  }
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 2);
}

}  // namespace

const char* why_not_available(std::string_view name) {
  for (const auto& [known, why] : kNotAvailable) {
    if (name == known) return why;
  }
  return nullptr;
}

void refuse_not_available(const Vm& vm, std::string_view lua_text) {
  const NotAvailable use = first_not_available(words_of(lua_text));
  if (use.name.empty()) return;
  throw BadInput(vm.message(
      use.line, fmt::format("`{}` is not available: {}", use.name, why_not_available(use.name))));
}

void push_library(Vm& vm) {
  lua_State* lua = vm.state();
  push_selection(lua, luaopen_base, "_G",
                 {"assert", "error", "ipairs", "select", "tonumber", "type"});
  guard<first_check>(lua, "select");
  lua_pushcfunction(lua, lua_pcall_plain);
  lua_setfield(lua, -2, "pcall");
  lua_pushcfunction(lua, native<lua_pairs>);
  lua_setfield(lua, -2, "pairs");
  lua_pushcfunction(lua, native<lua_next_in_order>);
  lua_setfield(lua, -2, "next");
  lua_pushcfunction(lua, native<lua_tostring_plain>);
  lua_setfield(lua, -2, "tostring");

  push_selection(lua, luaopen_string, "string",
                 {"byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match",
                  "rep", "reverse", "sub", "upper", "pack", "packsize", "unpack"});
  guard<string_format>(lua, "format");
  for (const char* name : {"byte", "char"}) guard<sought_check>(lua, name);
  for (const char* name : {"lower", "reverse", "upper"}) guard<text_check>(lua, name);
  for (const char* name : {"find", "match"}) guard<pattern_check<false>>(lua, name);
  for (const char* name : {"gmatch", "gsub"}) guard<pattern_check<true>>(lua, name);
  guard<rep_check>(lua, "rep");
  guard<positions_check>(lua, "sub");
  set_string_methods(lua);
  wrap(lua, "string", native<assign_in_library>);
  lua_setfield(lua, -2, "string");

  push_selection(lua, luaopen_table, "table",
                 {"concat", "insert", "move", "pack", "remove", "sort", "unpack"});
  guard<sort_check>(lua, "sort");
  for (const char* name : {"concat", "unpack"}) guard<over_table_check>(lua, name);
  guard<remove_check>(lua, "remove");
  guard<move_check>(lua, "move");
  guard<insert_check>(lua, "insert");
  wrap(lua, "table", native<assign_in_library>);
  lua_setfield(lua, -2, "table");

  push_selection(lua, luaopen_math, "math",
                 {"abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger",
                  "modf", "pi", "sqrt", "tointeger", "type", "ult"});
  for (const char* name : {"max", "min"}) guard<extremes_check>(lua, name);
  for (const char* name : {"tointeger", "ult"}) guard<sought_check>(lua, name);
  wrap(lua, "math", native<assign_in_library>);
  lua_setfield(lua, -2, "math");
}

void wrap_globals(Vm& vm) { wrap(vm.state(), "", native<assign_global>); }

}  // namespace lockstep::sim::program
