// What the C functions of the script VM share.
#include "sim/lua51/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace lockstep::sim::dialect {

namespace {

const char kRealTable = 0;  // its address is the key of the real table in a proxy's metatable

int raise_readonly(lua_State* L) { raise(L, "%s", kReadonly); }

/// __index of a real table: upvalue 1 is the set of names that are refused, upvalue 2 the error for
/// all others, if any.
int missing_field(lua_State* L) {
  lua_settop(L, 2);
  const char* name = lua_type(L, 2) == LUA_TSTRING ? original_name(lua_tostring(L, 2)) : "?";
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
    lua_pushfstring(L, "%s, which is not simulated yet,", name);
    refuse(L, lua_tostring(L, -1));
  }
  if (lua_isstring(L, lua_upvalueindex(2))) raise(L, lua_tostring(L, lua_upvalueindex(2)), name);
  return 1;
}

}  // namespace

Runtime& runtime(lua_State* L) { return **static_cast<Runtime**>(lua_getextraspace(L)); }

namespace {

[[noreturn]] void raise_refusal(lua_State* L) {
  lua_pushliteral(L, "refused");
  lua_error(L);
  __builtin_unreachable();
}

}  // namespace

void refuse(lua_State* L, const char* reason) {
  try {
    runtime(L).refusal = reason;
  } catch (const std::bad_alloc&) {
    runtime(L).starved = true;
  }
  if (runtime(L).starved) starve(L);
  raise_refusal(L);
}

void starve(lua_State* L) {
  runtime(L).starved = true;
  runtime(L).refusal = "no memory";  // which a string holds without any
  raise_refusal(L);
}

void refuse_for_memory(lua_State* L) {
  if (runtime(L).denied) starve(L);
  refuse_beyond_limit(L, "it needs more memory than its limit");
}

void refuse_beyond_limit(lua_State* L, const char* reason) {
  runtime(L).beyond_limit = true;
  refuse(L, reason);
}

void raise(lua_State* L, const char* format, ...) {
  push_place(L, 1);
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_concat(L, 2);
  lua_error(L);
  __builtin_unreachable();
}

void raise_without_place(lua_State* L, const char* message) {
  lua_pushstring(L, message);
  lua_error(L);
  __builtin_unreachable();
}

void argument_error(lua_State* L, int argument, const char* message) {
  lua_Debug info;
  if (!lua_getstack(L, 0, &info)) raise(L, "bad argument #%d (%s)", argument, message);
  lua_getinfo(L, "n", &info);
  const std::string_view kind = info.name ? info.namewhat : "";
  const char* name = info.name && kind != "metamethod" ? original_name(info.name) : "?";
  if (kind == "for iterator") name = "(for generator)";
  if (kind == "method" && --argument == 0) {
    raise(L, "calling '%s' on bad self (%s)", name, message);
  }
  raise(L, "bad argument #%d to '%s' (%s)", argument, name, message);
}

void type_error(lua_State* L, int argument, const char* expected) {
  char message[128];
  std::snprintf(message, sizeof message, "%s expected, got %s", expected,
                luaL_typename(L, argument));
  argument_error(L, argument, message);
}

void check_any(lua_State* L, int argument) {
  if (lua_isnone(L, argument)) argument_error(L, argument, "value expected");
}

void check_table(lua_State* L, int argument) {
  if (!lua_istable(L, argument)) type_error(L, argument, "table");
}

double check_number(lua_State* L, int argument) {
  double value = 0;
  if (!to_number(L, argument, value)) type_error(L, argument, "number");
  return value;
}

std::int64_t truncate(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

std::int64_t check_integer(lua_State* L, int argument) {
  return truncate(check_number(L, argument));
}

std::int64_t optional_integer(lua_State* L, int argument, std::int64_t otherwise) {
  return lua_isnoneornil(L, argument) ? otherwise : check_integer(L, argument);
}

int check_int(lua_State* L, int argument) { return static_cast<int>(check_integer(L, argument)); }

int optional_int(lua_State* L, int argument, int otherwise) {
  return lua_isnoneornil(L, argument) ? otherwise : check_int(L, argument);
}

const char* check_text(lua_State* L, int argument, std::size_t* length) {
  const int type = lua_type(L, argument);
  if (type == LUA_TNUMBER) {
    push_shown(L, lua_tonumber(L, argument));
    lua_replace(L, argument);
  } else if (type != LUA_TSTRING) {
    type_error(L, argument, "string");
  }
  return lua_tolstring(L, argument, length);
}

bool has_room(lua_State* L, std::int64_t count) {
  constexpr std::int64_t kSlots = 8000;
  return count + lua_gettop(L) <= kSlots && lua_checkstack(L, static_cast<int>(count)) != 0;
}

bool to_number(lua_State* L, int index, double& value) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      value = lua_tonumber(L, index);
      return true;
    case LUA_TSTRING:
      return read_number(lua_tostring(L, index), value);
    default:
      return false;
  }
}

