// The library `bit` of Redis's scripts (BitOp 1.0.2): operations on 32 bits, whose results are
// signed.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "sim/lua51/runtime.hpp"
#include "sim/redis/script/libraries.hpp"

namespace lockstep::sim::dialect {

namespace {

/// Argument `argument` rounded to the nearest whole number, modulo 2^32. Adding 1.5 * 2^52 moves
/// those bits to the end of the double; beyond 2^51 they are whatever stands there, as in BitOp.
std::uint32_t bits(lua_State* L, int argument) {
  constexpr double kShift = 6755399441055744.0;
  return static_cast<std::uint32_t>(
      std::bit_cast<std::uint64_t>(check_number(L, argument) + kShift));
}

int push_bits(lua_State* L, std::uint32_t value) {
  lua_pushnumber(L, static_cast<double>(static_cast<std::int32_t>(value)));
  return 1;
}

int bit_tobit(lua_State* L) { return push_bits(L, bits(L, 1)); }
int bit_bnot(lua_State* L) { return push_bits(L, ~bits(L, 1)); }

int bit_bswap(lua_State* L) {
  const std::uint32_t x = bits(L, 1);
  return push_bits(L, (x >> 24) | ((x >> 8) & 0xFF00U) | ((x & 0xFF00U) << 8) | (x << 24));
}

std::uint32_t both(std::uint32_t a, std::uint32_t b) { return a & b; }
std::uint32_t either(std::uint32_t a, std::uint32_t b) { return a | b; }
std::uint32_t one_of(std::uint32_t a, std::uint32_t b) { return a ^ b; }

template <std::uint32_t (*combine)(std::uint32_t, std::uint32_t)>
int bit_fold(lua_State* L) {
  std::uint32_t result = bits(L, 1);
  for (int i = lua_gettop(L); i > 1; --i) result = combine(result, bits(L, i));
  return push_bits(L, result);
}

std::uint32_t shift_left(std::uint32_t x, int by) { return x << by; }
std::uint32_t shift_right(std::uint32_t x, int by) { return x >> by; }
std::uint32_t shift_arithmetic(std::uint32_t x, int by) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> by);
}
std::uint32_t rotate_left(std::uint32_t x, int by) { return std::rotl(x, by); }
std::uint32_t rotate_right(std::uint32_t x, int by) { return std::rotr(x, by); }

template <std::uint32_t (*shift)(std::uint32_t, int)>
int bit_shift(lua_State* L) {
  const std::uint32_t x = bits(L, 1);
  return push_bits(L, shift(x, static_cast<int>(bits(L, 2) & 31)));
}

/// tohex(x, n): the last |n| digits, in capitals if n is negative.
int bit_tohex(lua_State* L) {
  const std::uint32_t x = bits(L, 1);
  const auto wanted = lua_isnone(L, 2) ? 8 : std::int64_t{static_cast<std::int32_t>(bits(L, 2))};
  const auto digits = static_cast<std::size_t>(std::min<std::int64_t>(std::abs(wanted), 8));
  char text[9];
  std::snprintf(text, sizeof text, wanted < 0 ? "%08X" : "%08x", x);
  lua_pushlstring(L, text + 8 - digits, digits);
  return 1;
}

constexpr Function51 kBitFunctions[] = {
    {"arshift", bit_shift<shift_arithmetic>},
    {"band", bit_fold<both>},
    {"bnot", bit_bnot},
    {"bor", bit_fold<either>},
    {"bswap", bit_bswap},
    {"bxor", bit_fold<one_of>},
    {"lshift", bit_shift<shift_left>},
    {"rol", bit_shift<rotate_left>},
    {"ror", bit_shift<rotate_right>},
    {"rshift", bit_shift<shift_right>},
    {"tobit", bit_tobit},
    {"tohex", bit_tohex},
};

}  // namespace

void open_bit(lua_State* L) {
  lua_newtable(L);
  set_functions(L, kBitFunctions, std::size(kBitFunctions));
}

}  // namespace lockstep::sim::dialect
