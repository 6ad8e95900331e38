// Carries out the checks of matrices on all cores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/judge.hpp"
#include "scenarios/matrix.hpp"

namespace lockstep::cli {

// How many states a search has at most unless the flags say otherwise.
/// Some seconds: what a lock that waits does with more threads or rounds.
inline constexpr std::uint64_t kStatesOfMatrix = 2'000'000;
/// There are two matrices, and somebody waits in front of a pull request.
inline constexpr std::uint64_t kStatesOfDiff = 200'000;
/// There are dozens of matrices. What breaks first breaks early.
inline constexpr std::uint64_t kStatesOfWhy = 20'000;

/// The world that the flags describe, which the conditions change: two clients that lock, work 3 s
/// and unlock, a resource that checks fencing tokens (a protocol without them is not affected), and
/// at most so many states a search unless the flags say otherwise.
scenarios::Scenario matrix_world(const std::string& protocol, const std::filesystem::path& folder,
                                 const ModelFlags& model, const BoundFlags& bounds,
                                 std::uint64_t most_states);

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

/// Verdicts that are not known make the exit code so; violated ones are what a matrix is for.
ExitCode exit_code(const std::vector<scenarios::Matrix>& matrices);

/// The run behind a violated `finding` of the matrix of `world`.
scenarios::Judgement counterexample(const scenarios::Finding& finding,
                                    const scenarios::Scenario& world,
                                    const checker::Progress& watch);

}  // namespace lockstep::cli
