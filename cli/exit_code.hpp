// How the program ends. Scripts and CI rely on these numbers.
#pragma once

namespace lockstep::scenarios {
struct Judgement;
}

namespace lockstep::cli {

enum ExitCode : int {
  kAsExpected = 0,  ///< holds; or a scenario came out as it expects
  kViolated = 1,    ///< a property is violated; or a scenario came out otherwise than it expects
  kInconclusive =
      2,           ///< a bound was reached first, or nothing was violated because nothing happened
  kBadInput = 3,   ///< bad input or usage
  kOwnFailure = 4  ///< a bug of lockstep itself
};

/// A scenario is judged by what it expects, anything else by the verdict; an audit that disagrees
/// is a failure of our own, and one that was asked for and came to no end is inconclusive.
ExitCode exit_code(const scenarios::Judgement& judgement);

/// The worse of two ends: 4, then 3, 1, 2, 0. What is wrong with lockstep or its input casts doubt
/// on every verdict, and a violation weighs more than not knowing.
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace lockstep::cli
