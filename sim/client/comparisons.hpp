// Comparisons in a client program are seen where they are made: its text is loaded with a call
// around each operand, which hands the operand on and shows it to the host.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/compared.hpp"
#include "sim/client/program.hpp"
#include "sim/client/vm.hpp"

namespace lockstep::sim::program {

/// What decides a comparison: whether its left operand is as the right one, less or greater; or
/// none of these (Compared::kUnknown).
enum class Relation : std::uint8_t { equal, less, greater, unknown };
constexpr int kRelations = 4;

/// Comparison::place of the comparison with this number in its text.
constexpr int place_of(int number, Relation relation) {
  return kRelations * number + static_cast<int>(relation);
}

/// What a comparison came to. What may be equal between two tries, and at neither of them, is told
/// from which side it is not.
inline char outcome(const Comparison& compared) {
  switch (static_cast<Relation>(compared.place % kRelations)) {
    case Relation::equal:
      return sim::relation(compared.left, compared.right);
    case Relation::less:
      return compared.left < compared.right ? '+' : '-';
    case Relation::greater:
      return compared.left > compared.right ? '+' : '-';
    case Relation::unknown:
      break;
  }
  return Compared::kUnknown;
}

/// The text of a Lua file with every comparison `a < b` as `left(a, N) < right(b, N)`; N numbers
/// the comparisons. And the bounds of loops, which decide without a comparison, as
/// `bound(a)`. Lines stay where they are, and so does what errors say.
std::string with_shown_comparisons(std::string_view lua_text);

/// What is compared, as far as a clock can be in it: a number, a string that reads as one, or a
/// string.
struct Operand {
  std::optional<double> number;
  std::string text;  ///< of a string that is no number
  bool tells() const { return number || !text.empty(); }
  friend auto operator<=>(const Operand&, const Operand&) = default;
};
Operand operand_at(lua_State* lua, int index);

/// Adds the numbers that the comparison compares. Two strings are equal if what is around their
/// numbers is, and each of these.
void add_compared(int place, const Operand& left, const Operand& right,
                  std::vector<Comparison>& compared);

/// Whether it asks which of two lock tokens comes first.
/// Vm::compared.
void note_compared(Vm& vm, const Operand& operand);

bool orders_tokens(int place, const Operand& left, const Operand& right);

/// Adds the functions that such a text calls to the table on top of the stack.
void add_comparisons(lua_State* lua);

/// Shows what math.max or math.min compares: its arguments.
void show_extremes(Vm& vm, lua_State* lua);

/// Shows the numbers among the arguments of a function in which something is sought, or that makes
/// something else of them than numbers do (Compared::kUnknown).
void show_sought(Vm& vm, lua_State* lua);
/// The same of one argument.
void show_number(Vm& vm, lua_State* lua, int index);
/// The same where a pattern is sought in a text.
void show_pattern_sought(Vm& vm, std::string_view text, std::string_view pattern);

}  // namespace lockstep::sim::program
