// Replication compared with real servers: random writes to a master, its stream cut at random, a
// failover. LOCKSTEP_SEQUENCES sets how many sequences, LOCKSTEP_SEEDS which.
#include "conform/replicas.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "live/server.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;

/// Two servers of our own.
struct Servers {
  live::Server one{sim::Persistence::none, conform::options_for_replicas()};
  live::Server other{sim::Persistence::none, conform::options_for_replicas()};
  conform::Replicas replicas{one.address(), other.address()};
};

TEST_CASE("a replica, and what a failover leaves, are as on real servers", "[replicas]") {
  const auto count = static_cast<std::uint32_t>(test::setting("LOCKSTEP_SEQUENCES", 100));
  const auto seeds = test::seeds_of("replicas", count);
  const auto repertoire = conform::repertoire_for(sim::ServerVersion::redis_7_0);
  const auto began = std::chrono::steady_clock::now();
  Servers servers;
  std::uint32_t unrepeated = 0;
  for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
    const auto steps = conform::random_failover(seed, {}, repertoire);
    const auto difference = servers.replicas.run(steps, false);
    if (!difference) continue;
    const auto finding = conform::examined(
        steps, [&](const auto& again) { return servers.replicas.run(again, false); },
        [&](const auto& fewer) { return servers.replicas.run(fewer, true); });
    INFO("LOCKSTEP_SEEDS=" << seed << "-" << seed);
    if (finding) {
      FAIL_CHECK(conform::shown(*finding));
      continue;
    }
    ++unrepeated;
    std::cout << "seed " << seed << " differed once, and not again:\n"
              << conform::shown(*difference) << std::endl;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::cout << seeds.count() << " sequences, " << servers.replicas.commands() << " commands, "
            << unrepeated << " differences that did not come again, " << took.count() << " s\n";
}

TEST_CASE("a mirror that is not one is found", "[replicas]") {
  Servers servers;
  const std::vector<conform::Step> steps{{0, {"SET", "a", "1"}}, {0, {conform::kFailover}}};
  CHECK_FALSE(servers.replicas.run(steps, true));
}

}  // namespace
