// Keyspace events: after each random command a listener of both servers has heard the same.
// LOCKSTEP_RANDOM_COMMANDS sets how many, LOCKSTEP_SEED where they begin.
#include <catch2/catch.hpp>

#include "conform/conform.hpp"
#include "live/server.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;

TEST_CASE("random commands publish the keyspace events that redis-server publishes") {
  const live::Server server(sim::Persistence::none, {"--enable-debug-command", "yes"});
  conform::Plan plan;
  plan.seed = test::setting("LOCKSTEP_SEED", 1);
  plan.commands = test::setting("LOCKSTEP_RANDOM_COMMANDS", 20'000);
  plan.events = true;
  const auto comparison = conform::conform(server.address(), plan);
  CHECK(comparison.commands >= plan.commands);
  for (const auto& once : comparison.unrepeated)
    WARN("seed " << once.seed << ", not again:\n" << conform::shown(once.difference));
  if (comparison.finding) FAIL_CHECK(conform::shown(*comparison.finding));
}

}  // namespace
