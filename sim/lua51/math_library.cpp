// The mathematical functions of Lua 5.1, with Redis's own generator of random numbers.
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/lua51/runtime.hpp"

namespace lockstep::sim::dialect {

namespace {

template <double (*function)(double)>
int of_one(lua_State* L) {
  lua_pushnumber(L, function(check_number(L, 1)));
  return 1;
}

template <double (*function)(double, double)>
int of_two(lua_State* L) {
  const double second = check_number(L, 2);  // first, as C compilers evaluate the arguments of 5.1
  lua_pushnumber(L, function(check_number(L, 1), second));
  return 1;
}

double to_degrees(double x) { return x / (std::numbers::pi / 180.0); }
double to_radians(double x) { return x * (std::numbers::pi / 180.0); }

template <bool (*better)(double, double)>
int best(lua_State* L) {
  const int count = lua_gettop(L);
  double found = check_number(L, 1);
  for (int i = 2; i <= count; ++i) {
    const double next = check_number(L, i);
    if (better(next, found)) found = next;
  }
  lua_pushnumber(L, found);
  return 1;
}

bool less(double a, double b) { return a < b; }
bool greater(double a, double b) { return a > b; }

int math_modf(lua_State* L) {
  double whole = 0;
  const double fraction = std::modf(check_number(L, 1), &whole);
  lua_pushnumber(L, whole);
  lua_pushnumber(L, fraction);
  return 2;
}

int math_frexp(lua_State* L) {
  int exponent = 0;
  show_sought(L, 1);
  lua_pushnumber(L, std::frexp(check_number(L, 1), &exponent));
  lua_pushnumber(L, exponent);
  return 2;
}

int math_ldexp(lua_State* L) {
  const int exponent = check_int(L, 2);
  lua_pushnumber(L, std::ldexp(check_number(L, 1), exponent));
  return 1;
}

// ---- random numbers: the 48-bit generator of Redis's rand.c ----

/// The next 31 bits.
std::uint64_t next_random(std::uint64_t& state) {
  state = (state * 0x5DEECE66DULL + 0xB) & 0xFFFF'FFFF'FFFFULL;
  return state >> 17;
}

int math_random(lua_State* L) {
  constexpr std::uint64_t kRange = std::numeric_limits<std::int32_t>::max();
  const double r =
      static_cast<double>(next_random(*runtime(L).random) % kRange) / static_cast<double>(kRange);
  runtime(L).left_open = runtime(L).left_open || !runtime(L).seeded;
  const int count = lua_gettop(L);
  if (count == 0) {
    lua_pushnumber(L, r);
    return 1;
  }
  if (count > 2) raise(L, "wrong number of arguments");
  const int low = count == 2 ? check_int(L, 1) : 1;
  const int high = check_int(L, count);
  if (low > high) argument_error(L, count, "interval is empty");
  const double width = static_cast<double>(high) - static_cast<double>(low) + 1;
  lua_pushnumber(L, std::floor(r * width) + low);
  return 1;
}

int math_randomseed(lua_State* L) {
  const auto seed = static_cast<std::uint32_t>(check_integer(L, 1));
  *runtime(L).random = static_cast<std::uint64_t>(seed) << 16 | 0x330E;
  runtime(L).seeded = true;
  return 0;
}

constexpr Function51 kMathFunctions[] = {
    {"abs", of_one<std::fabs>},    {"acos", of_one<std::acos>},   {"asin", of_one<std::asin>},
    {"atan", of_one<std::atan>},   {"atan2", of_two<std::atan2>}, {"ceil", of_one<std::ceil>},
    {"cos", of_one<std::cos>},     {"cosh", of_one<std::cosh>},   {"deg", of_one<to_degrees>},
    {"exp", of_one<std::exp>},     {"floor", of_one<std::floor>}, {"fmod", of_two<std::fmod>},
    {"frexp", math_frexp},         {"ldexp", math_ldexp},         {"log", of_one<std::log>},
    {"log10", of_one<std::log10>}, {"max", best<greater>},        {"min", best<less>},
    {"mod", of_two<std::fmod>},    {"modf", math_modf},           {"pow", of_two<std::pow>},
    {"rad", of_one<to_radians>},   {"random", math_random},       {"randomseed", math_randomseed},
    {"sin", of_one<std::sin>},     {"sinh", of_one<std::sinh>},   {"sqrt", of_one<std::sqrt>},
    {"tan", of_one<std::tan>},     {"tanh", of_one<std::tanh>},
};

}  // namespace

void open_math(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kMathFunctions, std::size(kMathFunctions));
  lua_pushnumber(L, std::numbers::pi);
  lua_setfield(L, -2, "pi");
  lua_pushnumber(L, std::numeric_limits<double>::infinity());
  lua_setfield(L, -2, "huge");
}

}  // namespace lockstep::sim::dialect
