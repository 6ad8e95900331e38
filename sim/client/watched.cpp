// See the header.
#include "sim/client/watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/client/values.hpp"

namespace lockstep::sim::program {
namespace {

// Keys in the Lua registry, by address.
const char kConstants = 0, kTables = 0, kCopies = 0, kCellValues = 0;

bool is_object(lua_State* lua, int index) {
  const int type = lua_type(lua, index);
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA;
}

}  // namespace

std::vector<std::string> string_keys(lua_State* lua, int index, bool* plain) {
  std::vector<std::string> keys;
  index = lua_absindex(lua, index);
  for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
    if (lua_type(lua, -2) == LUA_TSTRING) {
      keys.emplace_back(string_at(lua, -2));
    } else if (lua_type(lua, -2) != LUA_TNUMBER) {
      *plain = false;
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Watched::Watched(Vm& vm) : vm_(vm) {
  for (const char* key : {&kConstants, &kTables, &kCopies, &kCellValues}) {
    lua_newtable(vm_.state());
    store(vm_.state(), key);
  }
}

// ---- objects by number ----

int Watched::constant(lua_State* lua, int index) const {
  lua_pushvalue(lua, index);
  fetch(lua, &kConstants);
  lua_insert(lua, -2);
  lua_rawget(lua, -2);
  const auto number = static_cast<int>(lua_tointeger(lua, -1));
  lua_pop(lua, 2);
  return number;
}

void Watched::push_constant(int number) const {
  lua_State* lua = vm_.state();
  fetch(lua, &kConstants);
  lua_rawgeti(lua, -1, number);
  lua_remove(lua, -2);
}

const Cell* Watched::cell(const void* id, int* number) const {
  const auto found = cell_numbers_.find(id);
  if (found == cell_numbers_.end()) return nullptr;
  *number = found->second;
  return &cells_[static_cast<std::size_t>(found->second)];
}

/// Numbers the object at `index` if it has no number yet; 0 if it has.
int Watched::number_object(int index) {
  lua_State* lua = vm_.state();
  if (constant(lua, index) != 0) return 0;
  lua_pushvalue(lua, index);
  fetch(lua, &kConstants);
  lua_pushvalue(lua, -2);
  lua_pushinteger(lua, ++constants_);
  lua_rawset(lua, -3);
  lua_pushvalue(lua, -2);
  lua_rawseti(lua, -2, constants_);
  lua_pop(lua, 2);
  return constants_;
}

void Watched::number_api() {
  lua_State* lua = vm_.state();
  bool plain = true;
  for (const std::string& name : string_keys(lua, -1, &plain)) {
    lua_getfield(lua, -1, name.c_str());
    if (is_object(lua, -1)) number_object(-1);
    if (lua_istable(lua, -1) && luaL_getmetafield(lua, -1, "__index") == LUA_TTABLE) {
      for (const std::string& member : string_keys(lua, -1, &plain)) {
        lua_getfield(lua, -1, member.c_str());
        if (is_object(lua, -1)) number_object(-1);
        lua_pop(lua, 1);
      }
      lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
  }
}

// ---- what must not change ----

void Watched::watch(int index, const std::string& name) {
  lua_State* lua = vm_.state();
  if (!is_object(lua, index)) return;
  if (depth_ == kDeepest)
    return vm_.complain_at(0,
                           fmt::format("the module ({}) nests more than {} deep", name, kDeepest));
  ++depth_;
  lua_checkstack(lua, 10);
  lua_pushvalue(lua, index);
  if (number_object(-1) != 0) {
    if (lua_istable(lua, -1)) watch_table(name);
    if (lua_isfunction(lua, -1)) watch_function(name);
  }
  lua_pop(lua, 1);
  --depth_;
}

void Watched::watch_table(const std::string& name) {
  lua_State* lua = vm_.state();
  const int table = lua_gettop(lua);
  watched_tables_.push_back({name, 0});
  const auto number = static_cast<lua_Integer>(watched_tables_.size());
  fetch(lua, &kTables);
  lua_pushvalue(lua, table);
  lua_rawseti(lua, -2, number);
  lua_newtable(lua);  // the copy
  for (lua_pushnil(lua); lua_next(lua, table) != 0;) {
    lua_pushvalue(lua, -2);
    lua_insert(lua, -2);
    lua_rawset(lua, -4);
  }
  fetch(lua, &kCopies);
  lua_pushvalue(lua, -2);
  lua_rawseti(lua, -2, number);
  lua_pop(lua, 3);

  bool plain = true;
  const std::vector<std::string> keys = string_keys(lua, table, &plain);
  if (!plain)
    vm_.complain_at(
        0, fmt::format("a table of the module ({}) has keys that are neither strings nor numbers",
                       name));
  for (lua_Integer at = 1; lua_rawgeti(lua, table, at) != LUA_TNIL; ++at) {
    watch(-1, name);
    lua_pop(lua, 1);
  }
  lua_pop(lua, 1);
  for (const std::string& key : keys) {
    lua_pushlstring(lua, key.data(), key.size());
    lua_rawget(lua, table);
    watch(-1, fmt::format("field of `{}`", key));
    lua_pop(lua, 1);
  }
}

void Watched::watch_function(const std::string& name) {
  lua_State* lua = vm_.state();
  const int function = lua_gettop(lua);
  if (lua_iscfunction(lua, function) != 0) {
    vm_.complain_at(
        0, fmt::format("the module keeps an iterator ({}): its state would be hidden", name));
    return;
  }
  const int number = constant(lua, function);
  lua_Debug about;
  lua_pushvalue(lua, function);
  lua_getinfo(lua, ">S", &about);
  const int line = about.linedefined;
  // By name: their order depends on calls that were added to the text.
  std::vector<std::pair<std::string, int>> variables;
  for (int index = 1; const char* variable = lua_getupvalue(lua, function, index); ++index) {
    variables.emplace_back(variable, index);
    lua_pop(lua, 1);
  }
  std::ranges::sort(variables);
  for (const auto& [variable, index] : variables) {
    lua_getupvalue(lua, function, index);
    if (number_cell(function, {number, index}, {fmt::format("upvalue `{}`", variable), line}))
      watch(-1, fmt::format("field of `{}`", variable));
    lua_pop(lua, 1);
  }
}

/// The variable whose value is on top of the stack; false if it has a number.
bool Watched::number_cell(int function, Cell cell, Name name) {
  lua_State* lua = vm_.state();
  const void* id = lua_upvalueid(lua, function, cell.index);
  if (!cell_numbers_.emplace(id, static_cast<int>(cells_.size())).second) return false;
  cells_.push_back(cell);
  watched_cells_.push_back(std::move(name));
  fetch(lua, &kCellValues);
  lua_pushvalue(lua, -2);
  lua_rawseti(lua, -2, static_cast<lua_Integer>(cells_.size()));
  lua_pop(lua, 1);
  return true;
}

void Watched::number_environment(int index) {
  lua_State* lua = vm_.state();
  const int chunk = lua_absindex(lua, index);
  const int number = number_object(chunk);
  lua_getupvalue(lua, chunk, 1);
  number_cell(chunk, {number, 1}, {"the environment", 0});
  lua_pop(lua, 1);
}

/// Compares table and copy, which are on top of the stack; puts the first difference found back and
/// names it.
bool Watched::table_changed(std::size_t watched, std::string* field) const {
  lua_State* lua = vm_.state();
  const int copy = lua_gettop(lua), table = copy - 1;
  std::size_t differences = 0;
  for (const auto& [from, to] : {std::pair{table, copy}, std::pair{copy, table}}) {
    for (lua_pushnil(lua); lua_next(lua, from) != 0; lua_pop(lua, 1)) {
      lua_pushvalue(lua, -2);
      lua_rawget(lua, to);
      const bool same = lua_rawequal(lua, -1, -2) != 0;
      lua_pop(lua, 1);
      if (same) continue;
      if (differences++ == 0)
        *field = fmt::format("{} `{}`", watched_tables_[watched].name, text_of(lua, -2));
    }
  }
  if (differences == 0) return false;
  for (lua_pushnil(lua); lua_next(lua, table) != 0;
       lua_pop(lua, 1)) {  // clearing fields while walking is allowed
    lua_pushvalue(lua, -2);
    lua_pushnil(lua);
    lua_rawset(lua, table);
  }
  for (lua_pushnil(lua); lua_next(lua, copy) != 0;) {
    lua_pushvalue(lua, -2);
    lua_insert(lua, -2);
    lua_rawset(lua, table);
  }
  return true;
}

void Watched::check_unchanged() const {
  static constexpr const char* kAdvice =
      "changed while a process ran: that state is hidden from the checker; keep it in self, "
      "self.process or task_local()";
  lua_State* lua = vm_.state();
  fetch(lua, &kCellValues);
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    push_constant(cells_[at].function);
    lua_rawgeti(lua, -2, static_cast<lua_Integer>(at + 1));
    lua_getupvalue(lua, -2, cells_[at].index);
    if (lua_rawequal(lua, -1, -2) == 0) {
      vm_.complain_at(watched_cells_[at].line, fmt::format("{} of the function defined here {}",
                                                           watched_cells_[at].name, kAdvice));
      lua_pop(lua, 1);
      lua_setupvalue(lua, -2, cells_[at].index);
      lua_pop(lua, 1);
    } else {
      lua_pop(lua, 3);
    }
  }
  fetch(lua, &kTables);
  fetch(lua, &kCopies);
  for (std::size_t at = 0; at < watched_tables_.size(); ++at) {
    lua_rawgeti(lua, -2, static_cast<lua_Integer>(at + 1));
    lua_rawgeti(lua, -2, static_cast<lua_Integer>(at + 1));
    std::string field;
    if (table_changed(at, &field)) vm_.complain_at(0, fmt::format("{} {}", field, kAdvice));
    lua_pop(lua, 2);
  }
  lua_pop(lua, 3);
}

}  // namespace lockstep::sim::program
