// Comparisons by the rules of 5.1: a metamethod counts for two values of one type that both have
// the same one; __le may be told from __lt.
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/token.hpp"
#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

/// Pushes the metamethod `event` that both values have; false if they have none in common.
bool push_common(lua_State* L, int a, int b, const char* event) {
  if (lua_type(L, a) == LUA_TSTRING || luaL_getmetafield(L, a, event) == LUA_TNIL) return false;
  if (luaL_getmetafield(L, b, event) == LUA_TNIL) {
    lua_pop(L, 1);
    return false;
  }
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, same ? 1 : 2);
  return same;
}

/// Calls the metamethod `event` with both values, if they have it in common; false if not.
bool ask(lua_State* L, int a, int b, const char* event, bool& answer) {
  if (!push_common(L, a, b, event)) return false;
  call_metamethod(L, a, b);
  answer = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return true;
}

[[noreturn]] void order_error(lua_State* L, int a, int b, bool place) {
  const char* left = luaL_typename(L, a);
  const char* right = luaL_typename(L, b);
  if (place) {
    push_place(L, 1);
  } else {
    lua_pushliteral(L, "");
  }
  if (lua_type(L, a) == lua_type(L, b)) {
    lua_pushfstring(L, "attempt to compare two %s values", left);
  } else {
    lua_pushfstring(L, "attempt to compare %s with %s", left, right);
  }
  lua_concat(L, 2);
  lua_error(L);
  __builtin_unreachable();
}

bool mentions_token(std::string_view text) { return !scan_tokens(text).tokens.empty(); }

/// Shows the host a comparison of two numbers, and what comes of it.
template <class Outcome>
bool show(lua_State* L, int a, int b, Outcome outcome) {
  auto* const comparisons = runtime(L).comparisons;
  double left = 0, right = 0;
  if (comparisons == nullptr) return true;
  if (!to_number(L, a, left) || !to_number(L, b, right)) return false;
  comparisons->push_back({left, right, outcome(left, right)});
  return true;
}

std::string_view text_at(lua_State* L, int index) {
  std::size_t length = 0;
  const char* const text = lua_tolstring(L, index, &length);
  return {text, length};
}

bool texts(lua_State* L, int a, int b) {
  return lua_type(L, a) == LUA_TSTRING && lua_type(L, b) == LUA_TSTRING;
}

/// Two numbers or two strings, which need no metamethod.
template <class Compare>
bool ordered(lua_State* L, int a, int b, Compare compare) {
  const int type = lua_type(L, a);
  if (type != lua_type(L, b)) return false;
  const auto outcome = [&](double left, double right) { return compare(left, right) ? '+' : '-'; };
  const bool shown = show(L, a, b, outcome);
  if (type != LUA_TSTRING) return type == LUA_TNUMBER;
  const std::string_view left = text_at(L, a), right = text_at(L, b);
  if (!shown) {
    const double order = left.compare(right);
    runtime(L).comparisons->push_back({order, 0, outcome(order, 0)});
  }
  if (mentions_token(left) && mentions_token(right)) runtime(L).ordered_tokens = true;
  return true;
}

}  // namespace

bool equal(lua_State* L, int a, int b) {
  if (!show(L, a, b, relation) && texts(L, a, b)) {
    const std::vector<Compared> numbers = numbers_compared(text_at(L, a), text_at(L, b));
    runtime(L).comparisons->insert(runtime(L).comparisons->end(), numbers.begin(), numbers.end());
  }
  if (lua_rawequal(L, a, b)) return true;
  bool answer = false;
  if (lua_type(L, a) == LUA_TTABLE && lua_type(L, b) == LUA_TTABLE) ask(L, a, b, "__eq", answer);
  return answer;
}

bool less(lua_State* L, int a, int b, bool place) {
  if (ordered(L, a, b, std::less<>())) return lua_compare(L, a, b, LUA_OPLT) != 0;
  bool answer = false;
  if (lua_type(L, a) != lua_type(L, b) || !ask(L, a, b, "__lt", answer)) {
    order_error(L, a, b, place);
  }
  return answer;
}

bool less_or_equal(lua_State* L, int a, int b, bool place) {
  if (ordered(L, a, b, std::less_equal<>())) return lua_compare(L, a, b, LUA_OPLE) != 0;
  bool answer = false;
  if (lua_type(L, a) == lua_type(L, b)) {
    if (ask(L, a, b, "__le", answer)) return answer;
    if (ask(L, b, a, "__lt", answer)) return !answer;
  }
  order_error(L, a, b, place);
}

void show_sought(lua_State* L, int index) {
  show(L, index, index, [](double, double) { return Compared::kUnknown; });
}

void show_sought_in(lua_State* L, std::string_view text) {
  auto* const comparisons = runtime(L).comparisons;
  if (comparisons == nullptr) return;
  for (const Compared& each : numbers_compared(text, text))
    comparisons->push_back({each.left, each.left, Compared::kUnknown});
}

void show_sought_number(lua_State* L, double number) {
  auto* const comparisons = runtime(L).comparisons;
  if (comparisons != nullptr) comparisons->push_back({number, number, Compared::kUnknown});
}

void show_pattern_sought(lua_State* L, int index) {
  auto* const comparisons = runtime(L).comparisons;
  if (comparisons == nullptr) return;
  show_sought(L, index);
  if (lua_type(L, index) != LUA_TSTRING || lua_type(L, index + 1) != LUA_TSTRING) return;
  for (const double number : numbers_sought(text_at(L, index), text_at(L, index + 1)))
    comparisons->push_back({number, number, Compared::kUnknown});
}

void show_unknown(lua_State* L) {
  constexpr double kNever = std::numeric_limits<double>::quiet_NaN();  // the same as no other
  auto* const comparisons = runtime(L).comparisons;
  if (comparisons != nullptr) comparisons->push_back({kNever, kNever, Compared::kUnknown});
}

namespace {

template <bool (*compare)(lua_State*, int, int, bool), int a, int b>
int compared(lua_State* L) {
  order_operands(L);
  lua_pushboolean(L, compare(L, a, b, true));
  return 1;
}

int compared_equal(lua_State* L) {
  order_operands(L);
  lua_pushboolean(L, equal(L, 1, 2));
  return 1;
}

int read_key(lua_State* L) {
  lua_settop(L, 1);
  show_sought(L, 1);
  return 1;
}

constexpr lua_CFunction kComparisons[] = {
    compared_equal,       compared<less, 1, 2>,          compared<less_or_equal, 1, 2>,
    compared<less, 2, 1>, compared<less_or_equal, 2, 1>, read_key};

}  // namespace

void push_comparisons(lua_State* L) {
  for (const lua_CFunction helper : kComparisons) lua_pushcfunction(L, helper);
}

bool is_comparison(lua_CFunction function) {
  return std::ranges::find(kComparisons, function) != std::end(kComparisons);
}

}  // namespace lockstep::sim::dialect
