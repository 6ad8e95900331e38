// Random commands on values of every type, on the fake node and on a real redis-server: replies,
// and at the end everything that both hold, encodings included. LOCKSTEP_RANDOM_COMMANDS sets how
// many.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "conform/commands.hpp"
#include "tests/support/differential.hpp"

namespace {

using namespace lockstep::test;

std::uint64_t commands_wanted() {
  constexpr std::uint64_t kUsual = 200'000;
  const char* text = std::getenv("LOCKSTEP_RANDOM_COMMANDS");
  return text ? std::strtoull(text, nullptr, 10) : kUsual;
}

TEST_CASE("random commands on every type have the effects that they have on redis-server") {
  constexpr std::uint64_t kLength = 40;
  Twin twin;
  twin.dumps_by_value = true;
  const std::uint64_t sequences = commands_wanted() / kLength;
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    Dice dice(seed);
    const Family& home = kFamilies[dice.below(kFamilies.size())];
    std::vector<lockstep::sim::Request> requests;
    while (requests.size() < kLength) {
      const bool away = dice.below(5) == 0;
      auto request = random_command(away ? kFamilies[dice.below(kFamilies.size())] : home, dice);
      if (request[0] == "DBSIZE") continue;  // Redis counts what has expired: docs/differences.md
      requests.push_back(std::move(request));
    }
    const std::string differs = reported_difference(twin, requests);
    if (!differs.empty()) FAIL_CHECK("seed " << seed << ", " << home.name << ": " << differs);
  }
  SUCCEED();
}

}  // namespace
