// Live replays with replicas: lags, failovers, WAIT and READONLY are real, and what is not as told
// is found.
#include "live/replication.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "sim/redis/reply.hpp"
#include "tests/live/hand_made_run.hpp"
#include "tests/live/plans.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using sim::Fault;
using Does = sim::Action::Kind;
using Outcome = live::Confirmation::Outcome;
using test::replayed;

sim::Model replicated(const std::string& protocol, int replicas) {
  auto model = test::model({protocol, 2, 1, 1000, 300});
  for (auto& process : model.processes) process.replicas = replicas;
  for (const auto fault : {Fault::lag, Fault::failover, Fault::node_crash})
    model.budget.at(static_cast<std::size_t>(fault)) = 1;
  model.properties = {};
  return model;
}

void is_confirmed(const live::Plan& plan) {
  const auto result = replayed(plan);
  INFO("step " << result.step << ": " << result.detail);
  CHECK(result.outcome == Outcome::confirmed);
}

void is_found(const live::Plan& plan, const std::string& detail) {
  const auto result = replayed(plan);
  CHECK(result.outcome == Outcome::differs);
  CHECK_THAT(result.detail, Catch::Contains(detail));
}

/// Of two replicas the first one lags when A gets the lock, and is promoted.
live::Plan lost_with_lag() {
  test::HandMadeRun run(replicated("set-token-lua", 2));
  run.server(Does::lag, 1);
  run.client(Does::begin);
  run.answered();
  run.server(Does::failover, 1);
  run.learns(1, 1);
  run.client(Does::begin, 1);
  run.answered(1);
  return run.plan();
}

TEST_CASE("What a replica that lags has not got is lost in a failover") {
  const auto plan = lost_with_lag();
  CHECK(plan.steps[2].keys[1].empty());
  CHECK(plan.steps[2].keys[2].contains("lock"));
  is_confirmed(plan);
}

TEST_CASE("A lag, a failover or a replica's key that is not as told is found") {
  auto other = lost_with_lag();
  other.steps[0].action.node = 2;
  is_found(other, "redis-2: expected: no key lock");
  auto none = lost_with_lag();
  none.steps.erase(none.steps.begin());
  is_found(none, "redis-2: expected: no key lock");
  auto promoted = lost_with_lag();
  promoted.steps[4].action.node = 2;  // so the one that B asks is a replica
  is_found(promoted, "found: (error) READONLY");
  auto key = lost_with_lag();
  key.steps[2].keys[2]["lock"].value = "other";
  is_found(key, "redis-3: expected: lock = other");
  auto asked = lost_with_lag();
  asked.steps[6].departures[0].server = 0;  // B has not learnt
  is_found(asked, "-> OK; found: (nil)");
}

TEST_CASE("WAIT waits at a real master, until its time is over or the replica has it all") {
  for (const bool catches_up : {false, true}) {
    test::HandMadeRun run(replicated("set-wait", 1));
    run.server(Does::lag, 1);
    run.client(Does::begin);
    run.answered();
    run.client(Does::execute);
    if (catches_up)
      run.server(Does::catch_up, 1);
    else
      run.passes(100);
    run.answered();
    auto plan = run.plan();
    const auto reply = plan.steps.end() - 2;
    CHECK(**reply->reply == sim::Reply::number(catches_up ? 1 : 0));
    is_confirmed(plan);
    reply->reply = sim::Reply::number(7);
    is_found(plan, "-> 7; found: ");
  }
}

TEST_CASE("Who waits at a master that comes to follow another one is told so") {
  test::HandMadeRun run(replicated("set-wait", 1));
  run.server(Does::lag, 1);
  run.client(Does::begin);
  run.answered();
  run.client(Does::execute);
  run.server(Does::failover, 1);
  run.server(Does::follow, 0);
  run.answered();
  const auto plan = run.plan();
  CHECK_THAT((plan.steps.end() - 2)->reply.value()->text, Catch::StartsWith("UNBLOCKED"));
  is_confirmed(plan);
}

TEST_CASE("WAIT counts all replicas that have it") {
  test::HandMadeRun run(replicated("set-wait-one", 3));
  run.server(Does::lag, 2);
  run.client(Does::begin);
  run.answered();
  run.answered();
  const auto plan = run.plan();
  CHECK(*plan.steps[4].reply.value() == sim::Reply::number(2));
  is_confirmed(plan);
}

TEST_CASE("WAIT counts a replica that lags as long as it misses nothing of this connection's") {
  test::InlineLock lock({"redis('GET', self.key) redis('WAIT', 1, 100) return false", "return"},
                        ", replicas = 1");
  auto model = replicated("set-wait", 1);
  model.program = lock.model.program;
  test::HandMadeRun run(model);
  run.server(Does::lag, 1);
  run.client(Does::begin);
  run.answered();
  run.client(Does::begin, 1);
  run.answered(1);
  run.answered();
  run.answered(1);
  const auto plan = run.plan();
  CHECK(*(plan.steps.end() - 2)->reply.value() == sim::Reply::number(1));
  is_confirmed(plan);
}

TEST_CASE("A crash of a master, and of a replica, leaves what the persistence has kept") {
  for (const auto persistence : {sim::Persistence::none, sim::Persistence::aof_always}) {
    for (const std::uint8_t server : std::array<std::uint8_t, 2>{0, 1}) {
      auto model = replicated("set-token-lua", 1);
      model.persistence = persistence;
      test::HandMadeRun run(model);
      run.client(Does::begin);
      run.answered();
      run.answered();  // by the resource: it works
      run.server(Does::node_crash, server);
      run.passes(100);
      run.server(Does::node_restart, server);
      auto plan = run.plan();
      CHECK(plan.steps.back().keys[server].empty() == (persistence == sim::Persistence::none));
      CHECK(plan.steps.back().keys[1 - server].size() == 1);  // nobody has asked for everything yet
      run.server(Does::catch_up, 1);
      is_confirmed(run.plan());
    }
  }
}

TEST_CASE("A fresh client, which is to find a deadlock, asks the newest master") {
  for (const bool lags : {false, true}) {
    auto model = test::with_fault(replicated("setnx", 1), Fault::crash);
    test::HandMadeRun run(model);
    if (lags) run.server(Does::lag, 1);
    run.client(Does::begin);
    run.answered();
    run.client(Does::crash);
    run.server(Does::failover, 1);
    auto plan = run.plan();
    plan.violated = sim::Property::deadlock;
    if (lags)
      is_found(plan, "a fresh client acquires the lock");
    else
      is_confirmed(plan);
  }
}

TEST_CASE("A link that is cut and heals: what is sent waits") {
  auto model = replicated("set-token-lua", 1);
  model.budget.at(static_cast<std::size_t>(Fault::cut)) = 1;
  test::HandMadeRun run(model);
  run.client(Does::begin);
  run.client(Does::cut_requests);
  run.client(Does::begin, 1);
  run.answered(1);
  run.client(Does::heal);
  run.answered();
  is_confirmed(run.plan());
}

}  // namespace
}  // namespace lockstep::tests
