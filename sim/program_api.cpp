#include "sim/program_api.hpp"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "sim/check.hpp"
#include "sim/near_miss.hpp"
#include "sim/program_module.hpp"
#include "sim/program_run.hpp"
#include "sim/program_values.hpp"

namespace lockstep::sim::program {
namespace {

/// The run, or null (and a complaint) if the protocol is only being loaded.
Run* running(Vm& vm, lua_State* lua, const char* what) {
  if (vm.run == nullptr) {
    vm.complain(lua, fmt::format("{}: only while a process runs (in acquire, release, or a task "
                                 "they started), not at the top of the file",
                                 what));
  }
  return vm.run;
}

int refused(lua_State* lua) {
  lua_pushnil(lua);
  return kRaise;
}

/// Wraps a function of the API that needs a run.
template <int (*Function)(Vm&, Run&, lua_State*), const char* const& Name>
int in_run(Vm& vm, lua_State* lua) {
  Run* run = running(vm, lua, Name);
  return run == nullptr ? refused(lua) : Function(vm, *run, lua);
}

// ---- requests
// ------------------------------------------------------------------------------------------------

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
  const int nodes = vm.run->setup().nodes;
  if (node >= 1 && node <= nodes) return true;
  vm.complain(lua, fmt::format("there is no node {}; this run has {}", node,
                               nodes == 1 ? "node 1 only" : fmt::format("nodes 1 to {}", nodes)));
  return false;
}

/// Sends `request` to `node` (from 1) and waits.
int send_and_wait(Run& run, std::int64_t node, std::int64_t timeout_ms, Request request) {
  run.current().calls.clear();
  run.send(static_cast<std::uint8_t>(node - 1), std::move(request));
  run.wait(Wait::Kind::replies, timeout_ms);
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
      return push_error_object(lua, "redis", reply.text,
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
      push_reply(lua, call.reply, false);
      return !call.reply.is_error();
    case Call::Outcome::broken:
      push_error_object(lua, "connection", "connection error", "");
      return false;
    case Call::Outcome::timeout:
      push_error_object(lua, "timeout", "request timed out", "");
      return false;
    case Call::Outcome::pending:
      break;
  }
  fail("a task is resumed when no outcome is pending", __FILE__, __LINE__);
}

int one_outcome(Vm& vm, lua_State* lua) {
  return push_outcome(lua, vm.run->current().calls.front()) ? 1 : kRaise;
}

const char* const kRedis = "redis";
int redis(Vm& vm, Run& run, lua_State* lua) {
  Request request;
  if (lua_gettop(lua) == 0) return refuse(vm, lua, "redis: expected a command and its arguments");
  for (int index = 1; index <= lua_gettop(lua); ++index) {
    if (!add_argument(vm, lua, index, fmt::format("redis: argument {}", index), request))
      return refused(lua);
  }
  return send_and_wait(run, 1, 0, std::move(request));
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
  return send_and_wait(run, node, timeout_ms, std::move(request));
}

/// The nodes that call_all asks: its list, or all of them.
bool read_nodes(Vm& vm, lua_State* lua, std::vector<std::int64_t>& nodes) {
  lua_getfield(lua, 1, "nodes");
  if (lua_isnil(lua, -1)) {
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
  std::vector<std::int64_t> sorted = nodes;
  std::sort(sorted.begin(), sorted.end());
  if (!nodes.empty() && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
    return true;
  vm.complain(lua, "call_all: nodes must be a list of different node numbers: nodes = { 1, 2, 3 }");
  return false;
}

const char* const kCallAll = "call_all";
int call_all(Vm& vm, Run& run, lua_State* lua) {
  if (!lua_istable(lua, 1))
    return refuse(vm, lua,
                  "call_all: expected a table: call_all { nodes = { 1, 2, 3 }, timeout_ms = 50, "
                  "\"GET\", key }");
  std::int64_t timeout_ms = 0;
  std::vector<std::int64_t> nodes;
  Request request;
  const bool good = check_fields(vm, lua, 1, "call_all", {"nodes", "timeout_ms"}) &&
                    read_nodes(vm, lua, nodes) &&
                    read_field(vm, lua, 1, "timeout_ms", 0, timeout_ms) &&
                    add_list(vm, lua, 1, "call_all: argument", request);
  if (!good) return refused(lua);
  if (request.empty()) return refuse(vm, lua, "call_all: expected a command and its arguments");
  run.current().calls.clear();
  for (const std::int64_t node : nodes) run.send(static_cast<std::uint8_t>(node - 1), request);
  run.wait(Wait::Kind::replies, timeout_ms);
  return kWait;
}

/// A list of { node =, ok =, reply = or error = }, in the order in which the nodes were named.
int all_outcomes(Vm& vm, lua_State* lua) {
  const std::vector<Call>& calls = vm.run->current().calls;
  lua_createtable(lua, static_cast<int>(calls.size()), 0);
  for (std::size_t at = 0; at < calls.size(); ++at) {
    lua_createtable(lua, 0, 3);
    const bool ok = push_outcome(lua, calls[at]);
    lua_setfield(lua, -2, ok ? "reply" : "error");
    lua_pushboolean(lua, ok);
    lua_setfield(lua, -2, "ok");
    lua_pushinteger(lua, calls[at].node + 1);
    lua_setfield(lua, -2, "node");
    lua_rawseti(lua, -2, static_cast<lua_Integer>(at + 1));
  }
  return 1;
}

// ---- scripts
// -------------------------------------------------------------------------------------------------

int load_script(Vm& vm, lua_State* lua) { return vm.module->load_script(lua); }
int declare_protocol(Vm& vm, lua_State* lua) { return vm.module->declare_protocol(lua); }

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
  return send_and_wait(run, node, timeout_ms, std::move(request));
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
  const bool unknown = call.outcome == Call::Outcome::reply && call.reply.is_error() &&
                       call.reply.text.starts_with("NOSCRIPT");
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

// ---- clocks
// --------------------------------------------------------------------------------------------------

const char* const kSleep = "sleep";
int sleep(Vm& vm, Run& run, lua_State* lua) {
  const auto ms = whole_number(lua, 1);
  if (!ms || *ms < 0)
    return refuse(vm, lua,
                  fmt::format("sleep: expected whole milliseconds, found {} (use // to divide)",
                              text_of(lua, 1)));
  run.wait(Wait::Kind::sleep, *ms);
  return kWait;
}
int nothing(Vm&, lua_State*) { return 0; }

int read_clock(Vm& vm, Run& run, lua_State* lua, bool wall) {
  const auto id = run.read_clock(wall);
  if (!id) return refuse(vm, lua, "read the clock too often without coming to an end");
  push_value(lua, InstantValue{*id, wall, 0});
  return 1;
}
const char* const kNow = "now";
int now(Vm& vm, Run& run, lua_State* lua) { return read_clock(vm, run, lua, true); }
const char* const kMonotonic = "monotonic";
int monotonic(Vm& vm, Run& run, lua_State* lua) { return read_clock(vm, run, lua, false); }

std::int64_t number_of(const std::string& answer) {
  std::int64_t number = 0;
  const auto end = std::from_chars(answer.data(), answer.data() + answer.size(), number);
  LOCKSTEP_CHECK(end.ec == std::errc() && end.ptr == answer.data() + answer.size());
  return number;
}

/// first - second in ms, or nothing: then the run must end.
std::optional<std::int64_t> difference(Vm& vm, lua_State* lua, const InstantValue& first,
                                       const InstantValue& second) {
  if (first.wall != second.wall) {
    vm.complain(lua,
                "compares an instant of now() with one of monotonic(): they are different clocks");
    return std::nullopt;
  }
  const std::int64_t offset_ms = first.offset_ms - second.offset_ms;
  if (first.id == second.id) return offset_ms;
  Query query;
  query.kind = Query::Kind::difference;
  query.first = first.id;
  query.second = second.id;
  const std::string* answer = vm.run->answer(query);
  if (answer == nullptr) return std::nullopt;
  return number_of(*answer) + offset_ms;
}

int shift_instant(Vm& vm, lua_State* lua, InstantValue instant, int number_index, int sign) {
  const auto ms = whole_number(lua, number_index);
  if (!ms)
    return refuse(vm, lua,
                  fmt::format("adds {} to an instant; expected whole milliseconds",
                              text_of(lua, number_index)));
  instant.offset_ms += sign * *ms;
  push_value(lua, instant);
  return 1;
}

int instant_add(Vm& vm, lua_State* lua) {
  const InstantValue* first = value_at<InstantValue>(lua, 1);
  return first != nullptr ? shift_instant(vm, lua, *first, 2, 1)
                          : shift_instant(vm, lua, *value_at<InstantValue>(lua, 2), 1, 1);
}

int instant_subtract(Vm& vm, lua_State* lua) {
  const InstantValue *first = value_at<InstantValue>(lua, 1),
                     *second = value_at<InstantValue>(lua, 2);
  if (first == nullptr) return refuse(vm, lua, "subtracts an instant from something else");
  if (second == nullptr) return shift_instant(vm, lua, *first, 2, -1);
  const auto ms = difference(vm, lua, *first, *second);
  if (!ms) return refused(lua);
  lua_pushinteger(lua, *ms);
  return 1;
}

template <bool (*Compare)(std::int64_t)>
int instant_compare(Vm& vm, lua_State* lua) {
  const InstantValue *first = value_at<InstantValue>(lua, 1),
                     *second = value_at<InstantValue>(lua, 2);
  if (first == nullptr || second == nullptr)
    return refuse(vm, lua,
                  "compares an instant with something else; use millis(instant) for a number");
  const auto ms = difference(vm, lua, *first, *second);
  if (!ms) return refused(lua);
  lua_pushboolean(lua, Compare(*ms));
  return 1;
}
bool is_negative(std::int64_t ms) { return ms < 0; }
bool is_not_positive(std::int64_t ms) { return ms <= 0; }
bool is_zero(std::int64_t ms) { return ms == 0; }

/// Equality with something that is no instant is false, as everywhere in Lua.
int instant_equal(Vm& vm, lua_State* lua) {
  if (value_at<InstantValue>(lua, 1) != nullptr && value_at<InstantValue>(lua, 2) != nullptr)
    return instant_compare<is_zero>(vm, lua);
  lua_pushboolean(lua, 0);
  return 1;
}

const char* const kMillis = "millis";
int millis(Vm& vm, Run& run, lua_State* lua) {
  const InstantValue* instant = value_at<InstantValue>(lua, 1);
  if (instant == nullptr)
    return refuse(vm, lua,
                  fmt::format("millis: expected an instant of now(), found {}", text_of(lua, 1)));
  if (!instant->wall)
    return refuse(vm, lua, "millis: a monotonic clock has no Unix time; use now()");
  Query query;
  query.kind = Query::Kind::absolute;
  query.first = instant->id;
  const std::string* answer = run.answer(query);
  if (answer == nullptr) return refused(lua);
  lua_pushinteger(lua, number_of(*answer) + instant->offset_ms);
  return 1;
}

// ---- chance
// --------------------------------------------------------------------------------------------------

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

// ---- tasks
// ---------------------------------------------------------------------------------------------------

int spawn_task(Vm& vm, Run& run, lua_State* lua, Task::Body body, int function) {
  Task* task = run.spawn(body);
  if (task == nullptr)
    return refuse(vm, lua, "too many tasks in one process: they are started faster than they end");
  task->function = run.keep(lua, function);
  push_value(lua, HandleValue{task->serial});
  if (body == Task::Body::call) {
    for (int index = function + 1; index < lua_gettop(lua); ++index)
      task->arguments.push_back(run.keep(lua, index));
  }
  return 1;
}

const char* const kSpawn = "spawn";
int spawn(Vm& vm, Run& run, lua_State* lua) {
  if (!lua_isfunction(lua, 1))
    return refuse(vm, lua, fmt::format("spawn: expected a function, found {}", text_of(lua, 1)));
  return spawn_task(vm, run, lua, Task::Body::call, 1);
}

const char* const kEvery = "every";
int every(Vm& vm, Run& run, lua_State* lua) {
  const auto ms = whole_number(lua, 1);
  if (!ms || *ms < 1)
    return refuse(
        vm, lua,
        fmt::format("every: expected whole milliseconds of at least 1, found {} (use // to divide)",
                    text_of(lua, 1)));
  if (!lua_isfunction(lua, 2))
    return refuse(vm, lua, fmt::format("every: expected a function, found {}", text_of(lua, 2)));
  lua_settop(lua, 2);
  const int results = spawn_task(vm, run, lua, Task::Body::every, 2);
  if (results != 1) return results;
  Task* task = run.task_of(value_at<HandleValue>(lua, -1)->serial);
  task->every_ms = *ms;
  task->wait = Wait::Kind::sleep;
  task->wait_ms = *ms;
  return 1;
}

const char* const kStop = "stop";
int stop(Vm& vm, Run& run, lua_State* lua) {
  const HandleValue* handle = value_at<HandleValue>(lua, 1);
  if (handle == nullptr)
    return refuse(vm, lua, fmt::format("stop: expected a task handle, found {}", text_of(lua, 1)));
  run.stop(handle->serial);
  return run.current().stopped ? kWait : 0;
}

const char* const kAlive = "alive";
int alive(Vm& vm, Run& run, lua_State* lua) {
  const HandleValue* handle = value_at<HandleValue>(lua, 1);
  if (handle == nullptr)
    return refuse(vm, lua, fmt::format("alive: expected a task handle, found {}", text_of(lua, 1)));
  lua_pushboolean(lua, run.task_of(handle->serial) != nullptr);
  return 1;
}

const char* const kTaskId = "task_id";
int task_id(Vm&, Run& run, lua_State* lua) {
  lua_pushinteger(lua, run.current().id);
  return 1;
}

const char* const kTaskLocal = "task_local";
int task_local(Vm&, Run& run, lua_State* lua) {
  Task& task = run.current();
  if (task.locals == 0) {
    lua_newtable(lua);
    task.locals = run.keep(lua, -1);
    lua_pop(lua, 1);
  }
  run.push(lua, task.locals);
  return 1;
}

/// retry() itself is Lua (below), so that its caller's frame is really gone after `return
/// retry(f)`.
int retry_begins(Vm& vm, lua_State* lua) {
  if (running(vm, lua, "retry") == nullptr) return refused(lua);
  if (!lua_isfunction(lua, 1))
    return refuse(vm, lua, fmt::format("retry: expected a function, found {}", text_of(lua, 1)));
  vm.run->current().iteration_waited = false;
  return 0;
}
int retry_ends(Vm& vm, lua_State* lua) {
  if (vm.run->end_iteration(lua)) return kWait;
  return vm.stopped() ? refused(lua) : 0;
}

constexpr const char* kRetry = R"(
local begins, ends = ...
return function(f)
  while true do
    begins(f)
    local result, second = f()
    if result then return result, second end
    ends(f)
  end
end)";

void add_retry(lua_State* lua) {
  LOCKSTEP_CHECK(luaL_loadbuffer(lua, kRetry, std::char_traits<char>::length(kRetry), "=retry") ==
                 LUA_OK);
  lua_pushcfunction(lua, native<retry_begins>);
  lua_pushcfunction(lua, native<retry_ends>);
  lua_call(lua, 2, 1);
  lua_setfield(lua, -2, "retry");
}

// ---- mutexes
// -------------------------------------------------------------------------------------------------

const char* const kMutex = "mutex";
int new_mutex(Vm&, Run& run, lua_State* lua) {
  push_value(lua, MutexValue{run.new_mutex()});
  return 1;
}

Mutex* mutex_at(Vm& vm, lua_State* lua, const char* method) {
  if (const MutexValue* value = value_at<MutexValue>(lua, 1)) return &vm.run->mutex(value->index);
  vm.complain(lua, fmt::format("{0} is a mutex's method; expected m:{0}()", method));
  return nullptr;
}

int mutex_lock(Vm& vm, lua_State* lua) {
  Mutex* mutex = mutex_at(vm, lua, "lock");
  if (mutex == nullptr) return refused(lua);
  const int serial = vm.run->current().serial;
  if (mutex->owner == 0 || mutex->owner == serial + 1) {
    mutex->owner = serial + 1;
    ++mutex->depth;
    return 0;
  }
  mutex->waiters.push_back(serial);
  vm.run->wait(Wait::Kind::blocked, 0);
  return kWait;
}

int mutex_unlock(Vm& vm, lua_State* lua) {
  Mutex* mutex = mutex_at(vm, lua, "unlock");
  if (mutex == nullptr) return refused(lua);
  if (mutex->owner != vm.run->current().serial + 1)
    return raise_text(lua, "unlocks a mutex that this task has not locked");
  if (--mutex->depth > 0) return 0;
  mutex->owner = 0;
  if (mutex->waiters.empty()) return 0;
  const int next = mutex->waiters.front();
  mutex->waiters.erase(mutex->waiters.begin());
  mutex->owner = next + 1;
  mutex->depth = 1;
  vm.run->wake(next);
  return 0;
}

// ---- the rest
// ------------------------------------------------------------------------------------------------

const char* const kLost = "lost";
int lost(Vm& vm, Run& run, lua_State* lua) {
  if (lua_isnoneornil(lua, 1) && run.objects.size() == 1) {
    run.tell_lost(0);
    return 0;
  }
  const auto lock = run.lock_at(lua, 1);
  if (!lock)
    return refuse(vm, lua, "lost: expected the protocol object whose lock is lost: lost(self)");
  run.tell_lost(*lock);
  return 0;
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

// ---- names
// ---------------------------------------------------------------------------------------------------

/// Registers a userdata type. Its metatable stays on the stack.
template <typename Value>
void add_type(lua_State* lua) {
  luaL_newmetatable(lua, kTypeName<Value>);
}

void set_function(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

void add_types(lua_State* lua) {
  add_type<InstantValue>(lua);
  set_function(lua, "__add", native<instant_add>);
  set_function(lua, "__sub", native<instant_subtract>);
  set_function(lua, "__lt", native<instant_compare<is_negative>>);
  set_function(lua, "__le", native<instant_compare<is_not_positive>>);
  set_function(lua, "__eq", native<instant_equal>);
  add_type<ScriptValue>(lua);
  set_function(lua, "__call", native<in_run<call_script, kScript>, script_outcome>);
  set_function(lua, "__index", native<script_field>);
  add_type<MutexValue>(lua);
  lua_newtable(lua);
  set_function(lua, "lock", native<mutex_lock, nothing>);
  set_function(lua, "unlock", native<mutex_unlock>);
  lua_setfield(lua, -2, "__index");
  add_type<HandleValue>(lua);
  luaL_newmetatable(lua, kErrorName);
  lua_pop(lua, 5);
}

}  // namespace

void add_api(Vm& vm) {
  lua_State* lua = vm.state();
  add_types(lua);
  push_string(lua, "OK");
  lua_setfield(lua, -2, "OK");
  set_function(lua, "protocol", native<declare_protocol>);
  set_function(lua, "script", native<load_script>);
  set_function(lua, kRedis, native<in_run<redis, kRedis>, one_outcome>);
  set_function(lua, kCall, native<in_run<call, kCall>, one_outcome>);
  set_function(lua, kCallAll, native<in_run<call_all, kCallAll>, all_outcomes>);
  set_function(lua, kSleep, native<in_run<sleep, kSleep>, nothing>);
  set_function(lua, kNow, native<in_run<now, kNow>>);
  set_function(lua, kMonotonic, native<in_run<monotonic, kMonotonic>>);
  set_function(lua, kMillis, native<in_run<millis, kMillis>>);
  set_function(lua, kUnique, native<in_run<unique, kUnique>>);
  set_function(lua, kChoose, native<in_run<choose, kChoose>>);
  set_function(lua, kSpawn, native<in_run<spawn, kSpawn>>);
  set_function(lua, kEvery, native<in_run<every, kEvery>>);
  set_function(lua, kStop, native<in_run<stop, kStop>, nothing>);
  set_function(lua, kAlive, native<in_run<alive, kAlive>>);
  set_function(lua, kTaskId, native<in_run<task_id, kTaskId>>);
  set_function(lua, kTaskLocal, native<in_run<task_local, kTaskLocal>>);
  set_function(lua, kMutex, native<in_run<new_mutex, kMutex>>);
  set_function(lua, kLost, native<in_run<lost, kLost>>);
  set_function(lua, kLog, native<in_run<log, kLog>>);
  add_retry(lua);
}

int instance_index(Vm& vm, lua_State* lua) {
  if (lua_type(lua, 2) != LUA_TSTRING || string_at(lua, 2) != "ttl_s") {
    lua_settop(lua, 2);
    lua_rawget(lua, lua_upvalueindex(1));
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
