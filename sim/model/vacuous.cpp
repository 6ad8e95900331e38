// See the header.
#include "sim/model/vacuous.hpp"

#include <algorithm>

#include "sim/client/program.hpp"

namespace lockstep::sim {

bool asks_for_owned(const Model& model) {
  if (model.witnesses.empty() || model.program->names_leases()) return false;
  return std::ranges::any_of(model.properties,
                             [](Property property) { return row(property).of_keys; });
}

bool asks_for_freed(const Model& model) {
  return !model.witnesses.empty() && model.properties.contains(Property::lost_wakeup);
}

bool asks_for_written(const Model& model) {
  if (model.witnesses.empty() || !model.properties.contains(Property::no_lost_update)) return false;
  if (model.program->permits() > 1) return false;  // nobody is alone with the resource
  return std::ranges::any_of(model.processes, [](const ProcessSetup& setup) {
    int exclusive = 0;  // how many locks are held so
    return std::ranges::any_of(setup.workload, [&](const WorkStep& step) {
      if (step.kind == WorkStep::Kind::lock && !is_shared(setup, step.lock)) ++exclusive;
      if (step.kind == WorkStep::Kind::unlock && !is_shared(setup, step.lock)) --exclusive;
      return exclusive > 0 && step.kind == WorkStep::Kind::work;
    });
  });
}

}  // namespace lockstep::sim
