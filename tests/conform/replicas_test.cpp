// Replication compared with real servers: random writes to a master, its stream cut at random, a
// failover. LOCKSTEP_SEQUENCES sets how many, LOCKSTEP_SEEDS which.
#include "conform/replicas.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "live/connection.hpp"
#include "live/server.hpp"
#include "live/stream.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/setting.hpp"

namespace {

using namespace lockstep;

/// Two servers of our own.
struct Servers {
  live::Server one{sim::Persistence::none, live::options_for_replicas()};
  live::Server other{sim::Persistence::none, live::options_for_replicas()};
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

/// What the server that is a master after a failover of `servers` has at `key`.
sim::Reply found_at(const Servers& servers, const std::string& key) {
  live::Connection connection(servers.other.address());
  return connection.execute({"GET", key});
}

TEST_CASE("what is in the gate at a failover is lost", "[replicas]") {
  Servers servers;
  const std::vector<conform::Step> steps{{0, {"SET", "a", "1"}},    {0, {conform::kLag}},
                                         {0, {"SET", "a", "2"}},    {0, {conform::kAcknowledged}},
                                         {0, {conform::kFailover}}, {0, {"SET", "a", "3"}}};
  CHECK_FALSE(servers.replicas.run(steps, true));
  CHECK(found_at(servers, "a").text == "1");
}

TEST_CASE("a transaction of which a part came through has not been run", "[replicas]") {
  const sim::Request script{
      "EVAL", "redis.call('set', 'a', '2') return redis.call('set', 'b', '2')", "2", "a", "b"};
  Servers servers;
  for (const char* part : {"0", "1", "23", "40", "60", "80", "95", "1000003"}) {
    const std::vector<conform::Step> steps{{0, {"SET", "a", "1"}},
                                           {0, {conform::kLag}},
                                           {0, script},
                                           {0, {conform::kPart, part}},
                                           {0, {"GET", "a"}, 1},
                                           {0, {conform::kCatchUp}},
                                           {0, {"GET", "a"}, 1},
                                           {0, {"SET", "a", "1"}},
                                           {0, {conform::kLag}},
                                           {0, script},
                                           {0, {conform::kPart, part}},
                                           {0, {"GET", "a"}, 1},
                                           {0, {conform::kFailover}},
                                           {0, {"GET", "a"}, 1},
                                           {0, {"SET", "c", "1"}},
                                           {0, {conform::kFollow}},
                                           {0, {"GET", "c"}, 0}};
    INFO(part);
    CHECK_FALSE(servers.replicas.run(steps, true));
  }
}

TEST_CASE("a replica that differs is found, and what shows it is short", "[replicas]") {
  auto options = live::options_for_replicas();
  options.insert(options.end(), {"--replica-read-only", "no"});
  const live::Server one(sim::Persistence::none, options);
  const live::Server other(sim::Persistence::none, options);
  conform::Replicas replicas{one.address(), other.address()};
  std::vector<conform::Step> steps(20, conform::Step{0, {"INCR", "a"}});
  steps.push_back({0, {conform::kLag}});
  steps.push_back({0, {"INCR", "a"}, 1});
  const conform::Run run = [&](const auto& some) { return replicas.run(some, true); };
  const auto finding = conform::examined(steps, run, run);
  REQUIRE(finding);
  CHECK(conform::shown(*finding) ==
        "replica> INCR a\n\nThe first difference:\nreplica> INCR a\nredis-server\n(integer) 1\n"
        "lockstep\n(error) READONLY You can't write against a read only replica.\n");
}

}  // namespace
