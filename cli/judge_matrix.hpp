// Carries out the checks of matrices on all cores.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/io.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/matrix.hpp"

namespace lockstep::cli {

/// The world that the flags describe, which the conditions change: two clients that lock, work 3 s
/// and unlock, a resource that checks fencing tokens (a protocol without them is not affected), and
/// at most 200,000 states a search unless the flags say otherwise.
scenarios::Scenario matrix_world(const std::string& protocol, const std::filesystem::path& folder,
                                 const ModelFlags& model, const BoundFlags& bounds);

/// Ends all searches of a command together, with Ctrl-C or when the time that the flags give it,
/// from now on, is over.
checker::Progress until_over(const BoundFlags& bounds);

/// The conditions of the overview, or all of them.
std::vector<scenarios::Condition> chosen_conditions(bool overview_only);

/// A matrix for each world, under `conditions`. Throws BadInput if a protocol cannot be loaded.
/// `watch` is asked on several threads; what it does not let be reached is inconclusive. Every
/// world comes to a condition before the first one comes to the next.
std::vector<scenarios::Matrix> judge_matrices(const std::vector<scenarios::Scenario>& worlds,
                                              const std::vector<scenarios::Condition>& conditions,
                                              std::optional<int> jobs, const Io& io,
                                              const checker::Progress& watch = {});

}  // namespace lockstep::cli
