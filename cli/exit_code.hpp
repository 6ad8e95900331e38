// How the program ends. Scripts and CI rely on these numbers.
#pragma once

namespace lockstep::cli {

enum ExitCode : int {
  kAsExpected = 0,  ///< holds; or a scenario came out as it expects
  kViolated = 1,    ///< a property is violated; or a scenario came out otherwise than it expects
  kInconclusive =
      2,           ///< a bound was reached first, or nothing was violated because nothing happened
  kBadInput = 3,   ///< bad input or usage
  kOwnFailure = 4  ///< a bug of lockstep itself
};

}  // namespace lockstep::cli