std::uint64_t to_unsigned(double value) {
  constexpr double kHalf = 9223372036854775808.0;
  if (!(value >= kHalf)) return static_cast<std::uint64_t>(truncate(value));
  return static_cast<std::uint64_t>(truncate(value - kHalf)) ^ (std::uint64_t{1} << 63);
}

void call_metamethod(lua_State* L, int left, int right) {
  if (!lua_isfunction(L, -1)) {
    if (luaL_getmetafield(L, -1, "__call") == LUA_TNIL) {
      raise(L, "attempt to call a %s value", luaL_typename(L, -1));  // by the script, not by us
    }
    lua_pop(L, 1);
  }
  lua_pushvalue(L, left);
  lua_pushvalue(L, right);
  lua_call(L, 2, 1);
}

void push_address(lua_State* L, int index) {
  constexpr std::uint64_t kMiddle = 0x7f00'0000'0000;
  Runtime& rt = runtime(L);
  index = lua_absindex(L, index);
  rt.varies = rt.saw_address = true;
  if (rt.addresses == LUA_NOREF) {
    lua_newtable(L);
    rt.addresses = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, rt.addresses);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    const auto number = static_cast<lua_Integer>(lua_rawlen(L, -1)) + 1;
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, number);
    lua_pushvalue(L, index);
    lua_pushinteger(L, number);
    lua_rawset(L, -3);
    lua_pushinteger(L, number);
  }
  const auto number = static_cast<std::uint64_t>(lua_tointeger(L, -1)) * 0x40;
  lua_pop(L, 2);
  lua_pushfstring(L, "%s: %p", luaL_typename(L, index),
                  reinterpret_cast<void*>(rt.reversed ? kMiddle - number : kMiddle + number));
}

void push_shown(lua_State* L, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.14g", value);
  lua_pushstring(L, text);
}

std::size_t length_of(lua_State* L, int index) {
  index = lua_absindex(L, index);
  std::int64_t& left = runtime(L).elements;
  lua_Integer count = 0;
  lua_Integer last = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (--left < 0)
      refuse_beyond_limit(L, "it asks for the length of large tables more often than its limit");
    const lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (key < 1) continue;
    ++count;
    last = std::max(last, key);
  }
  if (count != last) refuse(L, "the length of a table with holes");
  return static_cast<std::size_t>(count);
}

void protect(lua_State* L) {
  lua_newtable(L);  // real, proxy
  lua_newtable(L);  // real, proxy, metatable
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, raise_readonly);
  lua_setfield(L, -2, "__newindex");
  lua_pushvalue(L, -3);
  lua_rawsetp(L, -2, &kRealTable);
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

bool push_real(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  const bool proxy = lua_rawgetp(L, -1, &kRealTable) == LUA_TTABLE;
  if (proxy) {
    lua_remove(L, -2);
  } else {
    lua_pop(L, 2);
  }
  return proxy;
}

