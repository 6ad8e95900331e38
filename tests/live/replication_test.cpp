// Live replays with replicas: lags, failovers, WAIT, READONLY and NOREPLICAS are real, and what is
// not as told is found.
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
using test::is_confirmed;
using test::is_found;
using test::replayed;
using test::said;

sim::Model replicated(const std::string& protocol, int replicas) {
  auto model = test::model({protocol, 2, 1, 1000, 300});
  for (auto& process : model.processes) process.replicas = replicas;
  for (const auto fault : {Fault::lag, Fault::failover, Fault::node_crash})
    model.budget.at(static_cast<std::size_t>(fault)) = 1;
  model.properties = {};
  return model;
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
  CHECK_THAT(said(plan, 2), Catch::StartsWith("UNBLOCKED"));
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
  CHECK(test::answered(plan, 2) == sim::Reply::number(1));
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

/// A master that writes only with a replica.
sim::Model with_min_replicas() {
  auto model = replicated("set-token-lua", 1);
  model.min_replicas = 1;
  return model;
}

/// A asks for the lock at redis-1, which its only replica has left.
live::Plan after_failover(bool misses, std::int64_t passes_ms = 0) {
  test::HandMadeRun run(test::with_fault(with_min_replicas(), Fault::delay));
  run.server(Does::failover, 1);
  if (misses) run.server(Does::miss, 0);
  if (passes_ms > 0) {
    run.client(Does::begin);  // so that time may pass
    run.client(Does::delay);
    run.passes(passes_ms);
    run.client(Does::release);
  } else {
    run.client(Does::begin);
  }
  run.answered();
  return run.plan();
}

TEST_CASE("A master counts a replica that has left it until it misses it") {
  const auto counted = after_failover(false), missed = after_failover(true);
  CHECK(test::answered(counted, 2) == sim::Reply::ok());
  CHECK_THAT(said(missed, 2), Catch::StartsWith("NOREPLICAS"));
  is_confirmed(counted);
  is_confirmed(missed);
  auto untold = missed;
  untold.steps.erase(untold.steps.begin() + 1);
  is_found(untold, "Not enough good replicas to write.; found: OK");
  auto told = counted;
  told.steps.insert(told.steps.begin() + 1, missed.steps[1]);
  is_found(told, "found: (error) NOREPLICAS");
}

TEST_CASE("A real master misses a replica in time, by itself; just before, nobody can tell") {
  const auto missed = after_failover(false, 12'000);
  CHECK_THAT(said(missed, 2), Catch::StartsWith("NOREPLICAS"));
  is_confirmed(missed);
  is_confirmed(after_failover(false, 3000));
  const auto result = replayed(after_failover(false, 11'000));
  CHECK(result.outcome == Outcome::impossible);
  CHECK(result.detail == "step 6: a real master may have missed by now who has left it");
}

TEST_CASE("Who dies, or has not caught up, is not counted, nor when it leaves then") {
  test::HandMadeRun run(with_min_replicas());
  run.server(Does::node_crash, 1);
  run.client(Does::begin);
  run.answered();
  CHECK_THAT(said(run.plan(), 2), Catch::StartsWith("NOREPLICAS"));
  run.server(Does::node_restart, 1);
  run.server(Does::failover, 1);
  run.client(Does::begin, 1);
  run.answered(1);
  CHECK_THAT(said(run.plan(), 2), Catch::StartsWith("NOREPLICAS"));
  is_confirmed(run.plan());
}

TEST_CASE("A replica that has caught up is counted, and one that lags") {
  test::HandMadeRun run(with_min_replicas());
  run.server(Does::failover, 1);
  run.server(Does::follow, 0);
  run.learns(0, 1);
  run.client(Does::begin);
  run.answered();
  CHECK_THAT(said(run.plan(), 2), Catch::StartsWith("NOREPLICAS"));
  run.server(Does::catch_up, 0);
  run.server(Does::lag, 0);
  run.learns(1, 1);
  run.client(Does::begin, 1);
  run.answered(1);
  CHECK(test::answered(run.plan(), 2) == sim::Reply::ok());
  is_confirmed(run.plan());
}

TEST_CASE("Somebody empties a master, also one that has too few replicas to write") {
  auto model = test::with_fault(with_min_replicas(), Fault::flush);
  test::HandMadeRun run(model);
  run.client(Does::begin);
  run.answered();
  run.server(Does::node_crash, 1);
  run.server(Does::flush, 0);
  run.client(Does::begin, 1);
  run.answered(1);
  is_confirmed(run.plan());
}

TEST_CASE("A WAIT with min-replicas-to-write is refused by name") {
  auto model = replicated("set-wait", 1);
  model.min_replicas = 1;
  test::HandMadeRun run(model);
  run.client(Does::begin);
  run.answered();
  CHECK_THAT(live::not_reproducible(run.plan(), true).value(),
             Catch::Contains("min-replicas-to-write"));
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

TEST_CASE("A link that is cut and heals: what is sent waits, and may come later still") {
  auto model = replicated("set-token-lua", 1);
  model.budget.at(static_cast<std::size_t>(Fault::cut)) = 1;
  for (const bool late : {false, true}) {
    test::HandMadeRun run(model);
    run.client(Does::begin);
    run.client(Does::cut_requests);
    const auto other_goes_first = [&] {
      run.client(Does::begin, 1);
      run.answered(1);
    };
    if (!late) other_goes_first();
    run.client(late ? Does::heal_late : Does::heal);
    if (late) {
      other_goes_first();
      run.client(Does::release);
    }
    run.answered();
    is_confirmed(run.plan());
  }
}

}  // namespace
}  // namespace lockstep::tests
