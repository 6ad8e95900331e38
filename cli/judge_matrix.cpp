// See judge_matrix.hpp.
#include "cli/judge_matrix.hpp"

#include <algorithm>
#include <memory>

#include "cli/parallel.hpp"
#include "cli/progress.hpp"
#include "sim/base/check.hpp"
#include "sim/client/program.hpp"

namespace lockstep::cli {

scenarios::Scenario matrix_world(const std::string& protocol, const std::filesystem::path& folder,
                                 const ModelFlags& model, const BoundFlags& bounds,
                                 std::uint64_t most_states) {
  auto world = scenarios::default_scenario(protocol, folder);
  world.resource = sim::Resource::fenced;
  world.bounds.max_states = most_states;
  apply(model, world);
  apply(bounds, world);
  // What is wrong with flags is wrong under every condition.
  if (model.any()) scenarios::model_of(world, std::make_shared<const sim::Program>(folder));
  return world;
}

checker::Progress until_over(const BoundFlags& bounds) {
  scenarios::Scenario checked;  // what is wrong with them
  apply(bounds, checked);
  return until_interrupted(checked.bounds);
}

std::vector<scenarios::Condition> chosen_conditions(bool overview_only) {
  std::vector<scenarios::Condition> chosen;
  for (const auto& condition : scenarios::conditions())
    if (condition.overview || !overview_only) chosen.push_back(condition);
  return chosen;
}

std::vector<scenarios::Matrix> judge_matrices(const std::vector<scenarios::Scenario>& worlds,
                                              const std::vector<scenarios::Condition>& conditions,
                                              std::optional<int> jobs, const Io& io,
                                              const checker::Progress& watch) {
  std::vector<scenarios::Matrix> matrices;
  std::vector<bool> reentrant;
  const bool asked = std::any_of(conditions.begin(), conditions.end(),
                                 [](const auto& each) { return each.needs_reentry(); });
  for (const auto& world : worlds) {
    matrices.push_back({world, sim::Program(world.folder).fingerprint(), {}});
    reentrant.push_back(asked && scenarios::reenters(world, watch));
  }
  const auto count = worlds.size() * conditions.size();
  in_order(
      count, jobs_of(jobs),
      [&](std::size_t i) {
        const auto at = i % worlds.size();
        const auto& condition = conditions[i / worlds.size()];
        try {
          return scenarios::judge_each(condition, worlds[at], reentrant[at], watch);
        } catch (const sim::InternalError& error) {
          throw sim::InternalError(worlds[at].protocol + ", " + condition.name + ": " +
                                   error.what());
        }
      },
      [&](std::size_t i, const std::vector<scenarios::Finding>& found) {
        auto& all = matrices[i % worlds.size()].findings;
        all.insert(all.end(), found.begin(), found.end());
        count_progress(io, i + 1, count);
      });
  end_progress(io);
  return matrices;
}

ExitCode exit_code(const std::vector<scenarios::Matrix>& matrices) {
  using scenarios::Standing;
  for (const auto& matrix : matrices)
    for (const auto& finding : matrix.findings)
      if (finding.standing == Standing::inconclusive || finding.standing == Standing::vacuous)
        return kInconclusive;
  return kAsExpected;
}

scenarios::Judgement counterexample(const scenarios::Finding& finding,
                                    const scenarios::Scenario& world,
                                    const checker::Progress& watch) {
  const auto& conditions = scenarios::conditions();
  const auto condition =
      std::ranges::find(conditions, finding.condition, &scenarios::Condition::name);
  auto scenario = scenarios::under(*condition, world);
  scenario.properties = {finding.property};
  return scenarios::judge(scenario, watch);
}

}  // namespace lockstep::cli
