// What the C functions of the script VM share: arguments read as Lua 5.1 reads them, errors worded
// as 5.1 words them, and refusals, which no pcall of a script can catch. Lua raises errors by
// longjmp: nothing here keeps a C++ object on the C stack while Lua may raise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/dialect/json_settings.hpp"
#include "sim/dialect/translate.hpp"

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

namespace lockstep::sim::dialect {

/// A key of a table while its keys are put in order.
struct OrderedKey {
  enum class Type : std::uint8_t { number, text, boolean } type = Type::number;
  double number = 0;
  std::string text;
};

/// One per VM; scratch space that outlives longjmps, and the state of the running script.
struct Runtime {
  std::optional<std::string> refusal;        ///< why the script cannot be run; ends it as BadInput
  const std::vector<Site>* sites = nullptr;  ///< of the running script
  const std::vector<Line>* lines = nullptr;  ///< of its translation
  std::uint64_t* random = nullptr;           ///< state of math.random
  JsonSettings* json = nullptr;              ///< of cjson
  bool reversed = false;                     ///< iterate what has no order the other way round
  bool saw_order = false;                    ///< the script iterated over keys that have no order
  std::vector<OrderedKey> keys;
  OrderedKey probe;
  std::string text;
};

Runtime& runtime(lua_State* L);

/// Ends the script: it cannot be run faithfully, for `reason`. Never returns.
[[noreturn]] void refuse(lua_State* L, const char* reason);

inline constexpr const char* kReadonly = "Attempt to modify a readonly table";

// Errors of 5.1, with the caller's place in front. None returns. Formats may hold %s, %d, %c and
// %%.
[[noreturn]] void raise(lua_State* L, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/// As the VM's own errors inside a C function: no place.
[[noreturn]] void raise_without_place(lua_State* L, const char* message);
[[noreturn]] void argument_error(lua_State* L, int argument, const char* message);
[[noreturn]] void type_error(lua_State* L, int argument, const char* expected);

// Arguments as luaL_check* of 5.1 read them.
void check_any(lua_State* L, int argument);
void check_table(lua_State* L, int argument);
double check_number(lua_State* L, int argument);
/// A number cut off to a whole one; out of range it is the smallest 64-bit number (x86 cvttsd2si).
std::int64_t check_integer(lua_State* L, int argument);
std::int64_t optional_integer(lua_State* L, int argument, std::int64_t otherwise);
/// A string, or a number that becomes one in place ("%.14g").
const char* check_text(lua_State* L, int argument, std::size_t* length);

/// A number, or a string that reads as one.
bool to_number(lua_State* L, int index, double& value);
std::int64_t truncate(double value);
/// A double cast to unsigned long as x86-64 does it.
std::uint64_t to_unsigned(double value);
/// How many values a C function of 5.1 may have on its stack (LUAI_MAXCSTACK): what recurses there
/// ends at a depth that follows from it.
inline constexpr int kMaxSlots51 = 8000;

/// Pushes the number as tostring() shows it.
void push_shown(lua_State* L, double value);

// Tables that a script can read and not change (the globals, the libraries) are empty proxies
// before the real ones.
/// Replaces the table on top of the stack by a proxy.
void protect(lua_State* L);
/// Whether the value at `index` is a proxy; pushes the real table if it is.
bool push_real(lua_State* L, int index);

/// The chunk's name in 5.4, which marks places in the translated text, and the name that scripts
/// and Redis see.
inline constexpr const char* kInnerChunk = "\1";
inline constexpr const char* kShownChunk = "user_script";

/// What the line `number` of the running script's translation stands for.
Line line_of(const Runtime& rt, int number);
/// The script's line for the line `number` of its translation.
int shown_line(const Runtime& rt, int number);
/// Pushes "user_script:LINE: " for the function at `level`, or "" if it has no line.
void push_place(lua_State* L, int level);

/// An error message of 5.4's VM in the words of 5.1, with the script's own line; anything else as
/// it is.
std::string in_words_of_51(const Runtime& rt, std::string_view message);

/// Whether an error is 5.4's own about a full stack. That of 5.1's libraries has a reason behind
/// it.
bool is_own_overflow(std::string_view message);

// Libraries; each leaves its table (or the globals') on the stack.
void open_base(lua_State* L);  ///< sets its functions in the table on top
void open_math(lua_State* L);
void open_table(lua_State* L);
void open_string(lua_State* L);
void open_bit(lua_State* L);
void open_struct(lua_State* L);
void open_cmsgpack(lua_State* L);
void open_cjson(lua_State* L);
/// The helpers of kHelpers, pushed in order; and the string metatable.
void push_helpers(lua_State* L);
void open_string_metatable(lua_State* L);  ///< the string library is on top of the stack

/// A function of a library; null: Redis has it, and a script that mentions it is refused.
struct Function51 {
  const char* name;
  lua_CFunction function;
};
/// Sets functions in the table on top of the stack. Reading what is not there gives nil, or the
/// error `missing` (a format for the name).
void set_functions(lua_State* L, const Function51* functions, std::size_t count,
                   const char* missing = nullptr);

}  // namespace lockstep::sim::dialect
