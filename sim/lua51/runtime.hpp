// What the C functions of the script VM share: arguments read as Lua 5.1 reads them, errors worded
// as 5.1 words them, and refusals, which no pcall of a script can catch. Lua raises errors by
// longjmp: nothing here keeps a C++ object on the C stack while Lua may raise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/compared.hpp"
#include "sim/lua51/translate.hpp"

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

/// A text that the running script has compiled.
struct LoadedChunk {
  std::size_t lines_before;  ///< of translated text: the script's and that of earlier chunks
  std::string shown;         ///< its name in messages
  std::string source;        ///< its name, as the script gave it
};

/// One per VM; scratch space that outlives longjmps, and the state of the running script.
struct Runtime {
  std::optional<std::string> refusal;  ///< why the script cannot be run; ends it as BadInput
  bool starved = false;                ///< of the refusal: the process has no more memory
  bool denied = false;                 ///< the process had no memory for the Lua state
  bool beyond_limit = false;           ///< of the refusal: one of lockstep's own limits is why
  const std::vector<Site>* sites = nullptr;  ///< of the running script
  const std::vector<Line>* lines = nullptr;  ///< of its translation
  const char* shown_chunk = "user_script";   ///< its name in errors
  std::uint64_t* random = nullptr;           ///< state of math.random
  std::int64_t coroutine_instructions = 0;   ///< that coroutines may still run
  std::int64_t elements = 0;                 ///< of tables that # may still look at
  bool reversed = false;  ///< iterate what has no order, and count addresses, the other way round
  unsigned order = 0;     ///< which order fields are met in: see collect_keys()
  /// Where the numbers that the script compares are put down, if not null.
  std::vector<Compared>* comparisons = nullptr;
  bool varies = false;  ///< the script saw an order or an address
  unsigned fields = 0;  ///< of the largest table of which it saw an order
  bool saw_address = false;
  bool ordered_tokens = false;  ///< it asked which of two texts with lock tokens comes first
  bool seeded = false;          ///< it has said where math.random begins
  bool left_open = false;       ///< it has drawn a number otherwise
  bool has_metatables = false;  ///< it has given a table one
  bool odd_key = false;         ///< it has begun an assignment to t[nil] or t[NaN]
  int addresses = LUA_NOREF;  ///< table of the objects whose address the script saw -> their number
  bool may_run_long = false;  ///< the limit on instructions is watched
  std::vector<LoadedChunk> loaded;  ///< by load and loadstring
  std::vector<Site> own_sites;      ///< the script's and theirs, if there are any
  std::vector<Line> own_lines;
  Translation loading;
  std::vector<OrderedKey> keys;
  OrderedKey probe;
  std::string text;
};

Runtime& runtime(lua_State* L);

/// Ends the script: it cannot be run faithfully, for `reason`. Never returns.
[[noreturn]] void refuse(lua_State* L, const char* reason);
/// The same for one that meets a limit of lockstep's own.
[[noreturn]] void refuse_beyond_limit(lua_State* L, const char* reason);
/// The same for one that has met an error of Lua's about memory: it has reached its limit, or the
/// process has no more.
[[noreturn]] void refuse_for_memory(lua_State* L);
/// Ends the script because the process has no more memory; std::bad_alloc follows.
[[noreturn]] void starve(lua_State* L);

/// A function that Lua can call: Lua is C, and std::bad_alloc may not pass through it.
template <lua_CFunction Function>
int guarded(lua_State* L) {
  try {
    return Function(L);
  } catch (const std::bad_alloc&) {  // what raises leaves nothing behind here
  }
  starve(L);
}

inline constexpr const char* kOddKey =
    "an assignment to t[nil] or t[NaN] where a table has a metatable";
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
/// The same as a C int, for the functions that take luaL_checkint of 5.1.
int check_int(lua_State* L, int argument);
int optional_int(lua_State* L, int argument, int otherwise);
/// A string, or a number that becomes one in place ("%.14g").
const char* check_text(lua_State* L, int argument, std::size_t* length);

/// Whether the C function may push `count` values: 5.1 gives it 8000 slots (LUAI_MAXCSTACK).
bool has_room(lua_State* L, std::int64_t count);

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
/// Pushes "table: 0x..." for the object at `index`: the same for the same object within a run.
void push_address(lua_State* L, int index);

