// See the header.
#include "sim/model/invariants.hpp"

#include "sim/base/sha1.hpp"
#include "sim/client/claims.hpp"
#include "sim/client/program.hpp"

namespace lockstep::sim {

bool states_invariants(const Model& model) {
  return model.claims != nullptr || !model.program->invariants().empty();
}

std::optional<std::string> broken_invariant(const Model& model, const std::string& world) {
  const auto broken = model.program->broken_invariant(world);
  return broken || !model.claims ? broken : model.claims->broken_invariant(world);
}

std::string invariants_compare(const Model& model, const std::string& world) {
  return model.program->invariants_compare(world) +
         (model.claims ? model.claims->compare(world) : "");
}

std::string fingerprint(const Model& model) {
  const std::string& protocol = model.program->fingerprint();
  return model.claims ? sha1_hex(protocol + model.claims->fingerprint()) : protocol;
}

}  // namespace lockstep::sim
