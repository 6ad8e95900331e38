// Live replays of a slot migration on two real nodes of a cluster: MOVED, ASK and TRYAGAIN are
// real, the client's library follows them as the trace has it, and what is not as told is found.
#include "live/migration.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/redis/reply.hpp"
#include "tests/live/hand_made_run.hpp"
#include "tests/live/plans.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using sim::Fault;
using Does = sim::Action::Kind;
using test::is_confirmed;
using test::is_found;
using test::said;

sim::Model migrating(const std::string& protocol, std::uint8_t migrations = 1) {
  auto model =
      test::with_fault(test::model({protocol, 2, 1, 2000, 300}), Fault::migrate, migrations);
  for (auto& process : model.processes) process.lock_keys = {"{orders}"};
  model.properties = {};
  return model;
}

/// A has the lock; its key is at redis-2 before B asks for it at redis-1.
test::HandMadeRun moved_away(const sim::Model& model) {
  test::HandMadeRun run(model);
  run.client(Does::begin);
  run.answered();
  run.server(Does::migrate, 0);
  run.moves(0);
  run.client(Does::begin, 1);
  run.client(Does::execute, 1);
  return run;
}

TEST_CASE("A cluster of one node is one on a real server, also after a restart") {
  test::InlineLock lock(
      {"local ok, e = pcall(redis, 'MSET', 'a', 1, 'b', 2) "
       "return not ok and e.code == 'CROSSSLOT'",
       "return redis('DEL', self.key) == 0"});
  lock.model.cluster = true;
  lock.model.processes.resize(1);
  lock.model = test::with_fault(lock.model, Fault::node_crash);
  test::HandMadeRun run(lock.model);
  run.server(Does::node_crash, 0);
  run.server(Does::node_restart, 0);
  run.client(Does::begin);
  run.client(Does::execute);
  CHECK_THAT(said(run.plan(), 1), Catch::StartsWith("CROSSSLOT "));
  run.client(Does::deliver);
  is_confirmed(run.plan());
}

TEST_CASE("Who asks where a key is no more is led on, by ASK and by MOVED") {
  auto run = moved_away(migrating("set-token-lua"));
  CHECK_THAT(said(run.plan(), 1), Catch::StartsWith("ASK ") && Catch::Contains("redis-2:6379"));
  run.client(Does::deliver, 1);  // to its library
  run.answered(1);
  CHECK(run.plan().steps.back().effects.size() == 1);  // refused
  run.server(Does::hand_over, 0);
  run.answered();  // by the resource
  run.passes(300);
  run.client(Does::timer);
  run.answered();  // by the resource
  run.client(Does::execute);
  CHECK_THAT(said(run.plan(), 1), Catch::StartsWith("MOVED ") && Catch::Contains("redis-2:6379"));
  run.client(Does::deliver);
  run.answered();
  const auto plan = run.plan();
  CHECK(test::answered(plan, 2) == sim::Reply::number(1));
  is_confirmed(plan);
}

TEST_CASE("A migration, a key that moves or an answer that is not as told is found") {
  const auto plan = moved_away(migrating("set-token-lua")).plan();
  auto stays = plan;
  stays.steps.erase(stays.steps.begin() + 4);
  is_found(stays, "found: (nil)");
  auto none = plan;
  none.steps.erase(none.steps.begin() + 3, none.steps.begin() + 5);
  is_found(none, "found: (nil)");
  auto elsewhere = plan;
  elsewhere.steps[4].keys[1]["{orders}"].value = "other";
  is_found(elsewhere, "redis-2: expected: {orders} = other");
  auto other = plan;
  other.steps.back().reply = sim::Reply::error("MOVED 105 redis-2:6379");
  is_found(other, "expected");
}

TEST_CASE("Of a script's two keys one has gone: TRYAGAIN, which the program hears") {
  auto run = moved_away(migrating("two-keys"));
  CHECK_THAT(said(run.plan(), 1), Catch::StartsWith("TRYAGAIN "));
  run.client(Does::deliver, 1);
  run.moves(0);
  run.server(Does::hand_over, 0);
  is_confirmed(run.plan());
}

