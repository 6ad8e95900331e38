// Live runs: a lock that is none is seen to fail, one that is one is not.
#include "live/run.hpp"

#include <catch2/catch.hpp>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "sim/error.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

/// Clients that lock, work 2 ms and unlock for as long as the run lasts.
sim::Model busy(const std::string& protocol, int clients) {
  auto model = test::model({protocol, 2, 1, 10'000, 3000});
  auto setup = model.processes.front();
  setup.rounds = 1'000'000;
  for (auto& step : setup.workload)
    if (step.kind == sim::WorkStep::Kind::work) step.ms = 2;
  model.processes.assign(static_cast<std::size_t>(clients), setup);
  model.properties = {sim::kProperties.begin(), sim::kProperties.end()};
  return model;
}

bool violates(const live::LiveResult& result, sim::Property property) {
  for (const auto& violation : result.violations)
    if (violation.property == property) return true;
  return false;
}

TEST_CASE("EXISTS + SET is seen to fail, with the history before it") {
  const live::Server server(sim::Persistence::none);
  const auto result = live::run(busy("exists-set", 6), server.address(), 3);
  REQUIRE(violates(result, sim::Property::mutual_exclusion));
  CHECK_FALSE(result.violations.front().history.empty());
  CHECK(result.figures.acquired > 10);
}

TEST_CASE("Compare-and-delete is not, and leaves nothing behind") {
  const live::Server server(sim::Persistence::none);
  const auto result = live::run(busy("set-token-lua", 4), server.address(), 1);
  for (const auto& violation : result.violations) UNSCOPED_INFO(violation.text);
  CHECK(result.violations.empty());
  CHECK_FALSE(result.cut_short);
  CHECK(result.figures.acquired > 10);
  CHECK(result.figures.released == result.figures.acquired);
  CHECK(result.figures.waits_us.size() == result.figures.acquired);
  CHECK(live::Connection(server.address()).execute({"DBSIZE"}).integer == 0);
}

TEST_CASE("A lease that ends before the work is seen by the resource") {
  const live::Server server(sim::Persistence::none);
  auto model = busy("set-token-lua", 4);
  for (auto& setup : model.processes) {
    setup.lease_ms = 1000;
    setup.workload[1].ms = 1200;
  }
  const auto result = live::run(model, server.address(), 3);
  CHECK(violates(result, sim::Property::mutual_exclusion));
  CHECK(violates(result, sim::Property::no_lost_update));
}

TEST_CASE("A lock without TTL that is not released is a leak and a deadlock") {
  const live::Server server(sim::Persistence::none);
  auto model = busy("setnx", 2);
  for (auto& setup : model.processes) {
    setup.workload = {{sim::WorkStep::Kind::lock, 0, 0}};
    setup.rounds = 1;
    setup.lease_ms = 200;
  }
  const auto result = live::run(model, server.address(), 5);
  CHECK(violates(result, sim::Property::leak));
  CHECK(violates(result, sim::Property::deadlock));
  CHECK(result.figures.acquired == 1);
  CHECK(result.figures.refused == 1);
}

TEST_CASE("A server that has a key of the protocol is refused and left alone") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address());
  connection.execute({"SET", "lock", "theirs"});
  CHECK_THROWS_AS(live::run(busy("setnx", 2), server.address(), 1), sim::BadInput);
  CHECK(connection.execute({"GET", "lock"}).text == "theirs");
}

}  // namespace
}  // namespace lockstep::tests
