// See the header.
#include "sim/client/stated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/client/belief.hpp"
#include "sim/client/values.hpp"

namespace lockstep::sim::program {
namespace {

const char kInvariants = 0;  // in the Lua registry, by address

}  // namespace

Stated::Stated(Vm& vm) : vm_(vm) {
  lua_newtable(vm.state());
  store(vm.state(), &kInvariants);
}

int Stated::state(lua_State* lua) {
  if (!open_)
    return refuse(vm_, lua, "invariant: only at the top of the file, not while a process runs");
  if (lua_type(lua, 1) != LUA_TSTRING || string_at(lua, 1).empty() || !lua_isfunction(lua, 2))
    return refuse(vm_, lua,
                  "invariant: expected a name and a function: "
                  "invariant(\"nobody ...\", function(world) return ... end)");
  std::string name = on_one_line(string_at(lua, 1));
  if (std::find(names_.begin(), names_.end(), name) != names_.end())
    return refuse(vm_, lua, fmt::format("invariant: there is another one named \"{}\"", name));
  names_.push_back(std::move(name));
  fetch(lua, &kInvariants);
  lua_pushvalue(lua, 2);
  lua_rawseti(lua, -2, static_cast<lua_Integer>(names_.size()));
  return 0;
}

void Stated::close() {
  open_ = false;
  fetch(vm_.state(), &kInvariants);
}

std::optional<std::string> Stated::broken(std::string_view world, const Watched& reached) const {
  for (std::size_t at = 0; at < names_.size(); ++at) {
    const bool is_true = is_true_of(at, world);
    reached.check_unchanged();
    vm_.settle();
    if (!is_true) return names_[at];
  }
  return std::nullopt;
}

std::string Stated::compared_of(std::string_view world) const {
  std::string compared;
  vm_.compared = &compared;
  for (std::size_t at = 0; at < names_.size(); ++at) {
    try {
      compared += is_true_of(at, world) ? "true\n" : "false\n";
    } catch (const BadInput&) {
      compared += "an error\n";
    }
    vm_.forget_complaint();
  }
  vm_.compared = nullptr;
  return compared;
}

bool Stated::is_true_of(std::size_t invariant, std::string_view world) const {
  lua_State* lua = vm_.state();
  lua_settop(lua, 0);
  fetch(lua, &kInvariants);
  lua_rawgeti(lua, -1, static_cast<lua_Integer>(invariant + 1));
  push_view(lua, world);
  vm_.reset_instructions();
  const int status = vm_.call(1, 1);
  const bool is_true = status == LUA_OK && lua_toboolean(lua, -1) != 0;
  if (status != LUA_OK && !vm_.stopped())
    throw BadInput(fmt::format("{} (in the invariant \"{}\")", vm_.placed(text_of(lua, -1)),
                               names_[invariant]));
  lua_settop(lua, 0);
  return is_true;
}

}  // namespace lockstep::sim::program