TEST_CASE("Nobody follows what is answered in a transaction, and EXEC aborts it") {
  auto model = migrating("set-token-lua");
  test::InlineLock lock(
      {"redis('MULTI') pcall(redis, 'DEL', self.key) pcall(redis, 'EXEC') "
       "return redis('SET', self.key, 1) == OK",
       "return"});
  model.program = lock.model.program;
  test::HandMadeRun run(model);
  run.server(Does::migrate, 0);
  run.client(Does::begin);
  run.answered();
  run.answered();
  CHECK_THAT(said(run.plan(), 2), Catch::StartsWith("ASK "));
  run.answered();
  CHECK_THAT(said(run.plan(), 2), Catch::StartsWith("EXECABORT "));
  run.client(Does::execute);
  run.client(Does::deliver);  // after which the session is a new one's again
  run.answered();
  const auto plan = run.plan();
  CHECK(plan.steps.back().effects.front().kind == sim::Effect::Kind::acquired);
  is_confirmed(plan);
}

TEST_CASE("Behind a transaction that was discarded an answer is followed again") {
  auto model = migrating("set-token-lua");
  test::InlineLock lock(
      {"redis('MULTI') redis('DISCARD') return redis('SET', self.key, 1) == OK", "return"});
  model.program = lock.model.program;
  test::HandMadeRun run(model);
  run.server(Does::migrate, 0);
  run.client(Does::begin);
  run.answered();
  run.answered();
  run.client(Does::execute);
  CHECK_THAT(said(run.plan(), 1), Catch::StartsWith("ASK "));
  run.client(Does::deliver);
  run.answered();
  const auto plan = run.plan();
  CHECK(plan.steps.back().effects.front().kind == sim::Effect::Kind::acquired);
  is_confirmed(plan);
}

TEST_CASE("Slots come back, and a key keeps what is left of its lease") {
  test::HandMadeRun run(migrating("set-token-lua", 2));
  run.client(Does::begin);
  run.answered();
  for (std::uint8_t source = 0; source < 2; ++source) {
    run.server(Does::migrate, source);
    run.moves(source);
    run.server(Does::hand_over, source);
  }
  run.client(Does::begin, 1);
  run.answered(1);
  run.answered();
  run.passes(300);
  const auto plan = run.plan();
  CHECK(plan.steps.back().keys[0].at("{orders}").left_ms == 1700);
  is_confirmed(plan);
}

TEST_CASE("A fresh client, which is to find a deadlock, asks who has the slots") {
  for (const bool stays : {true, false}) {
    auto model = test::with_fault(migrating("setnx"), Fault::crash);
    test::HandMadeRun run(model);
    run.client(Does::begin);
    run.answered();
    run.client(Does::crash);
    run.server(Does::migrate, 0);
    if (stays) run.moves(0);
    auto plan = run.plan();
    if (!stays) {
      test::HandMadeRun none(model);
      none.server(Does::migrate, 0);
      none.server(Does::hand_over, 0);
      plan = none.plan();
    } else {
      run.server(Does::hand_over, 0);
      plan = run.plan();
    }
    plan.violated = sim::Property::deadlock;
    if (stays)
      is_confirmed(plan);
    else
      is_found(plan, "a fresh client acquires the lock");
  }
}

TEST_CASE("A key whose slot hangs on a token is refused by name") {
  auto model = migrating("set-token-lua");
  test::InlineLock lock({"redis('SET', unique(), 1) return true", "return"});
  model.program = lock.model.program;
  test::HandMadeRun run(model);
  run.client(Does::begin);
  CHECK_THAT(live::not_reproducible(run.plan(), true).value(), Catch::Contains("another slot"));
  CHECK(live::not_reproducible(moved_away(migrating("set-token-lua")).plan(), false));  // --redis
}

}  // namespace
}  // namespace lockstep::tests