/// # of the table at `index`, which asks no metatable. Refuses a table with holes: which of its
/// ends 5.1 finds depends on how the table came to be.
std::size_t length_of(lua_State* L, int index);

/// Calls the metamethod on top of the stack with two values; its result replaces it.
void call_metamethod(lua_State* L, int left, int right);

/// The operands of a helper, 1 and 2: a third argument marks that the right one was given first.
void order_operands(lua_State* L);

// Comparisons of 5.1 with its rules for metamethods; indexes of the stack.
bool equal(lua_State* L, int a, int b);
/// `place`: the error of two values that have no order says where the caller is.
bool less(lua_State* L, int a, int b, bool place);
bool less_or_equal(lua_State* L, int a, int b, bool place);

// Tables that a script can read and not change (the globals, the libraries) are empty proxies
// before the real ones.
/// Replaces the table on top of the stack by a proxy.
void protect(lua_State* L);
/// Whether the value at `index` is a proxy; pushes the real table if it is.
bool push_real(lua_State* L, int index);

/// The chunk's name in 5.4, which marks places in the translated text, and the name that scripts
/// and Redis see.
inline constexpr const char* kInnerChunk = "\1";
inline constexpr const char* kInnerSource = "@\1";
inline constexpr const char* kShownChunk = "user_script";
inline constexpr const char* kShownLibrary = "user_function";

/// The chunk that the line `number` of the translation belongs to; null: the script itself.
const LoadedChunk* loaded_chunk(const Runtime& rt, int number);
/// What the line `number` of the running script's translation stands for.
Line line_of(const Runtime& rt, int number);
/// The script's line for the line `number` of its translation.
int shown_line(const Runtime& rt, int number);
/// The script's line for an error of the VM at the line `number`: what its operator reads from a
/// table has the operator's own line.
int line_of_error(const Runtime& rt, int number, std::string_view message);
/// Pushes "user_script:LINE: " for the function at `level`, or "" if it has no line. Levels are
/// those of 5.1: helpers do not count, a function that was tail-called has a lost caller above it.
void push_place(lua_State* L, int level);
/// Whether the C function is one of those that a translated text calls.
bool is_helper(lua_CFunction function);
/// A variable's name as the script has it.
const char* original_name(const char* name);

/// An error message of 5.4's VM in the words of 5.1, with the script's own line; anything else as
/// it is.
std::string in_words_of_51(const Runtime& rt, std::string_view message);

/// Puts the error value on top of the stack, which ended a call with `status`, as a script's
/// handler sees it. Limits and refusals go on upwards.
void take_error(lua_State* L, int status);
/// Whether an error raised now would meet a pcall or xpcall of the script.
bool is_protected(lua_State* L);
/// Whether an error is 5.4's own about a full stack. That of 5.1's libraries has a reason behind
/// it.
bool is_own_overflow(std::string_view message);

// Libraries; each leaves its table (or the globals') on the stack.
void open_base(lua_State* L);  ///< sets its functions in the table on top
void open_load(lua_State* L);  ///< the same: load and loadstring
void open_math(lua_State* L);
void open_table(lua_State* L);
void open_string(lua_State* L);
void open_coroutine(lua_State* L);
/// The helpers of kHelpers, pushed in order; and the string metatable.
void push_helpers(lua_State* L);
void open_string_metatable(lua_State* L);  ///< the string library is on top of the stack
/// Shows whoever looks for them the number at `index`, if it is one, as one in which something is
/// sought (Compared::kUnknown).
void show_sought(lua_State* L, int index);
/// The same of every number in a text.
void show_sought_in(lua_State* L, std::string_view text);
/// A number that decides so, of what has been made of a text (a digest).
void show_sought_number(lua_State* L, double number);
/// The same of a text at `index`, in which the pattern behind it is sought.
void show_pattern_sought(lua_State* L, int index);
/// Shows that nobody can tell what is compared from now on.
void show_unknown(lua_State* L);
/// Pushes the helpers for comparisons, in the order of Helper.
void push_comparisons(lua_State* L);
bool is_comparison(lua_CFunction function);
/// "attempt to VERB local 'x' (a nil value)", for operand `number` of the caller's operation, whose
/// value is at `index`.
[[noreturn]] void operand_error(lua_State* L, const char* verb, std::size_t number, int index);

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
