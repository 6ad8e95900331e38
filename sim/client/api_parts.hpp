// What the files of the client API share. Each adds its names to the table on top of the stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/client/run.hpp"
#include "sim/client/values.hpp"
#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

void add_requests(lua_State* lua);   ///< redis, call, call_all, script, protocol
void add_clocks(lua_State* lua);     ///< sleep, now, monotonic, millis
void add_tasks(lua_State* lua);      ///< spawn, every, retry, stop, ..., mutex, semaphore, lost
void add_listening(lua_State* lua);  ///< listen

/// The run, or null (and a complaint) if the protocol is only being loaded.
Run* running(Vm& vm, lua_State* lua, const char* what);

// Of a table of options at stack index `table`; each complains and is false where one is bad
// (requests.cpp).
bool check_fields(Vm& vm, lua_State* lua, int table, const char* what,
                  const std::vector<std::string>& known);
bool read_field(Vm& vm, lua_State* lua, int table, const char* field, std::int64_t least,
                std::int64_t& value);
/// Whether there is such a node, from 1.
bool check_node(Vm& vm, lua_State* lua, std::int64_t node);
/// A new task that runs the function at that stack index; null, with a complaint, if there are too
/// many (tasks.cpp).
Task* spawn_task(Vm& vm, Run& run, lua_State* lua, Task::Body body, int function);
/// Whether the value at that stack index is the function sleep (clocks.cpp).
bool is_sleep(lua_State* lua, int index);
/// Pushes what came of a call: its reply (1), or an error that is raised (kRaise).
int raised_or_reply(lua_State* lua, const Call& call);

/// The guest must end, for a complaint or a query that has been recorded.
inline int refused(lua_State* lua) {
  lua_pushnil(lua);
  return kRaise;
}

/// Wraps a function of the API that needs a run.
template <int (*Function)(Vm&, Run&, lua_State*), const char* const& Name>
int in_run(Vm& vm, lua_State* lua) {
  Run* run = running(vm, lua, Name);
  return run == nullptr ? refused(lua) : Function(vm, *run, lua);
}

/// Ends a function, of which the result is on top of the stack, and the step with it if that is cut
/// here.
inline int done_or_cut(Run& run, lua_State* lua, Cut place) {
  if (!lua_isyieldable(lua) || !run.cut_here(place)) return 1;
  run.wait(run.cut_wait(), 0);
  return kWait;
}

/// What such a function returns when it is resumed.
inline int result_before_cut(Vm&, lua_State*) { return 1; }

/// What a function without results does when it is resumed.
inline int nothing(Vm&, lua_State*) { return 0; }

/// The whole number that answers a query.
std::int64_t number_of(const std::string& answer);

inline void set_function(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

/// Registers a userdata type. Its metatable is pushed.
template <typename Value>
void add_type(lua_State* lua) {
  luaL_newmetatable(lua, kTypeName<Value>);
}

}  // namespace lockstep::sim::program
