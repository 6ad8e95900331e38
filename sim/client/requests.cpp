// The client API towards Redis: requests, replies as Lua values, scripts.
#include <fmt/format.h>
#include <fmt/printf.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/client/api_parts.hpp"
#include "sim/client/module.hpp"
#include "sim/client/servers.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::sim::program {
namespace {

// ---- requests ----

/// Appends the value at `index` to `request` as Redis would get it. `what` names it in a complaint.
bool add_argument(Vm& vm, lua_State* lua, int index, std::string_view what, Request& request) {
  if (lua_type(lua, index) == LUA_TSTRING) {
    request.emplace_back(string_at(lua, index));
    return true;
  }
  if (const auto whole = whole_number(lua, index)) {
    request.push_back(std::to_string(*whole));
    return true;
  }
  if (lua_type(lua, index) == LUA_TNUMBER) {
    request.push_back(fmt::sprintf("%.17g", lua_tonumber(lua, index)));
    return true;
  }
  const char* hint =
      value_at<InstantValue>(lua, index) != nullptr ? "; use millis(instant) to send a time" : "";
  vm.complain(lua, fmt::format("{} is {}; expected a string or a number{}", what,
                               text_of(lua, index), hint));
  return false;
}

/// Appends the elements 1..n of the list at `index`.
bool add_list(Vm& vm, lua_State* lua, int index, const char* what, Request& request) {
  const auto length = static_cast<lua_Integer>(lua_rawlen(lua, index));
  for (lua_Integer at = 1; at <= length; ++at) {
    lua_rawgeti(lua, index, at);
    const bool good = add_argument(vm, lua, -1, fmt::format("{} {}", what, at), request);
    lua_pop(lua, 1);
    if (!good) return false;
  }
  return true;
}

}  // namespace

/// A field that must be a whole number of at least `least`, or nothing (then `value` stays).
bool read_field(Vm& vm, lua_State* lua, int table, const char* field, std::int64_t least,
                std::int64_t& value) {
  lua_getfield(lua, table, field);
  const auto number = whole_number(lua, -1);
  const bool good = lua_isnil(lua, -1) || (number && *number >= least);
  if (!good)
    vm.complain(lua, fmt::format("{} is {}; expected a whole number of at least {}", field,
                                 text_of(lua, -1), least));
  if (number) value = *number;
  lua_pop(lua, 1);
  return good;
}

bool check_fields(Vm& vm, lua_State* lua, int table, const char* what,
                  const std::vector<std::string>& known) {
  for (lua_pushnil(lua); lua_next(lua, table) != 0; lua_pop(lua, 1)) {
    if (lua_type(lua, -2) != LUA_TSTRING) continue;
    const std::string field(string_at(lua, -2));
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    vm.complain(lua,
                fmt::format("{}: unknown field `{}`{}", what, field, near_miss_hint(field, known)));
    return false;
  }
  return true;
}

bool check_node(Vm& vm, lua_State* lua, std::int64_t node) {
  const auto nodes = static_cast<int>(servers_of(vm.run->setup()).count());
  if (node >= 1 && node <= nodes) return true;
  vm.complain(lua, fmt::format("there is no node {}; this run has {}", node,
                               nodes == 1 ? "node 1 only" : fmt::format("nodes 1 to {}", nodes)));
  return false;
}

