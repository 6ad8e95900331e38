// Live replays: a run that is as told is confirmed, and every kind of untruth in a plan is found.
#include "live/replay.hpp"

#include <catch2/catch.hpp>
#include <functional>

#include "live/connection.hpp"
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
using test::is_confirmed;
using test::is_found;
using test::replayed;

live::Plan plan_of(const std::string& protocol, const std::vector<sim::Fault>& faults,
                   sim::Property property) {
  auto model = test::model({protocol, 2, 1, 10'000, 3000});
  for (const auto fault : faults) model.budget.at(static_cast<std::size_t>(fault)) = 1;
  model.properties = {property};
  auto plan = test::plan_of(model);
  CHECK(plan.model.processes.front().lease_ms * 10 == model.processes.front().lease_ms);
  return plan;
}

live::Plan paused() {
  return plan_of("set-token-lua", {sim::Fault::pause}, sim::Property::mutual_exclusion);
}

TEST_CASE("A counterexample is confirmed, tokens and all") {
  const auto result = replayed(paused());
  INFO(result.detail);
  CHECK(result.outcome == Outcome::confirmed);
  CHECK(result.step == 9);
  CHECK(result.seconds >= 1);  // the lease has really ended
}

TEST_CASE("A reply that is not as told is found at its step") {
  auto plan = paused();
  const auto step = first(plan, [](const auto& s) { return s.reply.has_value(); });
  plan.steps[step - 1].reply = sim::Reply::null();
  const auto result = replayed(plan);
  CHECK(result.outcome == Outcome::differs);
  CHECK(result.step == step);
  CHECK_THAT(result.detail, Catch::Contains("-> (nil); found: OK"));
}

TEST_CASE("What differs from a server of another version says nothing of the run") {
  auto plan = paused();
  plan.model.server = sim::ServerVersion::redis_7_2;
  CHECK(replayed(plan).outcome == Outcome::confirmed);
  const auto step = first(plan, [](const auto& s) { return s.reply.has_value(); });
  plan.steps[step - 1].reply = sim::Reply::null();
  const auto result = replayed(plan);
  CHECK(result.outcome == Outcome::impossible);
  CHECK_THAT(result.detail, Catch::StartsWith("step " + std::to_string(step) +
                                              ": the run is one of redis-7.2, and redis 7.0"));
}

TEST_CASE("A key that is not as told is found: its value, its lifetime, its absence") {
  const auto differs = [](const std::function<void(sim::VisibleKeys&)>& change) {
    auto plan = paused();
    const auto step = first(plan, [](const auto& s) { return !s.keys[0].empty(); });
    change(plan.steps[step - 1].keys[0]);
    const auto result = replayed(plan);
    INFO(result.detail);
    CHECK(result.step == step);
    return result.outcome == Outcome::differs;
  };
  CHECK(differs([](auto& keys) { keys["lock"].value = "other"; }));
  CHECK(differs([](auto& keys) { keys["lock"].left_ms.reset(); }));
  CHECK(differs([](auto& keys) { keys["lock"].left_ms = 5000; }));
  CHECK(differs([](auto& keys) { keys.clear(); }));
  CHECK(differs([](auto& keys) { keys["another"] = {"v", std::nullopt}; }));
}

TEST_CASE("A client that does not do what is told is found") {
  auto plan = paused();
  const auto step = first(plan, [](const auto& s) { return !s.effects.empty(); });
  auto less = plan;
  plan.steps[step - 1].effects[0].request[0] = "GET";
  less.steps[step - 1].effects.clear();
  for (const auto& changed : {plan, less}) {
    const auto result = replayed(changed);
    CHECK(result.outcome == Outcome::differs);
    CHECK(result.step == step);
  }
}

TEST_CASE("A write that loses no update is found, where one is told that does") {
  auto plan = plan_of("set-token-lua", {sim::Fault::pause}, sim::Property::no_lost_update);
  const auto loser = plan.steps.back().action.process;
  const auto is_winners = [loser](const auto& s) {
    return s.action.kind == Action::Kind::execute && s.action.process != loser;
  };
  while (!is_winners(plan.steps.back())) plan.steps.pop_back();
  const auto result = replayed(plan);
  CHECK(result.outcome == Outcome::differs);
  CHECK(result.detail == "no update is lost");
}

TEST_CASE("A key that should have expired has, and one that should not have has not") {
  auto plan = paused();
  const auto step = first(plan, [](const auto& s) { return s.action.kind == Action::Kind::pass; });
  plan.steps[step - 1].action.amount_ms = 500;
  const auto result = replayed(plan);  // only half the lease, yet the key is said to be gone
  CHECK(result.outcome == Outcome::confirmed);  // the driver waits until it is

  plan.steps[step - 1].keys = plan.steps[step - 2].keys;  // and now it is said to be there
  plan.steps[step - 1].keys[0]["lock"].left_ms = 500;
  const auto other = replayed(plan);
  CHECK(other.outcome == Outcome::differs);  // B is told that it gets the lock, and does not
  CHECK(other.step == step + 2);
}

TEST_CASE("A deadlock is confirmed by a fresh client; a lock that it gets is none") {
  auto plan = plan_of("setnx", {sim::Fault::crash}, sim::Property::deadlock);
  CHECK(replayed(plan).outcome == Outcome::confirmed);

  plan.steps.clear();  // nobody has done anything
  const auto result = replayed(plan);
  CHECK(result.outcome == Outcome::differs);
  CHECK(result.detail == "a fresh client acquires the lock");
}

TEST_CASE("Of several permits fresh clients have to get all, each of them one") {
  test::InlineLock lock({"redis('SETNX', self.key, 2) return redis('EVAL', [[if "
                         "redis.call('get', KEYS[1]) == '0' then return 0 end "
                         "redis.call('decr', KEYS[1]) return 1]], 1, self.key) == 1",
                         "return redis('INCR', self.key) > 0"},
                        ", permits = 2");
  lock.lasting(1000, 10);  // all of them have to come within a lease, also on a slow machine
  lock.model.properties = {sim::Property::deadlock};
  auto plan = test::plan_of(test::with_fault(lock.model, sim::Fault::crash));
  is_confirmed(plan);

  plan.steps.clear();
  is_found(plan, "a fresh client acquires the lock");
}

TEST_CASE("A task that goes on for ever is really seen to go on, or is none") {
  for (const bool goes_on : {true, false}) {
    const std::string body = goes_on ? "redis('INCR', 'beats')" : "return false";
    test::InlineLock lock({"every(20, function() " + body + " end) return true", "return true"});
    auto model = lock.model;
    model.processes.resize(1);
    model.processes.front().lease_ms = 100;
    test::HandMadeRun run(model);
    run.client(sim::Action::Kind::begin);
    run.answered();  // by the resource
    auto plan = run.plan();
    plan.violated = sim::Property::leak;
    plan.endless = true;
    const auto result = test::replayed(plan);
    CAPTURE(goes_on, result.detail);
    CHECK((result.outcome == live::Confirmation::Outcome::differs) != goes_on);
  }
}

TEST_CASE("A client that ends its own process is really gone, and its key stays") {
  test::InlineLock lock({"return redis('SET', self.key, 'v', 'NX') == OK",
                         "spawn(redis, 'GET', self.key) sleep(10) exit()"});
  lock.model.properties = {sim::Property::leak};
  is_confirmed(test::plan_of(lock.model));
}

TEST_CASE("Crashes of the server, of clients, and lost messages are really made") {
  const auto confirmed = [](const live::Plan& plan) {
    const auto result = replayed(plan);
    INFO(result.detail);
    CHECK(result.outcome == Outcome::confirmed);
  };
  confirmed(plan_of("set-token-lua", {sim::Fault::node_crash}, sim::Property::mutual_exclusion));
  confirmed(plan_of("setnx", {sim::Fault::lose}, sim::Property::deadlock));
  confirmed(plan_of("set-token-settle", {sim::Fault::lose}, sim::Property::honest_result));
  confirmed(plan_of("set-token-lua", {sim::Fault::delay}, sim::Property::mutual_exclusion));
  confirmed(plan_of("set-ex-nx", {sim::Fault::pause}, sim::Property::foreign_release));
  confirmed(plan_of("set-token-lua", {sim::Fault::pause}, sim::Property::no_lost_update));
}

TEST_CASE("What no real server can be made to do is said beforehand") {
  auto model = test::model({"set-token-lua", 2, 1, 10'000, 3000});
  live::Plan plan;
  plan.model = model;
  plan.steps.resize(2);
  CHECK_FALSE(live::not_reproducible(plan, true));
  plan.steps[1].action.kind = Action::Kind::jump_node;
  CHECK_THAT(live::not_reproducible(plan, true).value(),
             Catch::Contains("step 2: ") && Catch::Contains("clock"));
  plan.steps[1].action.kind = Action::Kind::power_loss;
  CHECK_THAT(live::not_reproducible(plan, true).value(), Catch::Contains("power"));
  plan.steps[1].action.kind = Action::Kind::node_crash;
  CHECK_FALSE(live::not_reproducible(plan, true));
  CHECK_THAT(live::not_reproducible(plan, false).value(), Catch::Contains("--redis"));
  plan.model.node_clocks_ms = {0, -5};
  CHECK_THAT(live::not_reproducible(plan, true).value(), Catch::Contains("cannot be set"));
}

TEST_CASE("On somebody else's server only the protocol's keys are touched") {
  live::Server server(sim::Persistence::none);
  const std::vector<live::RunningServer> theirs{{server.address(), {}}};
  live::Connection connection(server.address());
  connection.execute({"SET", "other", "theirs"});
  const auto plan = plan_of("set-token-lua", {sim::Fault::pause}, sim::Property::mutual_exclusion);
  CHECK(live::replay(plan, theirs).outcome == Outcome::confirmed);
  CHECK(connection.execute({"KEYS", "*"}).items.size() == 1);  // ours are gone, theirs is there

  connection.execute({"SET", "lock", "theirs"});
  CHECK_THROWS_WITH(live::replay(plan, theirs), Catch::Contains("the key lock exists already"));
  CHECK(connection.execute({"GET", "lock"}).text == "theirs");
}

TEST_CASE("That somebody else's server refuses to serve is no difference") {
  const live::Server server(sim::Persistence::none);
  live::Connection(server.address()).execute({"REPLICAOF", "127.0.0.1", "1"});
  CHECK_THROWS_WITH(live::replay(paused(), {{server.address(), {}}}),
                    Catch::Contains("the server refuses to serve: READONLY"));
}

TEST_CASE("What a client had asked the resource before its crash is no basis of its next write") {
  const test::InlineLock lock({"return true", "return true"});
  auto model = test::with_fault(lock.model, sim::Fault::crash);
  model = test::with_fault(model, sim::Fault::delay);
  model.processes[0].rounds = 2;
  model.properties = {sim::Property::no_lost_update};
  test::HandMadeRun run(model);
  run.client(Action::Kind::begin);
  run.client(Action::Kind::delay);  // its READ is held back
  run.client(Action::Kind::crash);
  run.client(Action::Kind::begin);
  run.client(Action::Kind::execute, 0, 1);
  run.client(Action::Kind::deliver, 0, 1);
  run.client(Action::Kind::begin, 1);
  run.answered(1);
  run.passes(10);
  run.client(Action::Kind::timer, 1);
  run.client(Action::Kind::execute, 1);  // B has written since A read,
  run.client(Action::Kind::release);     // and A's former life reads now
  run.client(Action::Kind::execute);
  run.client(Action::Kind::timer);
  run.client(Action::Kind::execute);
  const auto plan = run.plan();
  REQUIRE(plan.violated == sim::Property::no_lost_update);
  const auto result = replayed(plan);
  INFO(result.detail);
  CHECK(result.outcome == Outcome::confirmed);
}

}  // namespace
}  // namespace lockstep::tests
