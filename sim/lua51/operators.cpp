// Operators whose meaning differs between Lua 5.1 and 5.4: concatenation, %, ^, the bounds of
// a numeric for, varargs, #, and arithmetic on strings.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

const char* type_of(lua_State* L, int index) { return luaL_typename(L, index); }

const OperandName* operand(const Site* site, std::size_t index) {
  return site && index < site->operands.size() ? &site->operands[index] : nullptr;
}

/// The operation of the caller's line: each has its own in the translated text.
const Site* site_of_caller(lua_State* L) {
  lua_Debug info;
  if (!lua_getstack(L, 1, &info) || !lua_getinfo(L, "l", &info)) return nullptr;
  const Runtime& rt = runtime(L);
  const Line line = line_of(rt, info.currentline);
  return line.site < 0 ? nullptr : &(*rt.sites)[static_cast<std::size_t>(line.site)];
}

/// The operand at `index`, which is a string or a number, as text.
void to_text(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER) return;
  push_shown(L, lua_tonumber(L, index));
  lua_replace(L, index);
}

/// Calls a metamethod `event` of the value at `left` or else of that at `right` with both; false if
/// neither has it. The metatable of strings is not asked: 5.1's has no operators.
bool by_metamethod(lua_State* L, const char* event, int left, int right) {
  for (const int index : {left, right}) {
    if (lua_type(L, index) == LUA_TSTRING) continue;
    if (luaL_getmetafield(L, index, event) == LUA_TNIL) continue;
    call_metamethod(L, left, right);
    return true;
  }
  return false;
}

/// One step of concat(): joins the value at `last` with its left neighbour or, of strings, with all
/// that stand there. Returns where the result is, on top of the stack.
int concat_step(lua_State* L, int last) {
  if (!lua_isstring(L, last - 1) || !lua_isstring(L, last)) {
    if (!by_metamethod(L, "__concat", last - 1, last)) {
      const int blamed = lua_isstring(L, last - 1) ? last : last - 1;
      operand_error(L, "concatenate", static_cast<std::size_t>(blamed - 1), blamed);
    }
    lua_replace(L, last - 1);
    lua_settop(L, last - 1);
    return last - 1;
  }
  int first = last;
  while (first > 1 && lua_isstring(L, first - 1)) --first;
  for (int i = first; i <= last; ++i) to_text(L, i);
  lua_concat(L, last - first + 1);
  return first;
}

/// concat(a, b, ...): from the right, as luaV_concat of 5.1 does, which decides what an error
/// blames. Strings only are given to 5.4: its `..` on others is not to be trusted (CVE-2022-33099).
int concat(lua_State* L) {
  int last = lua_gettop(L);
  do last = concat_step(L, last);
  while (last > 1);
  return 1;
}

double modulo(double a, double b) { return a - std::floor(a / b) * b; }

enum Operation { kAdd, kSub, kMul, kDiv, kMod, kPow, kUnm };
constexpr std::array kEvents{"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm"};

double compute(int operation, double a, double b) {
  switch (operation) {
    case kAdd:
      return a + b;
    case kSub:
      return a - b;
    case kMul:
      return a * b;
    case kDiv:
      return a / b;
    case kMod:
      return modulo(a, b);
    case kPow:
      return std::pow(a, b);
    default:
      return -a;
  }
}

/// The operation on the two arguments.
int arithmetic(lua_State* L, int operation) {
  order_operands(L);
  double x = 0;
  double y = 0;
  const bool left = to_number(L, 1, x);
  if (left && to_number(L, 2, y)) {
    lua_pushnumber(L, compute(operation, x, y));
    return 1;
  }
  if (by_metamethod(L, kEvents[static_cast<std::size_t>(operation)], 1, 2)) return 1;
  const bool second = left && operation != kUnm;
  operand_error(L, "perform arithmetic on", second ? 1 : 0, left ? 2 : 1);
}

int mod(lua_State* L) { return arithmetic(L, kMod); }
int power(lua_State* L) { return arithmetic(L, kPow); }

/// Arithmetic with a string operand arrives here: 5.4 asks the metatable of strings.
int string_arithmetic(lua_State* L) {
  return arithmetic(L, static_cast<int>(lua_tointeger(L, lua_upvalueindex(1))));
}

