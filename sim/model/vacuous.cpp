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

}  // namespace lockstep::sim
