// Loading protocol.lua, numbering what it can reach, and watching that none of it changes.
#include "sim/client/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/base/path.hpp"
#include "sim/base/sha1.hpp"
#include "sim/client/accesses.hpp"
#include "sim/client/api.hpp"
#include "sim/client/belief.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/library.hpp"
#include "sim/client/text.hpp"
#include "sim/client/values.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::sim::program {
namespace {

// Keys in the Lua registry, by address.
const char kClass = 0, kInstance = 0, kConstants = 0, kTables = 0, kCopies = 0, kCellValues = 0,
           kInvariants = 0;

void store(lua_State* lua, const char* key) { lua_rawsetp(lua, LUA_REGISTRYINDEX, key); }
void fetch(lua_State* lua, const char* key) { lua_rawgetp(lua, LUA_REGISTRYINDEX, key); }

/// The string keys of the table at `index`, sorted; another type of key (but numbers) makes `plain`
/// false.
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

bool is_object(lua_State* lua, int index) {
  const int type = lua_type(lua, index);
  return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA;
}

}  // namespace

Module::Module(Vm& vm, std::filesystem::path folder, Shows shows)
    : vm_(vm), folder_(std::move(folder)), shows_(shows) {
  if (!is_folder(folder_)) {
    throw BadInput(fmt::format("{}: no such protocol folder", vm_.folder()));
  }
  if (!is_file(folder_ / "protocol.lua")) {
    throw BadInput(fmt::format("{}: no protocol.lua in this folder", vm_.folder()));
  }
  vm_.module = this;
  const std::string text = read_file("protocol.lua");
  const std::vector<Word> words = words_of(text);
  if (const NotAvailable use = first_not_available(words); !use.name.empty()) {
    throw BadInput(vm_.message(
        use.line, fmt::format("`{}` is not available: {}", use.name, why_not_available(use.name))));
  }
  load(text);

  std::string identity = "protocol.lua" + std::string(1, '\0') + text + std::string(1, '\0');
  std::vector<const Script*> by_name;
  for (const Script& script : scripts_) by_name.push_back(&script);
  std::sort(by_name.begin(), by_name.end(),
            [](const Script* a, const Script* b) { return a->name < b->name; });
  for (const Script* script : by_name) {
    identity += script->name + std::string(1, '\0') + script->body + std::string(1, '\0');
  }
  fingerprint_ = sha1_hex(identity);
}

std::string Module::read_file(const std::string& name) const {
  std::ifstream file(folder_ / name, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw BadInput(fmt::format("{}/{}: cannot be read", vm_.folder(), name));
  return bytes.str();
}

void Module::load(const std::string& text) {
  lua_State* lua = vm_.state();
  push_library(vm_);
  add_api(vm_);
  lua_newtable(lua);
  store(lua, &kConstants);
  lua_newtable(lua);
  store(lua, &kInvariants);
  number_api();
  wrap_globals(vm_);  // 1: globals

  // The text is compiled as it stands first: what is wrong with it is said of the person's own.
  int status = luaL_loadbufferx(lua, text.data(), text.size(), kChunk, "t");
  if (status == LUA_OK) {
    lua_pop(lua, 1);
    const std::string shown =
        with_shown_comparisons(shows_ == Shows::accesses ? with_shown_accesses(text) : text);
    status = luaL_loadbufferx(lua, shown.data(), shown.size(), kChunk, "t");
  }
  if (status == LUA_OK) {
    lua_pushvalue(lua, 1);
    lua_setupvalue(lua, -2, 1);
    status = vm_.call(0, 1);
  }
  vm_.settle();
  if (status != LUA_OK) {
    const std::string error = text_of(lua, -1);
    throw BadInput(error.starts_with("protocol.lua:") ? vm_.folder() + "/" + error
                                                      : vm_.message(0, error));
  }
  check_class();

  lua_newtable(lua);
  store(lua, &kTables);
  lua_newtable(lua);
  store(lua, &kCopies);
  lua_newtable(lua);
  store(lua, &kCellValues);
  watch(1, "global");
  fetch(lua, &kClass);
  watch(-1, "field of the protocol");
  fetch(lua, &kInvariants);
  watch(-1, "invariant");
  vm_.settle();
  lua_settop(lua, 0);
}

/// The chunk's result is on top of the stack: the class.
void Module::check_class() {
  lua_State* lua = vm_.state();
  fetch(lua, &kClass);
  if (lua_isnil(lua, -1))
    throw BadInput(vm_.message(
        0, "never calls protocol { ... }; expected `local Lock = protocol { title = \"...\" }`"));
  if (lua_rawequal(lua, -1, -2) == 0) {
    throw BadInput(vm_.message(
        0,
        fmt::format("returns {}; expected the table that protocol {{ ... }} gave (`return Lock`)",
                    text_of(lua, -2))));
  }
  bool plain = true;
  const std::vector<std::string> fields = string_keys(lua, -1, &plain);
  for (const char* method : {"acquire", "release"}) {
    lua_getfield(lua, -1, method);
    const bool there = lua_isfunction(lua, -1);
    lua_pop(lua, 1);
    if (there) continue;
    throw BadInput(vm_.message(0, fmt::format("has no {0}(); expected `function Lock:{0}()`{1}",
                                              method, near_miss_hint(method, fields))));
  }
  lua_pushvalue(lua, -1);
  lua_pushcclosure(lua, native<instance_index>, 1);
  lua_createtable(lua, 0, 1);
  lua_insert(lua, -2);
  lua_setfield(lua, -2, "__index");
  store(lua, &kInstance);
  lua_pop(lua, 2);
}

// ---- what the file says about itself ----

int Module::load_script(lua_State* lua) {
  if (vm_.run != nullptr)
    return refuse(vm_, lua, "script: only at the top of the file, not while a process runs");
  if (lua_type(lua, 1) != LUA_TSTRING) return refuse(vm_, lua, "script: expected a file name");
  const std::string name(string_at(lua, 1));
  if (name.find('/') != std::string::npos || !is_file(folder_ / name)) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      files.push_back(entry.path().filename().string());
    std::sort(files.begin(), files.end());
    return refuse(vm_, lua,
                  fmt::format("script: no file \"{}\" beside protocol.lua{}", name,
                              near_miss_hint(name, files)));
  }
  Script script{name, read_file(name), "", false};
  script.sha1 = sha1_hex(script.body);
  if (lua_istable(lua, 2)) {
    bool plain = true;
    for (const std::string& option : string_keys(lua, 2, &plain)) {
      if (option != "sha")
        return refuse(vm_, lua, fmt::format("script: unknown option `{}`; expected sha", option));
    }
    lua_getfield(lua, 2, "sha");
    script.by_sha = lua_toboolean(lua, -1) != 0;
  }
  push_value(lua, ScriptValue{static_cast<int>(scripts_.size())});
  scripts_.push_back(std::move(script));
  return 1;
}

