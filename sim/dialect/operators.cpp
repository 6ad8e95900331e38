// Operators whose meaning differs between Lua 5.1 and 5.4: concatenation, %, ^, the bounds of a
// numeric for, and arithmetic on strings.
#include <array>
#include <cmath>

#include "sim/dialect/runtime.hpp"

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

/// "attempt to VERB local 'x' (a nil value)", for operand `number` of the operation, whose value is
/// at `index`.
[[noreturn]] void operand_error(lua_State* L, const char* verb, std::size_t number, int index) {
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

/// concat(a, b, ...): from the right, as luaV_concat of 5.1 does, which decides what an error
/// blames.
int concat(lua_State* L) {
  const int count = lua_gettop(L);
  for (int i = count; i > 1; --i) {
    const bool left = lua_isstring(L, i - 1) != 0;
    if (left && lua_isstring(L, i)) continue;
    const int blamed = left ? i : i - 1;
    operand_error(L, "concatenate", static_cast<std::size_t>(blamed - 1), blamed);
  }
  for (int i = 1; i <= count; ++i) {
    if (lua_type(L, i) != LUA_TNUMBER) continue;
    push_shown(L, lua_tonumber(L, i));
    lua_replace(L, i);
  }
  lua_concat(L, count);
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

/// Calls a metamethod of a table operand, if there is one.
bool by_metamethod(lua_State* L, const char* event) {
  for (const int index : {1, 2}) {
    if (lua_type(L, index) == LUA_TSTRING || !luaL_getmetafield(L, index, event)) continue;
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return true;
  }
  return false;
}

/// The operation on the two arguments.
int arithmetic(lua_State* L, int operation) {
  lua_settop(L, 2);
  double x = 0;
  double y = 0;
  const bool left = to_number(L, 1, x);
  if (left && to_number(L, 2, y)) {
    lua_pushnumber(L, compute(operation, x, y));
    return 1;
  }
  if (by_metamethod(L, kEvents[static_cast<std::size_t>(operation)])) return 1;
  const bool second = left && operation != kUnm;
  operand_error(L, "perform arithmetic on", second ? 1 : 0, left ? 2 : 1);
}

int mod(lua_State* L) { return arithmetic(L, kMod); }
int power(lua_State* L) { return arithmetic(L, kPow); }

/// Arithmetic with a string operand arrives here: 5.4 asks the metatable of strings.
int string_arithmetic(lua_State* L) {
  return arithmetic(L, static_cast<int>(lua_tointeger(L, lua_upvalueindex(1))));
}

int for_bound(lua_State* L, const char* what) {
  double value = 0;
  if (!to_number(L, 1, value)) raise(L, "'for' %s must be a number", what);
  lua_pushnumber(L, value);
  return 1;
}
int for_initial(lua_State* L) { return for_bound(L, "initial value"); }
int for_limit(lua_State* L) { return for_bound(L, "limit"); }
int for_step(lua_State* L) {
  for_bound(L, "step");
  if (lua_tonumber(L, -1) == 0) refuse(L, "a for loop with a step of 0 never ends");
  return 1;
}

}  // namespace

void push_helpers(lua_State* L) {
  for (const lua_CFunction helper : {concat, mod, power, for_initial, for_limit, for_step}) {
    lua_pushcfunction(L, helper);
  }
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
