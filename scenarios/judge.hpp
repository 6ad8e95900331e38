// Carries out a scenario: searches, or walks its schedule, has every counterexample re-executed by
// the naive explorer's world, and compares with what the scenario expects.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker/audit.hpp"
#include "checker/no_return.hpp"
#include "checker/trace/trace.hpp"
#include "scenarios/scenario.hpp"
#include "sim/model/model.hpp"
#include "sim/model/result.hpp"

namespace lockstep::scenarios {

/// What became of a scenario.
struct Judgement {
  Scenario scenario;
  sim::Model model;
  checker::Result result;
  std::optional<checker::Trace> trace;         ///< of a counterexample, or of a schedule
  std::optional<checker::NoReturn> no_return;  ///< of a counterexample, if it could be computed
  std::optional<checker::Audit> audit;         ///< if one was asked for
  unsigned further_searches = 0;  ///< that had to come to the same (clocks within a ms)
  double further_seconds = 0;
  std::optional<std::string>
      difference;  ///< from what the scenario expects; nothing also if it expects nothing
  Outcome outcome() const { return outcome_of(result); }
};

/// Carries out `scenario`. Throws BadInput for what the scenario or its protocol does wrong,
/// InternalError with the schedule if a counterexample does not stand up to re-execution.
/// Unless it `reduces` the engine works without its reductions.
Judgement judge(const Scenario& scenario, const checker::Progress& progress = {},
                bool reduces = true);

}  // namespace lockstep::scenarios
