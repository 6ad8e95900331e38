// The run that `lockstep replay` tells: from a trace, from a schedule, or found by searching a
// scenario.
#pragma once

#include <optional>
#include <string>

#include "cli/io.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/scenario.hpp"
#include "sim/model/action.hpp"
#include "sim/model/model.hpp"

namespace lockstep::cli {

struct Recorded {
  scenarios::Scenario scenario;
  sim::Model model;
  sim::Schedule schedule;                 ///< empty: nothing was found, and there is no run to tell
  std::optional<sim::Property> violated;  ///< what the run is told to violate
  bool endless =
      false;  ///< violated where the schedule ends, not by its last step (checker::Result)
  std::optional<checker::Loop> loop;  ///< of an endless run
  std::string place;                  ///< where the schedule comes from, for errors
  std::string nothing{};              ///< why there is no run to tell, if there is none
};

/// `target` is a scenario or a trace, by name or path. Throws BadInput, also for a trace whose
/// protocol has changed.
Recorded recorded_run(const std::string& target, const scenarios::Catalog& catalog, const Io& io);

}  // namespace lockstep::cli
