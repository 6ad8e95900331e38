// Random runs of the simulator on several nodes and replicas, and on a cluster whose slots migrate:
// whatever a run is, real servers must agree at every step. LOCKSTEP_RUNS sets how many,
// LOCKSTEP_SEEDS which.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "checker/trace/trace.hpp"
#include "live/plan.hpp"
#include "live/replay.hpp"
#include "sim/model/wording.hpp"
#include "tests/live/plans.hpp"
#include "tests/support/model.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/setting.hpp"

namespace lockstep::tests {
namespace {

using sim::Action;
using sim::Fault;
using Outcome = live::Confirmation::Outcome;

struct Setup {
  const char* protocol;
  int nodes, replicas;
  int threads = 1;
};
const std::vector<Setup> kSetups{{"redlock", 3, 0},
                                 {"redlock-parallel", 3, 0},
                                 {"set-wait-one", 1, 2},
                                 {"set-wait", 1, 1},
                                 {"replica-reentry", 1, 2},
                                 {"redlock", 2, 1},
                                 {"fencing", 1, 3},
                                 {"watch-multi-del", 1, 1},
                                 {"readonly-retry", 1, 2},
                                 {"redlock-first-quorum", 3, 0},
                                 {"options/shared-connection-lua", 1, 1, 2},
                                 {"options/shared-connection-watch", 1, 0, 2}};

sim::Model replicated(const Setup& setup, std::mt19937& random) {
  auto model = test::model({setup.protocol, 2, 2, 1000, 300});
  for (auto& process : model.processes) {
    process.nodes = setup.nodes;
    process.replicas = setup.replicas;
    process.threads = setup.threads;
  }
  model.properties = {};
  for (const auto fault : {Fault::lag, Fault::failover, Fault::lose, Fault::delay, Fault::pause,
                           Fault::crash, Fault::cut, Fault::node_crash, Fault::flush, Fault::oom})
    model.budget.at(static_cast<std::size_t>(fault)) = static_cast<std::uint8_t>(random() % 3);
  // A master that was a replica in between counts offsets anew: to a connection of before, a real
  // WAIT there says nothing that could be foretold.
  auto& failovers = model.budget.at(static_cast<std::size_t>(Fault::failover));
  if (std::string(setup.protocol).starts_with("set-wait"))
    failovers = std::min<std::uint8_t>(failovers, 1);
  else
    model.min_replicas = static_cast<int>(random() % 2) * std::min(setup.replicas, 1);
  constexpr std::array kept{sim::Persistence::none, sim::Persistence::rdb,
                            sim::Persistence::aof_always};
  model.persistence = kept.at(random() % kept.size());
  return model;
}

sim::Model migrating(const char* protocol, std::mt19937& random) {
  auto model = test::model({protocol, 2, 2, 1000, 300});
  for (auto& process : model.processes) process.lock_keys = {"{orders}"};
  model.properties = {};
  for (const auto fault :
       {Fault::lose, Fault::delay, Fault::pause, Fault::crash, Fault::cut, Fault::flush})
    model.budget.at(static_cast<std::size_t>(fault)) = static_cast<std::uint8_t>(random() % 3);
  return test::with_fault(model, Fault::migrate, static_cast<std::uint8_t>(1 + random() % 2));
}

/// A run of some length. Time passes where nothing else is chosen, and now and then.
checker::Trace random_run(const sim::Model& model, std::mt19937& random) {
  checker::Walk walk(model);
  for (auto left = 15 + random() % 35; left > 0; --left) {
    std::vector<Action> actions, passes;
    for (const auto& option : walk.enabled())
      if (sim::row(option.action.kind).live != sim::OnRealServer::never)
        (option.action.kind == Action::Kind::pass ? passes : actions).push_back(option.action);
    const bool passing = !passes.empty() && (actions.empty() || random() % 12 == 0);
    const auto& chosen = passing ? passes : actions;
    if (chosen.empty()) break;
    walk.take(chosen[random() % chosen.size()], "a random run");
  }
  return walk.trace();
}

std::string told(const checker::Trace& trace) {
  std::string text;
  for (const auto& step : trace.steps) text += step.prose.actor + "  " + step.prose.sentence + "\n";
  return text;
}

/// Replays a run for each seed, of what `made` gives for it.
template <typename Made>
void replay_runs(const char* what, std::uint32_t count, Made made) {
  const auto seeds = test::seeds_of(what, count);
  std::size_t steps = 0, slow = 0, left_out = 0;
  for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
    std::mt19937 random(seed);
    const auto model = made(seed, random);
    const auto trace = random_run(model, random);
    INFO("seed " << seed << ", " << model.program->folder().string() << '\n' << told(trace));
    const auto plan = test::plan_of(model, trace);
    if (live::not_reproducible(plan, true)) {  // a replica's acknowledgements are held back
      ++left_out;
      continue;
    }
    auto result = test::replayed(plan);
    if (result.outcome == Outcome::too_slow) result = test::replayed(plan);  // others were at work
    INFO("step " << result.step << ": " << result.detail);
    CHECK((result.outcome == Outcome::confirmed || result.outcome == Outcome::too_slow));
    steps += result.step;
    slow += result.outcome == Outcome::too_slow ? 1U : 0U;
  }
  std::cout << seeds.count() << " runs, " << steps << " steps, " << slow << " too slow\n";
  CHECK((slow + left_out) * 4 <= seeds.count());
}

std::uint32_t runs(std::uint32_t unless_set) {
  return static_cast<std::uint32_t>(test::setting("LOCKSTEP_RUNS", unless_set));
}

TEST_CASE("Random runs on several nodes and replicas are as told on real servers", "[replicas]") {
  replay_runs("live runs", runs(12), [](std::uint32_t seed, std::mt19937& random) {
    return replicated(kSetups[seed % kSetups.size()], random);
  });
}

TEST_CASE("Random runs on a cluster whose slots migrate are as told on real nodes", "[migration]") {
  constexpr std::array kProtocols{
      "set-token-lua", "two-keys",           "two-keys-retried",          "get-multi-del",
      "fencing",       "px-waiting-evalsha", "px-waiting-evalsha-or-eval"};
  replay_runs("live migrations", runs(8), [&](std::uint32_t seed, std::mt19937& random) {
    return migrating(kProtocols.at(seed % kProtocols.size()), random);
  });
}

}  // namespace
}  // namespace lockstep::tests