/// bounds(initial, limit, step): as numbers. 5.1 subtracts the step before it adds it for the first
/// time, which may round, and a loop with a NaN never runs. A step of 0 is none for 5.4; in 5.1 the
/// loop then runs never or until it is left, and so it does with the smallest step downwards.
int bounds(lua_State* L) {
  constexpr const char* kNames[] = {"initial value", "limit", "step"};
  double values[3];
  lua_settop(L, 3);
  for (int i = 0; i < 3; ++i) {
    if (!to_number(L, i + 1, values[i])) raise(L, "'for' %s must be a number", kNames[i]);
    show_sought(L, i + 1);
  }
  values[0] = (values[0] - values[2]) + values[2];
  if (std::isnan(values[0]) || std::isnan(values[1]) || std::isnan(values[2])) {
    values[0] = values[2] = 1;
    values[1] = 0;
  }
  if (values[2] == 0) {
    if (values[0] == 0 && values[1] <= 0) refuse(L, "a for loop from 0 with a step of 0");
    values[2] = -std::numeric_limits<double>::denorm_min();
  }
  for (const double value : values) lua_pushnumber(L, value);
  return 3;
}

int iterator(lua_State* L) {
  lua_settop(L, 3);
  return 3;
}

int arg_table(lua_State* L) {
  const int count = lua_gettop(L);
  lua_createtable(L, count, 1);
  lua_pushnumber(L, count);
  lua_setfield(L, -2, "n");
  lua_insert(L, 1);
  for (int i = count; i > 0; --i) lua_rawseti(L, 1, i);
  return 1;
}

/// #: of a table it asks no metatable.
int length_operator(lua_State* L) {
  lua_settop(L, 1);
  const int type = lua_type(L, 1);
  if (type != LUA_TSTRING && type != LUA_TTABLE) operand_error(L, "get length of", 0, 1);
  const auto length = type == LUA_TTABLE ? length_of(L, 1) : lua_rawlen(L, 1);
  lua_pushnumber(L, static_cast<double>(length));
  return 1;
}

/// The key of an assignment. 5.1 first looks whether it may be one, 5.4 asks __newindex before. The
/// assigned value may be what gives the table its metatable.
int new_key(lua_State* L) {
  lua_settop(L, 1);
  const bool nan = lua_type(L, 1) == LUA_TNUMBER && std::isnan(lua_tonumber(L, 1));
  if (!lua_isnil(L, 1) && !nan) return 1;
  Runtime& rt = runtime(L);
  if (rt.has_metatables) refuse(L, kOddKey);
  rt.odd_key = true;
  return 1;
}

constexpr lua_CFunction kOperators[] = {concat, mod,      power,     length_operator,
                                        bounds, iterator, arg_table, new_key};

}  // namespace

void order_operands(lua_State* L) {
  const bool swapped = lua_gettop(L) == 3;
  lua_settop(L, 2);
  if (swapped) lua_insert(L, 1);
}

void push_helpers(lua_State* L) {
  for (const lua_CFunction helper : kOperators) lua_pushcfunction(L, helper);
  push_comparisons(L);
}

bool is_helper(lua_CFunction function) {
  return function && (function == string_arithmetic || is_comparison(function) ||
                      std::ranges::find(kOperators, function) != std::end(kOperators));
}

void operand_error(lua_State* L, const char* verb, std::size_t number, int index) {
  const Site* site = site_of_caller(L);
  const OperandName* name = operand(site, number);
  push_place(L, 1);
  if (name && !name->empty()) {
    lua_pushfstring(L, "attempt to %s %s (a %s value)", verb, name->c_str(), type_of(L, index));
  } else {
    lua_pushfstring(L, "attempt to %s a %s value", verb, type_of(L, index));
  }
  lua_concat(L, 2);
  lua_error(L);
  __builtin_unreachable();
}

void open_string_metatable(lua_State* L) {
  lua_newtable(L);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");
  for (std::size_t i = 0; i < kEvents.size(); ++i) {
    lua_pushinteger(L, static_cast<lua_Integer>(i));
    lua_pushcclosure(L, string_arithmetic, 1);
    lua_setfield(L, -2, kEvents[i]);
  }
  lua_pushliteral(L, "");
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

}  // namespace lockstep::sim::dialect