void set_functions(lua_State* L, const Function51* functions, std::size_t count,
                   const char* missing) {
  lua_newtable(L);  // metatable
  lua_newtable(L);  // names refused
  for (std::size_t i = 0; i < count; ++i) {
    if (functions[i].function) {
      lua_pushcfunction(L, functions[i].function);
      lua_setfield(L, -4, functions[i].name);
    } else {
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, functions[i].name);
    }
  }
  lua_pushstring(L, missing);
  lua_pushcclosure(L, missing_field, 2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

// ---- messages -----------------------------------------------------------------------------------

namespace {

/// The variable kinds that both versions name; 5.1 has no name for the others.
bool named_in_51(std::string_view variable) {
  constexpr std::array<std::string_view, 5> kKinds{"local ", "upvalue ", "global ", "field ",
                                                   "method "};
  return std::ranges::any_of(kKinds,
                             [&](std::string_view kind) { return variable.starts_with(kind); });
}

/// 5.4: "attempt to index a nil value (local 'x')"; 5.1: "attempt to index local 'x' (a nil
/// value)".
std::string reworded(std::string text) {
  if (const auto renamed = text.find("'" + std::string(kRenamed)); renamed != text.npos) {
    text.erase(renamed + 1, kRenamed.size());
  }
  if (text == ": '__index' chain too long; possible loop") return ": loop in gettable";
  if (text == ": '__newindex' chain too long; possible loop") return ": loop in settable";
  const auto verb = text.find("attempt to ");
  const auto open = text.rfind(" value (");
  if (verb == text.npos || open == text.npos || text.back() != ')' || open < verb) return text;
  const auto article = text.rfind(" a ", open);
  if (article == text.npos || article < verb) return text;
  std::string variable = text.substr(open + 8, text.size() - open - 9);
  const std::string type = text.substr(article + 1, open + 6 - article - 1);
  if (variable == "field 'integer index'") variable = "field '?'";
  const std::string head = text.substr(0, article + 1);
  if (!named_in_51(variable)) return head + type;
  return head + variable + " (" + type + ")";
}

}  // namespace

const LoadedChunk* loaded_chunk(const Runtime& rt, int number) {
  const auto after = std::ranges::upper_bound(rt.loaded, static_cast<std::size_t>(number) - 1, {},
                                              &LoadedChunk::lines_before);
  return after == rt.loaded.begin() ? nullptr : &*std::prev(after);
}

Line line_of(const Runtime& rt, int number) {
  const auto index = static_cast<std::size_t>(number) - 1;
  return rt.lines && index < rt.lines->size() ? (*rt.lines)[index] : Line{};
}

int shown_line(const Runtime& rt, int number) {
  const Line line = line_of(rt, number);
  return line.site < 0 ? line.source : (*rt.sites)[static_cast<std::size_t>(line.site)].line;
}

const char* original_name(const char* name) {
  const std::string_view text = name;
  return text.starts_with(kRenamed) ? name + kRenamed.size() : name;
}

namespace {

/// The frame that is `level` in 5.1; false if there is none, or only what a tail call has left.
bool frame_of_level(lua_State* L, int level, lua_Debug& info) {
  for (int frame = 1; lua_getstack(L, frame, &info); ++frame) {
    lua_getinfo(L, "ft", &info);
    const bool helper = is_helper(lua_tocfunction(L, -1));
    lua_pop(L, 1);
    if (helper) continue;
    if (--level == 0) return true;
    if (info.istailcall && --level == 0) return false;
  }
  return false;
}

}  // namespace

int line_of_error(const Runtime& rt, int number, std::string_view message) {
  const bool operand = message.find("attempt to index ") != message.npos;
  return operand ? line_of(rt, number).source : shown_line(rt, number);
}

void push_place(lua_State* L, int level) {
  lua_Debug info;
  const bool found = level > 0 ? frame_of_level(L, level, info) : lua_getstack(L, 0, &info) != 0;
  if (found && lua_getinfo(L, "l", &info) && info.currentline > 0) {
    const LoadedChunk* chunk = loaded_chunk(runtime(L), info.currentline);
    lua_pushfstring(L, "%s:%d: ", chunk ? chunk->shown.c_str() : runtime(L).shown_chunk,
                    shown_line(runtime(L), info.currentline));
  } else {
    lua_pushliteral(L, "");
  }
}

std::string in_words_of_51(const Runtime& rt, std::string_view message) {
  const std::string mark = std::string(kInnerChunk) + ":";
  if (!message.starts_with(mark)) return std::string(message);
  const std::string text(message.substr(mark.size()));
  const auto colon = text.find(':');
  if (colon == text.npos) return std::string(message);
  const int line = std::atoi(text.c_str());
  const LoadedChunk* chunk = loaded_chunk(rt, line);
  std::string shown = chunk ? chunk->shown : rt.shown_chunk;
  shown += ':';
  shown += std::to_string(line_of_error(rt, line, text));
  return shown + reworded(text.substr(colon));
}

void take_error(lua_State* L, int status) {
  Runtime& rt = runtime(L);
  if (status == LUA_ERRMEM) refuse_for_memory(L);
  if (rt.refusal) lua_error(L);
  if (lua_type(L, -1) != LUA_TSTRING) return;
  std::size_t length = 0;
  const char* message = lua_tolstring(L, -1, &length);
  rt.text = in_words_of_51(rt, {message, length});
  if (is_own_overflow(rt.text)) refuse(L, "its recursion is too deep");
  lua_pushlstring(L, rt.text.data(), rt.text.size());
  lua_replace(L, -2);
}

bool is_own_overflow(std::string_view message) {
  constexpr std::string_view kText = "stack overflow";
  const auto at = message.find(kText);
  return at != message.npos && !message.substr(at + kText.size()).starts_with(" (");
}

}  // namespace lockstep::sim::dialect
