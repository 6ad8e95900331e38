// The printout of a check: verdict, what was simulated, the counterexample, and what the search
// covered.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "scenarios/judge.hpp"

namespace lockstep::cli {

/// What the printout says besides the judgement itself.
struct CheckNotes {
  std::string target;      ///< as it was named on the command line
  std::string trace_file;  ///< where the counterexample was written; may be empty
  bool overridden =
      false;  ///< flags changed what the scenario says: its expectation was not judged
  std::optional<std::string> avoidable;  ///< the point of no return in words, if it was computed
};

void print_check(std::ostream& out, const scenarios::Judgement& judgement, const CheckNotes& notes,
                 bool colours);

/// "violated, mutual-exclusion, 9 steps".
std::string claim_in_words(const scenarios::Expectation& claim);

/// "at most 1 pause, 1 clock jump", or "none".
std::string faults_in_words(const sim::Budget& budget);

}  // namespace lockstep::cli