namespace {

bool all_different(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return !numbers.empty() && std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

/// Sends `request` to `node` (from 1) and waits.
int send_and_wait(Run& run, std::int64_t node, std::int64_t timeout_ms, const Request& request) {
  run.call({{static_cast<std::uint8_t>(node - 1), request}}, timeout_ms);
  return kWait;
}

/// Pushes a reply as a Lua value. Null is nil, but false inside an array, where nil would end the
/// list.
void push_reply(lua_State* lua, const Reply& reply, bool in_array) {
  lua_checkstack(lua, 5);
  switch (reply.kind) {
    case Reply::Kind::null:
      if (in_array) {
        lua_pushboolean(lua, 0);
      } else {
        lua_pushnil(lua);
      }
      return;
    case Reply::Kind::integer:
      return lua_pushinteger(lua, reply.integer);
    case Reply::Kind::status:
    case Reply::Kind::bulk:
      return push_string(lua, reply.text);
    case Reply::Kind::error:
      return push_error_object(lua, kRedisError, reply.text,
                               std::string_view(reply.text).substr(0, reply.text.find(' ')));
    case Reply::Kind::array:
      lua_createtable(lua, static_cast<int>(reply.items.size()), 0);
      for (std::size_t at = 0; at < reply.items.size(); ++at) {
        push_reply(lua, reply.items[at], true);
        lua_rawseti(lua, -2, static_cast<lua_Integer>(at + 1));
      }
      return;
  }
}

/// Pushes the call's reply, or an error object; true if it is a reply.
bool push_outcome(lua_State* lua, const Call& call) {
  switch (call.outcome) {
    case Call::Outcome::reply:
      push_reply(lua, *call.reply, false);
      return !call.reply->is_error();
    case Call::Outcome::broken:
      push_error_object(lua, kConnectionError, kConnectionText, "");
      return false;
    case Call::Outcome::timeout:
      push_error_object(lua, kTimeoutError, kTimeoutText, "");
      return false;
    case Call::Outcome::pending:
      break;
  }
  fail("a task is resumed when no outcome is pending", __FILE__, __LINE__);
}

int one_outcome(Vm& vm, lua_State* lua) {
  return raised_or_reply(lua, vm.run->current().calls.front());
}

const char* const kRedis = "redis";
int redis(Vm& vm, Run& run, lua_State* lua) {
  Request request;
  if (lua_gettop(lua) == 0) return refuse(vm, lua, "redis: expected a command and its arguments");
  for (int index = 1; index <= lua_gettop(lua); ++index) {
    if (!add_argument(vm, lua, index, fmt::format("redis: argument {}", index), request))
      return refused(lua);
  }
  return send_and_wait(run, 1, 0, request);
}

const char* const kCall = "call";
int call(Vm& vm, Run& run, lua_State* lua) {
  if (!lua_istable(lua, 1))
    return refuse(vm, lua,
                  "call: expected a table: call { node = 2, timeout_ms = 50, \"GET\", key }");
  std::int64_t node = 1, timeout_ms = 0;
  Request request;
  const bool good = check_fields(vm, lua, 1, "call", {"node", "timeout_ms"}) &&
                    read_field(vm, lua, 1, "node", 1, node) &&
                    read_field(vm, lua, 1, "timeout_ms", 0, timeout_ms) &&
                    check_node(vm, lua, node) && add_list(vm, lua, 1, "call: argument", request);
  if (!good) return refused(lua);
  if (request.empty()) return refuse(vm, lua, "call: expected a command and its arguments");
  return send_and_wait(run, node, timeout_ms, request);
}

/// The nodes that call_all asks: its list, or all of them.
bool read_nodes(Vm& vm, lua_State* lua, std::vector<std::int64_t>& nodes) {
  lua_getfield(lua, 1, "nodes");
  const bool all = lua_isnil(lua, -1);
  if (all) {
    for (int node = 1; node <= vm.run->setup().nodes; ++node) nodes.push_back(node);
  } else if (lua_istable(lua, -1)) {
    const auto length = static_cast<lua_Integer>(lua_rawlen(lua, -1));
    for (lua_Integer at = 1; at <= length; ++at) {
      lua_rawgeti(lua, -1, at);
      nodes.push_back(whole_number(lua, -1).value_or(0));
      lua_pop(lua, 1);
      if (!check_node(vm, lua, nodes.back())) return false;
    }
  }
  lua_pop(lua, 1);
  if (all || all_different(nodes)) return true;
  vm.complain(lua, "call_all: nodes must be a list of different node numbers: nodes = { 1, 2, 3 }");
  return false;
}

using Requests = std::vector<std::pair<std::uint8_t, Request>>;

/// call_all { "GET", key }: the same to each node.
bool read_one_for_all(Vm& vm, lua_State* lua, Requests& requests) {
  std::vector<std::int64_t> nodes;
  Request request;
  if (!read_nodes(vm, lua, nodes) || !add_list(vm, lua, 1, "call_all: argument", request))
    return false;
  if (request.empty()) {
    vm.complain(lua, "call_all: expected a command and its arguments");
    return false;
  }
  for (const std::int64_t node : nodes)
    requests.emplace_back(static_cast<std::uint8_t>(node - 1), request);
  return true;
}

/// call_all { { node = 1, "GET", key }, { node = 2, "DEL", key } }
bool read_one_for_each(Vm& vm, lua_State* lua, Requests& requests) {
  std::vector<std::int64_t> nodes;
  const auto length = static_cast<lua_Integer>(lua_rawlen(lua, 1));
  for (lua_Integer at = 1; at <= length; ++at) {
    lua_rawgeti(lua, 1, at);
    std::int64_t node = 1;
    Request request;
    if (!lua_istable(lua, -1)) {
      vm.complain(lua, fmt::format("call_all: request {} is {}; expected a table, as the others: "
                                   "{{ node = 2, \"GET\", key }}",
                                   at, text_of(lua, -1)));
      return false;
    }
    const int table = lua_gettop(lua);
    if (!check_fields(vm, lua, table, "call_all: a request", {"node"}) ||
        !read_field(vm, lua, table, "node", 1, node) || !check_node(vm, lua, node) ||
        !add_list(vm, lua, table, "call_all: argument", request))
      return false;
    lua_pop(lua, 1);
    if (request.empty()) {
      vm.complain(lua, fmt::format("call_all: request {} has no command", at));
      return false;
    }
    nodes.push_back(node);
    requests.emplace_back(static_cast<std::uint8_t>(node - 1), std::move(request));
  }
  if (all_different(nodes)) return true;
  vm.complain(lua, "call_all: two requests to one node; send the second after the first");
  return false;
}

bool read_requests(Vm& vm, lua_State* lua, Requests& requests) {
  lua_rawgeti(lua, 1, 1);
  const bool one_for_each = lua_istable(lua, -1);
  lua_pop(lua, 1);
  if (!one_for_each) return read_one_for_all(vm, lua, requests);
  lua_getfield(lua, 1, "nodes");
  const bool says_nodes = !lua_isnil(lua, -1);
  lua_pop(lua, 1);
  if (!says_nodes) return read_one_for_each(vm, lua, requests);
  vm.complain(lua, "call_all: each request says its node; nodes is for one request to all");
  return false;
}

/// call_all() itself is Lua (below), for it calls `enough`.
const char* const kCallAll = "call_all";
int send_to_all(Vm& vm, Run& run, lua_State* lua) {
  if (!lua_istable(lua, 1))
    return refuse(vm, lua,
                  "call_all: expected a table: call_all { nodes = { 1, 2, 3 }, timeout_ms = 50, "
                  "\"GET\", key }");
  std::int64_t timeout_ms = 0;
  Requests requests;
  const bool good = check_fields(vm, lua, 1, kCallAll, {"nodes", "timeout_ms", "enough"}) &&
                    read_field(vm, lua, 1, "timeout_ms", 0, timeout_ms) &&
                    read_requests(vm, lua, requests);
  if (!good) return refused(lua);
  lua_getfield(lua, 1, "enough");
  const bool each = !lua_isnil(lua, -1);
  if (each && !lua_isfunction(lua, -1))
    return refuse(vm, lua,
                  fmt::format("call_all: enough is {}; expected a function of the answers",
                              text_of(lua, -1)));
  run.call(requests, timeout_ms, each);
  return kWait;
}

/// A list of { node =, ok =, reply = or error =, or pending = }, in the order in which the nodes
/// were named; and whether one is pending.
int all_outcomes(Vm& vm, lua_State* lua) {
  const std::vector<Call>& calls = vm.run->current().calls;
  bool any_pending = false;
  lua_createtable(lua, static_cast<int>(calls.size()), 0);
  for (std::size_t at = 0; at < calls.size(); ++at) {
    lua_createtable(lua, 0, 3);
    const bool pending = calls[at].outcome == Call::Outcome::pending;
    bool ok = false;
    if (pending)
      lua_pushboolean(lua, 1);
    else
      ok = push_outcome(lua, calls[at]);
    lua_setfield(lua, -2, pending ? "pending" : ok ? "reply" : "error");
    lua_pushboolean(lua, ok);
    lua_setfield(lua, -2, "ok");
    lua_pushinteger(lua, calls[at].node + 1);
    lua_setfield(lua, -2, "node");
    lua_rawseti(lua, -2, static_cast<lua_Integer>(at + 1));
    any_pending = any_pending || pending;
  }
  vm.run->current().decides = vm.run->current().hears_each;
  lua_pushboolean(lua, any_pending);
  return 2;
}

int hear_more(Vm& vm, lua_State*) {
  vm.run->current().decides = false;
  return kWait;  // as it was: its timer goes on
}

int hear_no_more(Vm& vm, lua_State*) {
  vm.run->leave_call();
  return 0;
}

constexpr const char* kCallAllCode = R"(
local send, hear, leave, pcall, error = ...
return function(request)
  local answers, pending = send(request)
  local enough = request.enough
  while enough do  -- is asked of the last answer, too
    local fine, heard = pcall(enough, answers)
    if not fine then leave() error(heard, 0) end
    if heard or not pending then leave() break end
    answers, pending = hear()
  end
  return answers
end)";

void add_call_all(lua_State* lua) {
  const int api = lua_gettop(lua);
  LOCKSTEP_CHECK(luaL_loadbuffer(lua, kCallAllCode, std::char_traits<char>::length(kCallAllCode),
                                 "=call_all") == LUA_OK);
  lua_pushcfunction(lua, (native<in_run<send_to_all, kCallAll>, all_outcomes>));
  lua_pushcfunction(lua, (native<hear_more, all_outcomes>));
  lua_pushcfunction(lua, native<hear_no_more>);
  lua_getfield(lua, api, "pcall");
  lua_getfield(lua, api, "error");
  lua_call(lua, 5, 1);
  lua_setfield(lua, -2, kCallAll);
}

// ---- scripts ----

int load_script(Vm& vm, lua_State* lua) { return vm.module->load_script(lua); }
int declare_protocol(Vm& vm, lua_State* lua) { return vm.module->declare_protocol(lua); }
int state_invariant(Vm& vm, lua_State* lua) { return vm.stated->state(lua); }

const Script& script_at(Vm& vm, lua_State* lua, int index) {
  return vm.module->scripts()[static_cast<std::size_t>(value_at<ScriptValue>(lua, index)->index)];
}

/// The request of handle(keys, args); `verb` with what names the script.
bool script_request(Vm& vm, lua_State* lua, const char* verb, const std::string& script,
                    Request& request) {
  request = {verb, script, "0"};
  for (const auto& [index, what] : {std::pair{2, "key"}, std::pair{3, "argument"}}) {
    if (lua_isnoneornil(lua, index)) continue;
    if (!lua_istable(lua, index)) {
      vm.complain(
          lua, fmt::format(
                   "a script is called with lists: handle({{ keys }}, {{ arguments }}); found {}",
                   text_of(lua, index)));
      return false;
    }
    if (!add_list(vm, lua, index, fmt::format("script: {}", what).c_str(), request)) return false;
    if (index == 2) request[2] = std::to_string(request.size() - 3);
  }
  return true;
}

/// handle(keys, args, { node =, timeout_ms = })
int send_script(Vm& vm, Run& run, lua_State* lua, const char* verb, const std::string& body) {
  std::int64_t node = 1, timeout_ms = 0;
  if (lua_istable(lua, 4)) {
    const bool good = check_fields(vm, lua, 4, "script", {"node", "timeout_ms"}) &&
                      read_field(vm, lua, 4, "node", 1, node) &&
                      read_field(vm, lua, 4, "timeout_ms", 0, timeout_ms) &&
                      check_node(vm, lua, node);
    if (!good) return refused(lua);
  }
  Request request;
  if (!script_request(vm, lua, verb, body, request)) return refused(lua);
  return send_and_wait(run, node, timeout_ms, request);
}

const char* const kScript = "a script";
int call_script(Vm& vm, Run& run, lua_State* lua) {
  lua_settop(lua, 4);
  const Script& script = script_at(vm, lua, 1);
  run.current().by_sha = script.by_sha;
  return script.by_sha ? send_script(vm, run, lua, "EVALSHA", script.sha1)
                       : send_script(vm, run, lua, "EVAL", script.body);
}

int script_outcome(Vm& vm, lua_State* lua) {
  Task& task = vm.run->current();
  const Call& call = task.calls.front();
  const bool unknown = call.outcome == Call::Outcome::reply && call.reply->is_error() &&
                       call.reply->text.starts_with("NOSCRIPT");
  if (std::exchange(task.by_sha, false) && unknown)
    return send_script(vm, *vm.run, lua, "EVAL", script_at(vm, lua, 1).body);
  return one_outcome(vm, lua);
}

int script_field(Vm& vm, lua_State* lua) {
  const Script& script = script_at(vm, lua, 1);
  const std::string field = text_of(lua, 2);
  if (field != "source" && field != "sha1" && field != "name") {
    return refuse(vm, lua,
                  fmt::format("a script has no field `{}`; it has source, sha1, name", field));
  }
  push_string(lua, field == "source" ? script.body : field == "sha1" ? script.sha1 : script.name);
  return 1;
}

}  // namespace

int raised_or_reply(lua_State* lua, const Call& call) {
  return push_outcome(lua, call) ? 1 : kRaise;
}

void add_requests(lua_State* lua) {
  add_type<ScriptValue>(lua);
  set_function(lua, "__call", native<in_run<call_script, kScript>, script_outcome>);
  set_function(lua, "__index", native<script_field>);
  luaL_newmetatable(lua, kErrorName);
  lua_pop(lua, 2);
  push_string(lua, "OK");
  lua_setfield(lua, -2, "OK");
  set_function(lua, "protocol", native<declare_protocol>);
  set_function(lua, "invariant", native<state_invariant>);
  set_function(lua, "script", native<load_script>);
  set_function(lua, kRedis, native<in_run<redis, kRedis>, one_outcome>);
  set_function(lua, kCall, native<in_run<call, kCall>, one_outcome>);
  add_call_all(lua);
}

}  // namespace lockstep::sim::program