std::vector<std::string> Module::template_list(lua_State* lua, const char* field) {
  std::vector<std::string> list;
  lua_getfield(lua, 1, field);
  if (lua_istable(lua, -1)) {
    for (lua_Integer at = 1; lua_rawgeti(lua, -1, at) == LUA_TSTRING; ++at) {
      list.emplace_back(string_at(lua, -1));
      lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
  }
  if (!lua_isnil(lua, -1) && (!lua_istable(lua, -1) || list.size() != lua_rawlen(lua, -1))) {
    vm_.complain(
        lua,
        fmt::format("protocol: {} must be a list of strings such as {{ \"{{key}}\" }}", field));
  }
  lua_pop(lua, 1);
  return list;
}

int Module::declare_protocol(lua_State* lua) {
  static const std::vector<std::string> kFields{"title", "source", "leases", "permanent",
                                                "shared_connection"};
  if (!lua_istable(lua, 1))
    return refuse(vm_, lua, "protocol: expected a table: protocol { title = \"...\" }");
  fetch(lua, &kClass);
  if (!lua_isnil(lua, -1))
    return refuse(vm_, lua, "protocol: called twice; a file describes one protocol");
  bool plain = true;
  for (const std::string& field : string_keys(lua, 1, &plain)) {
    if (std::find(kFields.begin(), kFields.end(), field) != kFields.end()) continue;
    return refuse(vm_, lua,
                  fmt::format("protocol: unknown field `{}`; expected title, source, leases, "
                              "permanent, shared_connection{}",
                              field, near_miss_hint(field, kFields)));
  }
  for (auto [field, text] : {std::pair{"title", &title_}, std::pair{"source", &source_}}) {
    lua_getfield(lua, 1, field);
    if (lua_type(lua, -1) != LUA_TNIL && lua_type(lua, -1) != LUA_TSTRING) {
      return refuse(vm_, lua, fmt::format("protocol: {} must be a string", field));
    }
    *text = lua_isnil(lua, -1) ? "" : text_of(lua, -1);
  }
  lua_getfield(lua, 1, "leases");
  if (lua_isnil(lua, -1)) {
    leases_ = {"{key}"};
  } else {
    leases_ = template_list(lua, "leases");
  }
  permanent_ = template_list(lua, "permanent");
  lua_getfield(lua, 1, "shared_connection");
  if (lua_type(lua, -1) != LUA_TNIL && lua_type(lua, -1) != LUA_TBOOLEAN)
    return refuse(vm_, lua, "protocol: shared_connection must be true or false");
  shared_connection_ = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  if (vm_.stopped()) {
    lua_pushnil(lua);
    return kRaise;
  }
  lua_newtable(lua);
  lua_pushvalue(lua, -1);
  store(lua, &kClass);
  return 1;
}

// ---- invariants ----

int Module::state_invariant(lua_State* lua) {
  if (vm_.run != nullptr)
    return refuse(vm_, lua, "invariant: only at the top of the file, not while a process runs");
  if (lua_type(lua, 1) != LUA_TSTRING || string_at(lua, 1).empty() || !lua_isfunction(lua, 2))
    return refuse(vm_, lua,
                  "invariant: expected a name and a function: "
                  "invariant(\"nobody ...\", function(world) return ... end)");
  std::string name(string_at(lua, 1));
  if (std::find(invariants_.begin(), invariants_.end(), name) != invariants_.end())
    return refuse(vm_, lua, fmt::format("invariant: there is another one named \"{}\"", name));
  invariants_.push_back(std::move(name));
  fetch(lua, &kInvariants);
  lua_pushvalue(lua, 2);
  lua_rawseti(lua, -2, static_cast<lua_Integer>(invariants_.size()));
  return 0;
}

bool Module::is_true_of(std::size_t invariant, std::string_view world) const {
  lua_State* lua = vm_.state();
  lua_settop(lua, 0);
  fetch(lua, &kInvariants);
  lua_rawgeti(lua, -1, static_cast<lua_Integer>(invariant + 1));
  push_view(lua, world);
  vm_.reset_instructions();
  const int status = vm_.call(1, 1);
  const bool is_true = status == LUA_OK && lua_toboolean(lua, -1) != 0;
  if (status != LUA_OK && !vm_.stopped()) {
    const std::string error = text_of(lua, -1);
    const std::string placed =
        error.starts_with("protocol.lua:") ? vm_.folder() + "/" + error : vm_.message(0, error);
    throw BadInput(fmt::format("{} (in the invariant \"{}\")", placed, invariants_[invariant]));
  }
  lua_settop(lua, 0);
  return is_true;
}

void Module::push_class() const { fetch(vm_.state(), &kClass); }
void Module::push_instance_metatable() const { fetch(vm_.state(), &kInstance); }

// ---- objects by number ----

int Module::constant(lua_State* lua, int index) const {
  lua_pushvalue(lua, index);
  fetch(lua, &kConstants);
  lua_insert(lua, -2);
  lua_rawget(lua, -2);
  const auto number = static_cast<int>(lua_tointeger(lua, -1));
  lua_pop(lua, 2);
  return number;
}

void Module::push_constant(int number) const {
  lua_State* lua = vm_.state();
  fetch(lua, &kConstants);
  lua_rawgeti(lua, -1, number);
  lua_remove(lua, -2);
}

const Cell* Module::cell(const void* id, int* number) const {
  const auto found = cell_numbers_.find(id);
  if (found == cell_numbers_.end()) return nullptr;
  *number = found->second;
  return &cells_[static_cast<std::size_t>(found->second)];
}

/// Numbers the object at `index` if it has no number yet; 0 if it has.
int Module::number_object(int index) {
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

/// Numbers everything in the table of built-in names, on top of the stack, and in the libraries in
/// it.
void Module::number_api() {
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

/// Numbers and watches the value at `index` and what it reaches.
void Module::watch(int index, const std::string& name) {
  lua_State* lua = vm_.state();
  luaL_checkstack(lua, 10, "modules nest too deep");
  if (!is_object(lua, index)) return;
  lua_pushvalue(lua, index);
  if (number_object(-1) != 0) {
    if (lua_istable(lua, -1)) watch_table(name);
    if (lua_isfunction(lua, -1)) watch_function(name);
  }
  lua_pop(lua, 1);
}

void Module::watch_table(const std::string& name) {
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

void Module::watch_function(const std::string& name) {
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
  for (int index = 1; const char* variable = lua_getupvalue(lua, function, index); ++index) {
    if (cell_numbers_.emplace(lua_upvalueid(lua, function, index), static_cast<int>(cells_.size()))
            .second) {
      cells_.push_back({number, index});
      watched_cells_.push_back({fmt::format("upvalue `{}`", variable), line});
      fetch(lua, &kCellValues);
      lua_pushvalue(lua, -2);
      lua_rawseti(lua, -2, static_cast<lua_Integer>(cells_.size()));
      lua_pop(lua, 1);
      watch(-1, fmt::format("field of `{}`", variable));
    }
    lua_pop(lua, 1);
  }
}

/// Compares table and copy, which are on top of the stack; puts the first difference found back and
/// names it.
bool Module::table_changed(std::size_t watched, std::string* field) const {
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

void Module::check_unchanged() const {
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
