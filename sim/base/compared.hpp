// What a command or a script compared: whoever tries it at other times sees where it turns.
#pragma once

#include <string_view>
#include <vector>

namespace lockstep::sim {

/// How one number is to another one: '<', '=' or '>'.
constexpr char relation(double left, double right) {
  if (left == right) return '=';
  return left < right ? '<' : '>';
}

/// Two numbers that were compared.
struct Compared {
  double left = 0, right = 0;
  /// What came of it: their relation; of an order whether it is so, '+' or '-'; or what follows.
  char outcome = '=';

  /// What is no comparison: something is done with the number `left` of which does not follow from
  /// how large it is what comes of it. A pattern is sought in it; it is the key of a table, a
  /// position, the end of a loop; it is written otherwise than in decimal.
  static constexpr char kUnknown = '?';
  /// Nor is this: a script calls a command, so what follows is compared elsewhere.
  static constexpr char kCall = '|';
  /// Nor this: a command has told a script that something is not there, which goes on otherwise.
  static constexpr char kNothing = '0';
  /// Nor this: the number `left` is an argument of that command, and no lifetime.
  static constexpr char kSent = '!';
};

/// Whether no text, but perhaps a packed number: digits among its bytes say nothing.
bool is_packed(std::string_view bytes);

/// What is compared of two texts that do not read as numbers. Equal they are if what is around
/// their numbers is, and each of these; or, if they are packed numbers (of 1, 2, 4 or 8 bytes), if
/// these are. Nothing if neither can be.
std::vector<Compared> numbers_compared(std::string_view left, std::string_view right);

/// The numbers that decide otherwise than by their size whether a pattern (or a plain text) is
/// found: those in it, and, if it has digits of its own, those of the text.
std::vector<double> numbers_sought(std::string_view text, std::string_view pattern);

}  // namespace lockstep::sim
