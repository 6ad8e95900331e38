// Random commands on values of every type, on the simulated server and on a real one: replies, and
// at the end everything that both hold, encodings included. LOCKSTEP_RANDOM_COMMANDS sets how many.
#include <catch2/catch.hpp>

#include "conform/commands.hpp"
#include "tests/support/setting.hpp"
#include "tests/support/twin.hpp"

namespace {

using namespace lockstep::conform;
using lockstep::test::setting;

TEST_CASE("random commands on every type have the effects that they have on redis-server") {
  constexpr std::uint64_t kLength = 40;
  lockstep::test::Twin twin;
  twin.dumps_by_value = true;
  const std::uint64_t sequences = setting("LOCKSTEP_RANDOM_COMMANDS", 200'000) / kLength;
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    Dice dice(seed);
    const Family& home = kFamilies[dice.below(kFamilies.size())];
    std::vector<lockstep::conform::Step> steps;
    while (steps.size() < kLength) {
      const bool away = dice.below(5) == 0;
      const Family& family = away ? kFamilies[dice.below(kFamilies.size())] : home;
      steps.push_back({0, random_command(family, dice)});
    }
    const std::string differs = twin.compare(steps);
    if (!differs.empty()) FAIL_CHECK("seed " << seed << ", " << home.name << ":\n" << differs);
  }
  SUCCEED();
}

}  // namespace
