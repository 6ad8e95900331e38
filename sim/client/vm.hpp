// The Lua state that client programs run in, with its limits, and the way in which our C++
// functions are called from it. "Guest" is the protocol's own code; the limits bind only the guest,
// so that our functions can never fail for memory.
#pragma once

#include <cstdint>
#include <lua.hpp>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "sim/client/program.hpp"

namespace lockstep::sim::program {

class Module;
class Run;
class Stated;

class Vm {
 public:
  /// `file` is what will be loaded, as messages name it.
  Vm(std::string file, ProgramLimits limits);
  ~Vm();
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  /// The main state. Only host code works on its stack once the protocol is loaded.
  lua_State* state() const { return state_; }
  static Vm& of(lua_State* lua) { return **static_cast<Vm**>(lua_getextraspace(lua)); }
  /// The file's name, as the chunk name under which it is to be loaded ("=protocol.lua"): what the
  /// error texts of its code begin with.
  const char* chunk() const { return chunk_.c_str(); }

  /// lua_pcall and lua_resume as guest code. Afterwards look at stopped() first. Throw
  /// std::bad_alloc.
  int call(int arguments, int results);
  int resume(lua_State* thread, int arguments, int* results);
  void reset_instructions() { instructions_ = 0; }

  /// Records that the protocol does something wrong, at the guest's current line of `at`; the guest
  /// must be ended by an error at once. The first complaint stays.
  void complain(lua_State* at, std::string_view text);
  /// The same at a given line (0: the file as a whole).
  void complain_at(int line, std::string_view text);
  /// The guest has met an error of Lua's about memory: it has reached its limit, or the process has
  /// no more; it must be ended by an error at once.
  void end_for_memory(lua_State* at);
  /// Records that the process has no more memory: std::bad_alloc follows when the guest has ended,
  /// for it may not pass through Lua, which is C.
  void starve() { starved_ = true; }
  /// Records that the guest waits for the answer to a query.
  void ask(const Query& query) { query_ = query; }
  bool stopped() const { return complaint_.has_value() || query_.has_value() || starved_; }
  const std::optional<Query>& query() const { return query_; }
  /// Forgets the query; throws the complaint, if there is one, as BadInput.
  void settle();
  /// Forgets both, after a run that was only tried.
  void forget_complaint() {
    complaint_.reset();
    query_.reset();
  }

  /// Line of the file at which `at` stands: of its innermost function there, or 0.
  static int line(lua_State* at);
  /// Whether each line that runs is noted from now on: of a call that is the last thing that a
  /// function does (`return redis(...)`) line() is 0.
  void note_lines(bool on);
  int noted_line() const { return noted_line_; }  ///< 0 where none is noted
  /// "folder/protocol.lua:12: text"; without the number for line 0.
  std::string message(int line, std::string_view text) const;
  /// The same of an error text of Lua's, which may begin with the chunk's name and a line.
  std::string placed(const std::string& error) const;

  /// What a function of ours or of Lua's does takes as long as so many instructions. False if they
  /// are too many: it complains, and the guest has to end.
  bool spend(lua_State* at, std::int64_t instructions);
  const ProgramLimits& limits() const { return limits_; }

  Module* module = nullptr;         ///< the protocol that is loaded, if it is one
  Stated* stated = nullptr;         ///< the invariants that the file states
  std::string* compared = nullptr;  ///< not null: what an invariant compares is added to it
  Run* run = nullptr;  ///< the process that runs now; null while the file is being loaded

  /// While one exists, host code is running and the limits are off.
  class Host {
   public:
    explicit Host(Vm& vm) : vm_(vm), before_(vm.guest_) { vm_.guest_ = false; }
    ~Host() { vm_.guest_ = before_; }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

   private:
    Vm& vm_;
    bool before_;
  };

 private:
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  static void at_hook(lua_State* lua, lua_Debug* frame);
  static void count(lua_State* lua);
  int ended(int status, lua_State* at);

  std::string file_, chunk_;
  ProgramLimits limits_;
  std::int64_t bytes_ = 0;
  std::int64_t instructions_ = 0;
  int noted_line_ = 0;
  bool guest_ = false;
  bool denied_ = false;   ///< the process had no memory for the Lua state
  bool starved_ = false;  ///< it has none
  std::optional<std::string> complaint_;
  std::optional<Query> query_;
  lua_State* state_ = nullptr;
};

/// A function that the guest can call. Returns the number of results on the stack, or one of the
/// two below. Lua is C: its errors skip destructors, so a Native never raises; it returns kRaise
/// and the wrapper raises when it has returned.
using Native = int (*)(Vm&, lua_State*);
inline constexpr int kRaise = -1;  ///< raise the value on top of the stack
inline constexpr int kWait =
    -2;  ///< suspend the task; the second Native goes on when it is resumed

/// Runs code of ours, which is as a Native, where Lua has called it.
template <class Code>
int as_host(lua_State* lua, Code code) {
  Vm& vm = Vm::of(lua);
  const Vm::Host host(vm);
  try {
    return code(vm);
  } catch (const std::bad_alloc&) {
    vm.starve();
  }
  lua_pushnil(lua);
  return kRaise;
}

template <Native Resumed>
int native_resumed(lua_State* lua, int, lua_KContext);

inline int native_result(lua_State* lua, int result, lua_KFunction resumed) {
  if (result >= 0) return result;
  if (result == kWait && lua_isyieldable(lua)) return lua_yieldk(lua, 0, 0, resumed);
  if (result != kWait) return kRaise;
  return as_host(lua, [lua](Vm& vm) {
    vm.complain(lua,
                "waits inside a function that a library function calls (table.sort, string.gsub)");
    return kRaise;
  });
}

/// Wraps a Native as a lua_CFunction.
template <Native Function, Native Resumed = Function>
int native(lua_State* lua) {
  int result = as_host(lua, [lua](Vm& vm) { return Function(vm, lua); });
  result = native_result(lua, result, native_resumed<Resumed>);
  return result >= 0 ? result : lua_error(lua);
}

template <Native Resumed>
int native_resumed(lua_State* lua, int, lua_KContext) {
  int result = as_host(lua, [lua](Vm& vm) { return Resumed(vm, lua); });
  result = native_result(lua, result, native_resumed<Resumed>);
  return result >= 0 ? result : lua_error(lua);
}

/// Complains and asks for the guest's end: `return refuse(vm, lua, "...")`.
inline int refuse(Vm& vm, lua_State* lua, std::string_view text) {
  vm.complain(lua, text);
  lua_pushnil(lua);
  return kRaise;
}

/// Raises an ordinary Lua error, which the guest can catch, with the guest's place before `text`.
int raise_text(lua_State* lua, std::string_view text);

/// The string at `index`, which must be one.
std::string_view string_at(lua_State* lua, int index);
void push_string(lua_State* lua, std::string_view text);

/// Keeps the value on top of the stack in the registry, under the address `key`, and pops it.
inline void store(lua_State* lua, const char* key) { lua_rawsetp(lua, LUA_REGISTRYINDEX, key); }
/// Pushes it.
inline void fetch(lua_State* lua, const char* key) { lua_rawgetp(lua, LUA_REGISTRYINDEX, key); }

}  // namespace lockstep::sim::program
