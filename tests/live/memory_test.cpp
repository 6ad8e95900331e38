// Live replays of a server that is short of memory: what it refuses and evicts is real.
#include "live/memory.hpp"

#include <catch2/catch.hpp>

#include "live/server.hpp"
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

sim::Model short_of_memory(const std::string& protocol) {
  auto model = test::model({protocol, 2, 1, 1000, 300});
  for (const auto fault : {Fault::oom, Fault::evict, Fault::failover})
    model.budget.at(static_cast<std::size_t>(fault)) = 1;
  model.properties = {};
  return model;
}

TEST_CASE("A server whose memory is full refuses what needs more, until there is room again") {
  test::HandMadeRun run(short_of_memory("set-token-lua"));
  run.server(Does::oom, 0);
  run.client(Does::begin);
  run.answered();
  CHECK_THAT(said(run.plan(), 2), Catch::StartsWith("OOM "));
  run.server(Does::relief, 0);
  run.client(Does::begin, 1);
  run.answered(1);
  const auto plan = run.plan();
  CHECK(test::answered(plan, 2) == sim::Reply::ok());
  is_confirmed(plan);
  auto never = plan;
  never.steps.erase(never.steps.begin());
  is_found(never, "OOM");
  auto still = plan;
  still.steps.erase(still.steps.end() - 4);
  is_found(still, "found: (error) OOM");
}

TEST_CASE("A master whose memory was full has room again once it has followed another") {
  auto model = short_of_memory("set-token-lua");
  for (auto& process : model.processes) process.replicas = 1;
  model.budget.at(static_cast<std::size_t>(Fault::failover)) = 2;
  test::HandMadeRun run(model);
  run.server(Does::oom, 0);
  run.server(Does::failover, 1);
  run.server(Does::follow, 0);
  run.server(Does::catch_up, 0);
  run.server(Does::failover, 0);
  run.client(Does::begin);
  run.answered();
  CHECK(test::answered(run.plan(), 2) == sim::Reply::ok());
  is_confirmed(run.plan());
}

TEST_CASE("The only key that may be evicted is, and one that is not is found") {
  test::HandMadeRun run(short_of_memory("set-token-lua"));
  run.client(Does::begin);
  run.answered();
  run.server(Does::evict, 0);
  run.client(Does::begin, 1);
  run.answered(1);
  const auto plan = run.plan();
  is_confirmed(plan);
  auto stays = plan;
  stays.steps.erase(stays.steps.begin() + 3);
  is_found(stays, "-> OK; found: (nil)");
}

TEST_CASE("Of keys without expiry the policy says whether they may be evicted") {
  for (const bool any : {false, true}) {
    test::InlineLock lock(
        {"redis('SET', 'other', 1) return redis('SET', self.key, 1, 'PX', self.ttl_ms) == OK",
         "return"});
    auto model = short_of_memory("set-token-lua");
    model.program = lock.model.program;
    if (any) model.maxmemory_policy = sim::MaxmemoryPolicy::allkeys;
    test::HandMadeRun run(model);
    run.client(Does::begin);
    run.answered();
    run.answered();
    run.server(Does::evict, 0);
    const auto result = test::replayed(run.plan());
    INFO(result.detail);
    if (!any) CHECK(result.outcome == live::Confirmation::Outcome::confirmed);
    if (!any) continue;
    CHECK(result.outcome == live::Confirmation::Outcome::impossible);
    CHECK(result.detail == "step 6: which of several keys a real server evicts is its own choice");
  }
}

TEST_CASE("A memory that is full stays so over an eviction") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address());
  connection.execute({"SET", "lease", "v", "PX", "100000"});
  live::fill_memory(connection);
  CHECK_FALSE(live::evict(connection, sim::MaxmemoryPolicy::volatile_keys));
  CHECK(connection.execute({"EXISTS", "lease"}).integer == 0);
  CHECK_THAT(connection.execute({"SET", "k", "v"}).text, Catch::StartsWith("OOM "));
  live::free_memory(connection);
  CHECK(connection.execute({"SET", "k", "v"}) == sim::Reply::ok());
}

}  // namespace
}  // namespace lockstep::tests
