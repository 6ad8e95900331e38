// Live replays on several independent nodes: confirmed as told, and what is not as told is found on
// the node where it is.
#include "live/nodes.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/redis/reply.hpp"
#include "tests/live/hand_made_run.hpp"
#include "tests/live/plans.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using Outcome = live::Confirmation::Outcome;
using sim::Action;
using test::first;
using test::replayed;

sim::Model redlock(sim::Fault fault, sim::Property property) {
  auto model = test::with_fault(test::model({"redlock", 2, 1, 10'000, 3000}), fault);
  for (auto& process : model.processes) process.nodes = 3;
  model.properties = {property};
  return model;
}

live::Plan paused_redlock() {
  return test::plan_of(redlock(sim::Fault::pause, sim::Property::mutual_exclusion));
}

/// The place of the first step after which the third node has a key.
std::size_t third_has_key(const live::Plan& plan) {
  return first(plan, [](const auto& step) { return !step.keys.at(2).empty(); });
}

/// Replays a plan with the one untruth, and expects that it is found at this step.
void differs(const live::Plan& plan, std::size_t step, const std::string& detail) {
  const auto result = replayed(plan);
  CHECK(result.outcome == Outcome::differs);
  CHECK(result.step == step);
  CHECK_THAT(result.detail, Catch::Contains(detail));
}

TEST_CASE("Counterexamples on three nodes are confirmed: pauses, lost messages, a node's crash") {
  const auto confirmed = [](const live::Plan& plan) {
    const auto result = replayed(plan);
    INFO(result.detail);
    CHECK(result.outcome == Outcome::confirmed);
    CHECK(result.step == plan.steps.size());
  };
  confirmed(paused_redlock());
  auto crashed = test::plan_of(redlock(sim::Fault::node_crash, sim::Property::mutual_exclusion));
  confirmed(crashed);
  crashed.model.persistence = sim::Persistence::aof_always;  // and now nothing is forgotten
  CHECK(replayed(crashed).outcome == Outcome::differs);
}

TEST_CASE("A key that is not as told is found on the node where it is") {
  const auto plan = paused_redlock();
  const auto step = third_has_key(plan);
  auto other = plan;
  other.steps[step - 1].keys[2]["lock"].value = "other";
  differs(other, step, "redis-3: expected: lock = other");
  auto none = plan;
  none.steps[step - 1].keys[2].clear();
  differs(none, step, "redis-3: expected: no key lock");
  auto swapped = plan;
  swapped.steps[0].keys.assign(3, {});
  std::swap(swapped.steps[1].keys[0], swapped.steps[1].keys[1]);
  differs(swapped, 2, "redis-1: expected: no key lock");
  auto longer = plan;
  longer.steps[step - 1].keys[2]["lock"].left_ms = 5000;
  differs(longer, step, "redis-3: ");
}

TEST_CASE("A request that goes to another node than told is found") {
  auto plan = paused_redlock();
  const auto step = first(plan, [](const auto& s) { return !s.effects.empty(); });
  plan.steps[step - 1].effects.back().node = 2;
  differs(plan, step, "to redis-3; found: it sends SET lock A.1 NX PX 1000 to redis-1");
}

TEST_CASE("A reply of one node that is not as told is found") {
  auto plan = paused_redlock();
  const auto step = third_has_key(plan);
  plan.steps[step - 1].reply = sim::Reply::null();
  differs(plan, step, "-> (nil); found: OK");
}

TEST_CASE("A crash of the wrong node is found") {
  auto plan = test::plan_of(redlock(sim::Fault::node_crash, sim::Property::mutual_exclusion));
  for (auto& step : plan.steps) {
    const bool of_node = step.action.kind == Action::Kind::node_crash ||
                         step.action.kind == Action::Kind::node_restart;
    if (of_node) step.action.node = step.action.node == 0 ? 1 : 0;
  }
  CHECK(replayed(plan).outcome == Outcome::differs);
}

TEST_CASE("A deadlock on two nodes is confirmed by a fresh client that asks both") {
  test::InlineLock lock({"for node = 1, self.nodes do "
                         "if call { node = node, 'SETNX', self.key, '1' } == 0 then "
                         "return false end end return true",
                         "for node = 1, self.nodes do call { node = node, 'DEL', self.key } end"},
                        ", nodes = 2");
  for (auto& process : lock.model.processes) process.nodes = 2;
  lock.model.properties = {sim::Property::deadlock};
  lock.model.budget.at(static_cast<std::size_t>(sim::Fault::crash)) = 1;
  auto plan = test::plan_of(lock.model);
  CHECK(replayed(plan).outcome == Outcome::confirmed);
  plan.steps.clear();  // nobody has done anything
  differs(plan, 0, "a fresh client acquires the lock");
}

TEST_CASE("Who has begun a transaction at a node that died finds its connection dead") {
  auto model =
      test::with_fault(test::model({"watch-multi-del", 2, 1, 1000, 300}), sim::Fault::node_crash);
  model.properties = {};
  model.persistence = sim::Persistence::aof_always;
  test::HandMadeRun run(model);
  run.client(Action::Kind::begin);
  run.answered();  // SET
  run.answered();  // READ
  run.passes(300);
  run.client(Action::Kind::timer);
  run.answered();  // WRITE
  run.answered();  // WATCH
  run.client(Action::Kind::execute);
  run.server(Action::Kind::node_crash, 0);
  run.server(Action::Kind::node_restart, 0);
  run.client(Action::Kind::deliver);
  auto plan = run.plan();
  REQUIRE_FALSE(plan.steps.back().departures.empty());
  CHECK(plan.steps.back().departures.back().broken);
  run.client(Action::Kind::deliver);
  const auto result = replayed(run.plan());
  INFO(result.detail);
  CHECK(result.outcome == Outcome::confirmed);
}

TEST_CASE("Servers of our own are as many as the model has, and leave nothing behind") {
  std::vector<std::filesystem::path> folders;
  live::Address address;
  {
    const auto servers = live::own_servers(redlock(sim::Fault::pause, sim::Property::leak));
    REQUIRE(servers.size() == 3);
    for (const auto& server : servers) folders.push_back(server.own->folder());
    address = servers[2].address;
    live::Nodes nodes(servers, {"lock"});
    nodes.crash(1);
    CHECK_FALSE(nodes.is_up(1));
    CHECK_FALSE(nodes.all_up());
    nodes.restart(1);
    CHECK(nodes.all_up());
    live::Connection(address).execute({"SET", "lock", "1"});
    CHECK(nodes.keys(1).empty());
    CHECK(nodes.keys(2).size() == 1);
    CHECK_THROWS_AS(live::Nodes(servers, {"lock"}), sim::BadInput);
  }
  for (const auto& folder : folders) CHECK_FALSE(std::filesystem::exists(folder));
  CHECK_THROWS_AS(live::Connection(address), live::ConnectionBroken);
}

}  // namespace
}  // namespace lockstep::tests
