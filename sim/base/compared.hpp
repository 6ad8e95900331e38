// What a command or a script compared: whoever tries it at other times sees where it turns.
#pragma once

namespace lockstep::sim {

/// Two numbers that were compared.
struct Compared {
  double left = 0, right = 0;
  char outcome =
      '=';  ///< '<', '=', '>'; of an order '+' or '-': whether it is so. kUnknown: see there

  /// Outcome of what is no comparison: a pattern was sought in the number `left`, or its bits were
  /// looked at. What came of it does not follow from how large it is.
  static constexpr char kUnknown = '?';
  /// No comparison, either: a script calls a command, so what follows is compared elsewhere.
  static constexpr char kCall = '|';
};

}  // namespace lockstep::sim
