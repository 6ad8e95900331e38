// Operators whose meaning differs between Lua 5.1 and 5.4: concatenation, %, ^, the bounds of a
// numeric for, and arithmetic on strings.
#include <array>
#include <cmath>

#include "sim/dialect/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

const char* type_of(lua_State* L, int index) { return luaL_typename(L, index); }

/// "attempt to VERB local 'x' (a nil value)".
[[noreturn]] void operand_error(lua_State* L, const char* verb, const OperandName* name,
                                int index) {
  if (name && !name->empty()) {
    raise(L, "attempt to %s %s (a %s value)", verb, name->c_str(), type_of(L, index));
  }
  raise(L, "attempt to %s a %s value", verb, type_of(L, index));
}

const OperandName* operand(const Site* site, std::size_t index) {
  return site && index < site->operands.size() ? &site->operands[index] : nullptr;
}

/// The site whose number is the first argument.
const Site* site_of(lua_State* L) {
  const auto* sites = runtime(L).sites;
  const auto number = static_cast<std::size_t>(lua_tointeger(L, 1));
  return sites && number < sites->size() ? &(*sites)[number] : nullptr;
}

/// concat(site, a, b, ...): from the right, as luaV_concat of 5.1 does, which decides what an error
/// blames.
int concat(lua_State* L) {
  const int count = lua_gettop(L);
  for (int i = count; i > 2; --i) {
    const bool left = lua_isstring(L, i - 1) != 0;
    if (left && lua_isstring(L, i)) continue;
    const int blamed = left ? i : i - 1;
    operand_error(L, "concatenate", operand(site_of(L), static_cast<std::size_t>(blamed - 2)),
                  blamed);
  }
  for (int i = 2; i <= count; ++i) {
    if (lua_type(L, i) != LUA_TNUMBER) continue;
    push_shown(L, lua_tonumber(L, i));
    lua_replace(L, i);
  }
  lua_concat(L, count - 1);
  return 1;
}

double modulo(double a, double b) { return a - std::floor(a / b) * b; }

enum Operation { kAdd, kSub, kMul, kDiv, kMod, kPow, kUnm };
struct OperationName {
  const char* op;
  const char* event;
};
constexpr std::array kOperations{OperationName{"+", "__add"},  OperationName{"-", "__sub"},
                                 OperationName{"*", "__mul"},  OperationName{"/", "__div"},
                                 OperationName{"%", "__mod"},  OperationName{"^", "__pow"},
                                 OperationName{"unm", "__unm"}};

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
bool by_metamethod(lua_State* L, int a, int b, const char* event) {
  for (const int index : {a, b}) {
    if (lua_type(L, index) == LUA_TSTRING || !luaL_getmetafield(L, index, event)) continue;
    lua_pushvalue(L, a);
    lua_pushvalue(L, b);
    lua_call(L, 2, 1);
    return true;
  }
  return false;
}

int arithmetic(lua_State* L, int operation, int a, int b, const Site* site) {
  double x = 0;
  double y = 0;
  const bool left = to_number(L, a, x);
  if (left && to_number(L, b, y)) {
    lua_pushnumber(L, compute(operation, x, y));
    return 1;
  }
  if (by_metamethod(L, a, b, kOperations[static_cast<std::size_t>(operation)].event)) return 1;
  const OperandName* name = operand(site, left && operation != kUnm ? 1 : 0);
  operand_error(L, "perform arithmetic on", name, left ? b : a);
}

int mod(lua_State* L) {
  lua_settop(L, 3);
  return arithmetic(L, kMod, 2, 3, site_of(L));
}
int power(lua_State* L) {
  lua_settop(L, 3);
  return arithmetic(L, kPow, 2, 3, site_of(L));
}

/// The site of an operator on the caller's line: known if there is one, or if all on that line name
/// their operands alike.
const Site* site_on_line(lua_State* L, const char* op) {
  lua_Debug info;
  if (!lua_getstack(L, 1, &info) || !lua_getinfo(L, "l", &info)) return nullptr;
  const auto* sites = runtime(L).sites;
  if (!sites) return nullptr;
  const Site* found = nullptr;
  for (const Site& site : *sites) {
    if (site.line != info.currentline || site.op != op) continue;
    if (found && found->operands != site.operands) return nullptr;
    found = &site;
  }
  return found;
}

/// Arithmetic with a string operand arrives here: 5.4 asks the metatable of strings.
int string_arithmetic(lua_State* L) {
  const auto operation = static_cast<int>(lua_tointeger(L, lua_upvalueindex(1)));
  lua_settop(L, 2);
  double ignored = 0;
  const bool fine = to_number(L, 1, ignored) && to_number(L, 2, ignored);
  const char* op = kOperations[static_cast<std::size_t>(operation)].op;
  return arithmetic(L, operation, 1, 2, fine ? nullptr : site_on_line(L, op));
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
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    lua_pushinteger(L, static_cast<lua_Integer>(i));
    lua_pushcclosure(L, string_arithmetic, 1);
    lua_setfield(L, -2, kOperations[i].event);
  }
  lua_pushliteral(L, "");
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

}  // namespace lockstep::sim::dialect
