// The kinds of values that the client API adds to Lua: userdata with a metatable each, and error
// objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// A clock reading. Two of the same id differ by their offsets only.
struct InstantValue {
  std::uint16_t id = 0;
  bool wall = false;
  std::int64_t offset_ms = 0;
};
/// A mutex: an index into the run's mutexes.
struct MutexValue {
  int index = 0;
};
/// A semaphore of the process: an index into the run's semaphores.
struct SemaphoreValue {
  int index = 0;
};
/// A task handle. Serial numbers, unlike task ids, are never used again within a run.
struct HandleValue {
  int serial = 0;
};
/// A script handle: an index into the module's scripts.
struct ScriptValue {
  int index = 0;
};

/// Metatable names; Lua's own error texts use them ("attempt to concatenate a instant value").
template <typename Value>
inline constexpr const char* kTypeName = nullptr;
template <>
inline constexpr const char* kTypeName<InstantValue> = "instant";
template <>
inline constexpr const char* kTypeName<MutexValue> = "mutex";
template <>
inline constexpr const char* kTypeName<SemaphoreValue> = "semaphore";
template <>
inline constexpr const char* kTypeName<HandleValue> = "task handle";
template <>
inline constexpr const char* kTypeName<ScriptValue> = "script";
inline constexpr const char* kErrorName = "error";
// Their kinds where a request gets no answer.
inline constexpr const char* kRedisError = "redis";
inline constexpr const char* kConnectionError = "connection";
inline constexpr const char* kTimeoutError = "timeout";
/// What they say.
inline constexpr const char* kConnectionText = "connection error";
inline constexpr const char* kTimeoutText = "request timed out";

/// GIVE_UP, with which the function of retry() says that there is no point in going on.
void push_give_up(lua_State* lua);
bool is_give_up(lua_State* lua, int index);

/// How deep tables and functions may nest: what walks through them has a stack.
inline constexpr int kDeepest = 100;

/// The value at `index`, or null if that is something else.
template <typename Value>
Value* value_at(lua_State* lua, int index) {
  return static_cast<Value*>(luaL_testudata(lua, index, kTypeName<Value>));
}

template <typename Value>
void push_value(lua_State* lua, Value value) {
  *static_cast<Value*>(lua_newuserdatauv(lua, sizeof(Value), 0)) = value;
  luaL_setmetatable(lua, kTypeName<Value>);
}

/// Whether the value at `index` is an error object: a table with fields kind, message and perhaps
/// code.
bool is_error_object(lua_State* lua, int index);
/// Whether it is the error of a request that got no answer, or has it, or its text, in it.
bool tells_of_no_answer(lua_State* lua, int index);
/// Whether it is the error that Redis has answered.
bool is_answered_error(lua_State* lua, int index);
void push_error_object(lua_State* lua, std::string_view kind, std::string_view message,
                       std::string_view code);

/// The value at `index` as text: strings and numbers as Lua has them, everything else without an
/// address.
std::string text_of(lua_State* lua, int index);

/// A whole number (also a float with a whole value, or nothing).
std::optional<std::int64_t> whole_number(lua_State* lua, int index);
/// How long a wait takes at most, in ms: none for nil. False: it is neither that nor a time.
bool is_longest_wait(lua_State* lua, int index, std::optional<std::int64_t>& most_ms);
/// What is said of a second result that is none.
std::string longest_wait_expected(lua_State* lua, int index);

/// A key of a table that has a place in a fixed order: a number or a string.
struct Key {
  enum class Kind : std::uint8_t { whole, broken, text };
  Kind kind = Kind::whole;
  lua_Integer whole = 0;
  lua_Number broken = 0;
  std::string_view text;  ///< alive as long as the table has the key
};
/// The keys of the table at `index`, numbers ascending, then strings by their bytes. `all` becomes
/// false if there are others.
std::vector<Key> sorted_keys(lua_State* lua, int index, bool* all);
void push_key(lua_State* lua, const Key& key);

}  // namespace lockstep::sim::program
