// What a command or a script compared: whoever tries it at other times sees where it turns.
#pragma once

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

  /// What is no comparison: a pattern was sought in the number `left`, or math.ult was asked. What
  /// comes of it does not follow from how large the number is.
  static constexpr char kUnknown = '?';
  /// Nor is this: a script calls a command, so what follows is compared elsewhere.
  static constexpr char kCall = '|';
};

}  // namespace lockstep::sim
