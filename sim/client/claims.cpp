// See the header.
#include "sim/client/claims.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/sha1.hpp"
#include "sim/client/api.hpp"
#include "sim/client/comparisons.hpp"
#include "sim/client/library.hpp"
#include "sim/client/program.hpp"
#include "sim/client/stated.hpp"
#include "sim/client/values.hpp"
#include "sim/client/vm.hpp"
#include "sim/client/watched.hpp"

namespace lockstep::sim {
namespace {

using program::Vm;

int state_claim(Vm& vm, lua_State* lua) { return vm.stated->state(lua); }

/// What a name of the client API is here. Upvalue: the name.
int refuse_client(Vm& vm, lua_State* lua) {
  return program::refuse(
      vm, lua,
      fmt::format("{}: not in a file of invariants, which looks at what it is shown, and does "
                  "nothing",
                  program::string_at(lua, lua_upvalueindex(1))));
}

/// Pushes the table of built-in names: the library, and invariant(). The client API's functions are
/// there to say that they are not.
void push_names(Vm& vm) {
  lua_State* lua = vm.state();
  program::push_library(vm);
  lua_newtable(lua);
  program::add_api(vm);
  bool plain = true;
  for (const std::string& name : program::string_keys(lua, -1, &plain)) {
    program::push_string(lua, name);
    lua_pushcclosure(lua, program::native<refuse_client>, 1);
    lua_setfield(lua, -3, name.c_str());
  }
  lua_pop(lua, 1);
  program::add_comparisons(lua);
  lua_pushcfunction(lua, program::native<state_claim>);
  lua_setfield(lua, -2, "invariant");
}

}  // namespace

class OwnClaims::Impl {
 public:
  Impl(const std::string& file, const std::string& text)
      : vm_(file, ProgramLimits{}), watched_(vm_), stated_(vm_), fingerprint_(sha1_hex(text)) {
    vm_.stated = &stated_;
    program::refuse_not_available(vm_, text);
    load(text);
    if (stated_.names().empty())
      throw BadInput(vm_.message(
          0,
          "states no invariant; expected `invariant(\"nobody ...\", function(world) return ... "
          "end)`"));
  }

  const std::string& fingerprint() const { return fingerprint_; }

  std::optional<std::string> broken(const std::string& world) const {
    return stated_.broken(world, watched_);
  }

  std::string compare(const std::string& world) const { return stated_.compared_of(world); }

 private:
  void load(const std::string& text) {
    lua_State* lua = vm_.state();
    push_names(vm_);
    watched_.number_api();
    program::wrap_globals(vm_);  // 1: globals
    int status = luaL_loadbufferx(lua, text.data(), text.size(), vm_.chunk(), "t");
    if (status == LUA_OK) {  // compiled as it stands first, for what is wrong with it
      lua_pop(lua, 1);
      const std::string shown = program::with_shown_comparisons(text);
      status = luaL_loadbufferx(lua, shown.data(), shown.size(), vm_.chunk(), "t");
    }
    if (status == LUA_OK) {
      lua_pushvalue(lua, 1);
      lua_setupvalue(lua, -2, 1);
      status = vm_.call(0, 0);
    }
    vm_.settle();
    if (status != LUA_OK) throw BadInput(vm_.placed(program::text_of(lua, -1)));
    watched_.watch(1, "global");
    stated_.close();
    watched_.watch(-1, "invariant");
    vm_.settle();
    lua_settop(lua, 0);
  }

  Vm vm_;
  program::Watched watched_;
  program::Stated stated_;
  std::string fingerprint_;
};

OwnClaims::OwnClaims(const std::string& file, const std::string& text)
    : impl_(std::make_unique<Impl>(file, text)) {}
OwnClaims::~OwnClaims() = default;

const std::string& OwnClaims::fingerprint() const { return impl_->fingerprint(); }

std::optional<std::string> OwnClaims::broken_invariant(const std::string& world) const {
  return impl_->broken(world);
}

std::string OwnClaims::compare(const std::string& world) const { return impl_->compare(world); }

}  // namespace lockstep::sim
