// The client API (docs/protocols.md): its parts put together, and what belongs to none of them.
#include "sim/client/api.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/client/accesses.hpp"
#include "sim/client/api_parts.hpp"
#include "sim/client/comparisons.hpp"

namespace lockstep::sim::program {

Run* running(Vm& vm, lua_State* lua, const char* what) {
  if (vm.run == nullptr) {
    vm.complain(lua, fmt::format("{}: only while a process runs (in acquire, release, or a task "
                                 "they started), not at the top of the file",
                                 what));
  }
  return vm.run;
}

std::int64_t number_of(const std::string& answer) {
  std::int64_t number = 0;
  const auto end = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  LOCKSTEP_CHECK(end.ec == std::errc() && end.ptr == answer.data() + answer.size());
  return number;
}

namespace {

const char* const kUnique = "unique";
int unique(Vm&, Run& run, lua_State* lua) {
  const std::string* answer = run.answer(Query{});
  if (answer == nullptr) return refused(lua);
  push_string(lua, *answer);
  return 1;
}

const char* const kChoose = "choose";
int choose(Vm& vm, Run& run, lua_State* lua) {
  const auto choices = whole_number(lua, 1);
  if (!choices || *choices < 1 || *choices > 255) {
    return refuse(
        vm, lua,
        fmt::format("choose: expected a whole number from 1 to 255, found {}", text_of(lua, 1)));
  }
  Query query;
  query.kind = Query::Kind::choice;
  query.choices = static_cast<int>(*choices);
  const std::string* answer = run.answer(query);
  if (answer == nullptr) return refused(lua);
  lua_pushinteger(lua, number_of(*answer));
  return 1;
}

const char* const kSetting = "setting";
int setting(Vm& vm, Run& run, lua_State* lua) {
  if (lua_type(lua, 1) != LUA_TSTRING)
    return refuse(vm, lua, fmt::format("setting: expected a name, found {}", text_of(lua, 1)));
  const std::string name(string_at(lua, 1));
  const SettingValue* value = run.setting(name);
  if (value == nullptr)
    return refuse(
        vm, lua,
        fmt::format("setting: `{}` is not declared; expected protocol {{ settings = {{ {} "
                    "= ... }} }} with what it is unless a role says otherwise",
                    name, name));
  if (const auto* flag = std::get_if<bool>(value))
    lua_pushboolean(lua, *flag);
  else if (const auto* number = std::get_if<std::int64_t>(value))
    lua_pushinteger(lua, *number);
  else
    push_string(lua, std::get<std::string>(*value));
  return 1;
}

const char* const kLog = "log";
int log(Vm&, Run& run, lua_State* lua) {
  Effect effect;
  effect.kind = Effect::Kind::log;
  effect.task = run.current().id;
  effect.text = text_of(lua, 1);
  run.emit(std::move(effect));
  return 0;
}

const char* const kExit = "exit";
int end_process(Vm& vm, Run& run, lua_State* lua) {
  if (run.setup().replicas > 0)
    return refuse(vm, lua, "exit: where nodes have replicas it is not simulated yet");
  Effect effect;
  effect.kind = Effect::Kind::exited;
  effect.task = run.current().id;
  run.emit(std::move(effect));
  run.wait(Wait::Kind::blocked, 0);  // for ever
  return kWait;
}

}  // namespace

void add_api(Vm& vm) {
  lua_State* lua = vm.state();
  add_requests(lua);
  add_clocks(lua);
  add_tasks(lua);
  add_listening(lua);
  add_comparisons(lua);
  add_accesses(lua);
  set_function(lua, kUnique, native<in_run<unique, kUnique>>);
  set_function(lua, kChoose, native<in_run<choose, kChoose>>);
  set_function(lua, kSetting, native<in_run<setting, kSetting>>);
  set_function(lua, kLog, native<in_run<log, kLog>>);
  set_function(lua, kExit, native<in_run<end_process, kExit>, nothing>);
}

int instance_index(Vm& vm, lua_State* lua) {
  const std::string_view field = lua_type(lua, 2) == LUA_TSTRING ? string_at(lua, 2) : "";
  if (field != "ttl_s") {
    lua_settop(lua, 2);
    lua_rawget(lua, lua_upvalueindex(1));
    if (field == "nodes" && lua_isnil(lua, -1)) lua_pushinteger(lua, vm.run->setup().nodes);
    if (field == "replicas" && lua_isnil(lua, -1)) lua_pushinteger(lua, vm.run->setup().replicas);
    return 1;
  }
  const std::int64_t ms = vm.run->setup().lease_ms;
  if (ms % 1000 != 0)
    return refuse(vm, lua,
                  fmt::format("ttl_s: the lease of {} ms is not a whole number of seconds, which "
                              "this protocol counts in",
                              ms));
  lua_pushinteger(lua, ms / 1000);
  return 1;
}

}  // namespace lockstep::sim::program
