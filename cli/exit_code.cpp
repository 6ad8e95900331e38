// Verdicts as exit codes; see the header.
#include "cli/exit_code.hpp"

#include <array>

#include "scenarios/judge.hpp"

namespace lockstep::cli {

namespace {

ExitCode of_verdict(scenarios::Outcome outcome) {
  switch (outcome) {
    case scenarios::Outcome::holds:
      return kAsExpected;
    case scenarios::Outcome::violated:
      return kViolated;
    default:
      return kInconclusive;
  }
}

}  // namespace

ExitCode exit_code(const scenarios::Judgement& judgement) {
  const bool disagree =
      judgement.audit && judgement.audit->outcome == checker::Audit::Outcome::disagree;
  if (disagree) return kOwnFailure;
  const bool unaudited = judgement.audit && judgement.audit->asked_for &&
                         judgement.audit->outcome == checker::Audit::Outcome::inconclusive;
  const ExitCode at_best = unaudited ? kInconclusive : kAsExpected;
  const auto verdict = of_verdict(judgement.outcome());
  if (!judgement.scenario.expect) return worse(verdict, at_best);
  if (!judgement.difference) return at_best;
  return verdict == kAsExpected ? kViolated : verdict;
}

ExitCode worse(ExitCode a, ExitCode b) {
  for (const auto code : std::array{kOwnFailure, kBadInput, kViolated, kInconclusive})
    if (a == code || b == code) return code;
  return kAsExpected;
}

}  // namespace lockstep::cli
