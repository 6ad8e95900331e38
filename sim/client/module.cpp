// Loading protocol.lua, and what it says about itself.
#include "sim/client/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/base/path.hpp"
#include "sim/base/sha1.hpp"
#include "sim/client/accesses.hpp"
#include "sim/client/api.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/library.hpp"
#include "sim/client/text.hpp"
#include "sim/client/values.hpp"
#include "sim/redis/script/vm.hpp"

namespace lockstep::sim::program {
namespace {

std::vector<std::string> filled_in(const std::vector<std::string>& templates,
                                   const std::string& lock_key) {
  static constexpr std::string_view kPlace = "{key}";
  std::vector<std::string> keys;
  for (std::string key : templates) {
    for (std::size_t at = key.find(kPlace); at != std::string::npos;
         at = key.find(kPlace, at + lock_key.size())) {
      key.replace(at, kPlace.size(), lock_key);
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

// Keys in the Lua registry, by address.
const char kClass = 0, kInstance = 0;

}  // namespace

std::vector<std::string> Module::lease_keys(const std::string& lock_key) const {
  return filled_in(leases_, lock_key);
}

std::vector<std::string> Module::permanent_keys(const std::string& lock_key) const {
  return filled_in(permanent_, lock_key);
}

Module::Module(Vm& vm, std::filesystem::path folder, Shows shows)
    : vm_(vm), folder_(std::move(folder)), shows_(shows), watched_(vm), stated_(vm) {
  vm_.module = this;
  vm_.stated = &stated_;
  const std::string text = file_text(folder_ / "protocol.lua");
  refuse_not_available(vm_, text);
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

void Module::load(const std::string& text) {
  lua_State* lua = vm_.state();
  push_library(vm_);
  add_api(vm_);
  watched_.number_api();
  wrap_globals(vm_);  // 1: globals

  // The text is compiled as it stands first: what is wrong with it is said of the person's own.
  int status = luaL_loadbufferx(lua, text.data(), text.size(), vm_.chunk(), "t");
  if (status == LUA_OK) {
    lua_pop(lua, 1);
    const std::string shown = with_shown_comparisons(
        shows_ == Shows::accesses ? with_shown_accesses(text) : with_shown_keys(text));
    status = luaL_loadbufferx(lua, shown.data(), shown.size(), vm_.chunk(), "t");
  }
  if (status == LUA_OK) {
    lua_pushvalue(lua, 1);
    lua_setupvalue(lua, -2, 1);
    watched_.number_environment(-1);
    status = vm_.call(0, 1);
  }
  vm_.settle();
  if (status != LUA_OK) throw BadInput(vm_.placed(text_of(lua, -1)));
  check_class();

  watched_.watch(1, "global");
  fetch(lua, &kClass);
  watched_.watch(-1, "field of the protocol");
  stated_.close();
  watched_.watch(-1, "invariant");
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
  has_shared_mode_ = has_method("acquire_shared") || has_method("release_shared");
  std::vector<const char*> needed{"acquire", "release"};
  if (has_shared_mode_) needed.insert(needed.end(), {"acquire_shared", "release_shared"});
  for (const char* method : needed) {
    if (has_method(method)) continue;
    std::vector<std::string> others = fields;
    std::erase(others, method);  // it may be there, and no function
    throw BadInput(vm_.message(0, fmt::format("has no {0}(); expected `function Lock:{0}()`{1}",
                                              method, near_miss_hint(method, others))));
  }
  note_methods(fields);
  if (has_shared_mode_ && permits_ > 1)
    throw BadInput(vm_.message(0,
                               "permits are of a lock without acquire_shared(): who shares one "
                               "with permits would take none"));
  lua_pushvalue(lua, -1);
  lua_pushcclosure(lua, native<instance_index>, 1);
  lua_createtable(lua, 0, 1);
  lua_insert(lua, -2);
  lua_setfield(lua, -2, "__index");
  store(lua, &kInstance);
  lua_pop(lua, 2);
}

/// Of the class, which is on top of the stack.
bool Module::has_method(const char* method) const {
  lua_State* lua = vm_.state();
  lua_getfield(lua, -1, method);
  const bool there = lua_isfunction(lua, -1);
  lua_pop(lua, 1);
  return there;
}

/// Of the class, which is on top of the stack: what a workload can call.
void Module::note_methods(const std::vector<std::string>& fields) {
  constexpr std::array<std::string_view, 4> kLocks{"acquire", "release", "acquire_shared",
                                                   "release_shared"};
  std::ranges::copy_if(fields, std::back_inserter(methods_), [&](const std::string& field) {
    return std::ranges::find(kLocks, field) == kLocks.end() && has_method(field.c_str());
  });
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
  Script script{name, file_text(folder_ / name), "", false};
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
      if (list.back().find('*') != std::string::npos)
        vm_.complain(lua,
                     fmt::format("protocol: {}: \"{}\" is the name of a key, not a pattern; name "
                                 "each key of the lock, with {{key}} for its own",
                                 field, list.back()));
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

/// The server that the protocol is written for; what is wrong with it, or "".
std::string Module::read_server(lua_State* lua) {
  lua_getfield(lua, 1, "server");
  const bool said = !lua_isnil(lua, -1);
  const bool text = lua_type(lua, -1) == LUA_TSTRING;
  const std::string word = text ? text_of(lua, -1) : "";
  lua_pop(lua, 1);
  if (!said) return "";
  std::vector<std::string> names;
  for (const ServerVersion version : kServerVersions) {
    names.emplace_back(name(version));
    if (text && word == names.back()) {
      server_ = version;
      return "";
    }
  }
  return fmt::format("protocol: server must be one of {}{}", fmt::join(names, ", "),
                     near_miss_hint(word, names));
}

/// Which keyspace events its servers publish; what is wrong with it, or "".
std::string Module::read_keyspace_events(lua_State* lua) {
  lua_getfield(lua, 1, "keyspace_events");
  const bool said = !lua_isnil(lua, -1);
  const bool text = lua_type(lua, -1) == LUA_TSTRING;
  const auto events = parse_keyspace_events(text ? text_of(lua, -1) : "?");
  lua_pop(lua, 1);
  if (said && events) keyspace_events_ = *events;
  if (!said || events) return "";
  return fmt::format("protocol: keyspace_events must be letters of {}, such as \"Ex\"",
                     kKeyspaceEventLetters);
}

/// How many nodes the protocol is written for; what is wrong with it, or "".
std::string Module::read_nodes(lua_State* lua) {
  lua_getfield(lua, 1, "nodes");
  const auto number = whole_number(lua, -1);
  const bool good = lua_isnil(lua, -1) || (number && *number >= 1 && *number <= kMaxNodes);
  if (good && number) nodes_ = static_cast<int>(*number);
  const std::string found = text_of(lua, -1);
  lua_pop(lua, 1);
  if (good) return "";
  return fmt::format("protocol: nodes is {}; expected a whole number from 1 to {}", found,
                     kMaxNodes);
}

/// How many replicas each is to have; what is wrong with it, or "".
std::string Module::read_replicas(lua_State* lua) {
  lua_getfield(lua, 1, "replicas");
  const auto number = whole_number(lua, -1);
  const bool good = lua_isnil(lua, -1) || (number && *number >= 0 && *number < kMaxNodes);
  if (good && number) replicas_ = static_cast<int>(*number);
  const std::string found = text_of(lua, -1);
  lua_pop(lua, 1);
  if (good) return "";
  return fmt::format("protocol: replicas is {}; expected a whole number from 0 to {}", found,
                     kMaxNodes - 1);
}

/// On how many of them a lock must be a client's own; what is wrong with it, or "".
std::string Module::read_quorum(lua_State* lua) {
  lua_getfield(lua, 1, "quorum");
  const auto number = whole_number(lua, -1);
  const bool majority = lua_type(lua, -1) == LUA_TSTRING && string_at(lua, -1) == "majority";
  const bool good =
      lua_isnil(lua, -1) || majority || (number && *number >= 1 && *number <= kMaxNodes);
  if (majority) quorum_ = kMajority;
  if (good && number) quorum_ = static_cast<int>(*number);
  const std::string found = text_of(lua, -1);
  lua_pop(lua, 1);
  if (good) return "";
  return fmt::format(
      "protocol: quorum is {}; expected \"majority\", or a whole number from 1 to {}", found,
      kMaxNodes);
}

/// How many may hold a lock at once; what is wrong with it, or "".
std::string Module::read_permits(lua_State* lua) {
  lua_getfield(lua, 1, "permits");
  const auto number = whole_number(lua, -1);
  const bool good = lua_isnil(lua, -1) || (number && *number >= 1 && *number <= kMostPermits);
  if (good && number) permits_ = static_cast<int>(*number);
  const std::string found = text_of(lua, -1);
  lua_pop(lua, 1);
  if (good) return "";
  return fmt::format("protocol: permits is {}; expected a whole number from 1 to {}", found,
                     kMostPermits);
}

/// What clients may have differently, with what it is unless a role says otherwise; what is wrong
/// with it, or "".
std::string Module::read_settings(lua_State* lua) {
  lua_getfield(lua, 1, "settings");
  const int table = lua_gettop(lua);
  const std::string expected =
      "protocol: settings must be a table such as { version = 1, wait = true, name = \"a\" }";
  bool plain = lua_isnil(lua, table) || (lua_istable(lua, table) && lua_rawlen(lua, table) == 0);
  if (lua_istable(lua, table)) {
    for (const std::string& name : string_keys(lua, table, &plain)) {
      lua_getfield(lua, table, name.c_str());
      const auto number = whole_number(lua, -1);
      if (lua_isboolean(lua, -1))
        settings_[name] = lua_toboolean(lua, -1) != 0;
      else if (lua_type(lua, -1) == LUA_TSTRING)
        settings_[name] = std::string(string_at(lua, -1));
      else if (number)
        settings_[name] = *number;
      else
        plain = false;
      lua_pop(lua, 1);
    }
  }
  lua_pop(lua, 1);
  return plain ? "" : expected;
}

int Module::declare_protocol(lua_State* lua) {
  static const std::vector<std::string> kFields{
      "title",    "source", "leases",          "permanent", "shared_connection",
      "greets",   "server", "keyspace_events", "tracking",  "nodes",
      "replicas", "quorum", "permits",         "settings"};
  if (!lua_istable(lua, 1))
    return refuse(vm_, lua, "protocol: expected a table: protocol { title = \"...\" }");
  fetch(lua, &kClass);
  if (!lua_isnil(lua, -1))
    return refuse(vm_, lua, "protocol: called twice; a file describes one protocol");
  bool plain = true;
  for (const std::string& field : string_keys(lua, 1, &plain)) {
    if (std::find(kFields.begin(), kFields.end(), field) != kFields.end()) continue;
    return refuse(vm_, lua,
                  fmt::format("protocol: unknown field `{}`; expected {}{}", field,
                              fmt::join(kFields, ", "), near_miss_hint(field, kFields)));
  }
  for (auto [field, text] : {std::pair{"title", &title_}, std::pair{"source", &source_}}) {
    lua_getfield(lua, 1, field);
    if (lua_type(lua, -1) != LUA_TNIL && lua_type(lua, -1) != LUA_TSTRING) {
      return refuse(vm_, lua, fmt::format("protocol: {} must be a string", field));
    }
    *text = lua_isnil(lua, -1) ? "" : on_one_line(text_of(lua, -1));
  }
  lua_getfield(lua, 1, "leases");
  names_leases_ = !lua_isnil(lua, -1);
  leases_ = names_leases_ ? template_list(lua, "leases") : std::vector<std::string>{"{key}"};
  permanent_ = template_list(lua, "permanent");
  for (auto [field, value] : {std::pair{"shared_connection", &shared_connection_},
                              std::pair{"greets", &greets_}, std::pair{"tracking", &tracks_}}) {
    lua_getfield(lua, 1, field);
    if (lua_type(lua, -1) != LUA_TNIL && lua_type(lua, -1) != LUA_TBOOLEAN)
      return refuse(vm_, lua, fmt::format("protocol: {} must be true or false", field));
    *value = lua_toboolean(lua, -1) != 0;
    lua_pop(lua, 1);
  }
  for (const auto& wrong :
       {read_server(lua), read_keyspace_events(lua), read_nodes(lua), read_replicas(lua),
        read_quorum(lua), read_permits(lua), read_settings(lua)})
    if (!wrong.empty()) return refuse(vm_, lua, wrong);
  if (vm_.stopped()) {
    lua_pushnil(lua);
    return kRaise;
  }
  lua_newtable(lua);
  lua_pushvalue(lua, -1);
  store(lua, &kClass);
  return 1;
}

void Module::push_class() const { fetch(vm_.state(), &kClass); }
void Module::push_instance_metatable() const { fetch(vm_.state(), &kInstance); }

}  // namespace lockstep::sim::program
