// Comparisons in a client program are seen where they are made: its text is loaded with a call
// around each operand, which hands the operand on and shows it to the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/client/program.hpp"
#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// What decides a comparison: whether its left operand is as the right one, less or greater.
enum class Relation : std::uint8_t { equal, less, greater };

/// Comparison::place of the comparison with this number in its text.
constexpr int place_of(int number, Relation relation) {
  return 3 * number + static_cast<int>(relation);
}

/// What a comparison came to. What may be equal between two tries, and at neither of them, is told
/// from which side it is not.
inline char outcome(const Comparison& compared) {
  const char side = compared.left < compared.right ? '<' : '>';
  switch (static_cast<Relation>(compared.place % 3)) {
    case Relation::equal:
      return compared.left == compared.right ? '=' : side;
    case Relation::less:
      return compared.left < compared.right ? '+' : '-';
    case Relation::greater:
      break;
  }
  return compared.left > compared.right ? '+' : '-';
}

/// The text of a Lua file with every comparison `a < b` as `left(a, N) < right(b, N)`; N numbers
/// the comparisons. Lines stay where they are, and so does what errors say.
std::string with_shown_comparisons(std::string_view lua_text);

/// Adds the two functions that such a text calls to the table on top of the stack.
void add_comparisons(lua_State* lua);

/// Puts a function around math.max or math.min, on top of the stack, that shows what it compares.
void show_extremes(lua_State* lua);

}  // namespace lockstep::sim::program
