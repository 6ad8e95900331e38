// The invariants of a model: those that its protocol states, and those of its scenario.
#pragma once

#include <optional>
#include <string>

#include "sim/model/model.hpp"

namespace lockstep::sim {

bool states_invariants(const Model& model);

/// The first invariant that is not true of a world, which is shown as the view `world`
/// (docs/protocols.md): the protocol's first. Throws BadInput for an error in one, with its place.
std::optional<std::string> broken_invariant(const Model& model, const std::string& world);

/// What they compare of it, as text.
std::string invariants_compare(const Model& model, const std::string& world);

/// Lower-case SHA-1 that changes when a file of the protocol does, or that with the scenario's
/// invariants; without such a file the protocol's own.
std::string fingerprint(const Model& model);

}  // namespace lockstep::sim
