// Who is in the critical section, and what is told of it, without a server.
#include "live/referee.hpp"

#include <catch2/catch.hpp>

#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using Kind = sim::Effect::Kind;

/// Two clients and two locks.
sim::Model two_locks() {
  auto model = test::model({"set-token-lua"});
  for (auto& setup : model.processes) setup.lock_keys = {"lock", "other"};
  return model;
}

sim::Effect effect(Kind kind, std::uint8_t lock) {
  sim::Effect effect;
  effect.kind = kind;
  effect.lock = lock;
  return effect;
}

TEST_CASE("Who fails is in no critical section any more, of whichever lock") {
  const auto model = two_locks();
  live::Referee referee(model);
  referee.did(0, effect(Kind::acquired, 1));
  referee.did(0, effect(Kind::failed, 0));
  referee.did(1, effect(Kind::acquired, 1));
  CHECK(referee.violations().empty());
  referee.did(0, effect(Kind::acquired, 1));
  REQUIRE(referee.violations().size() == 1);
  CHECK(referee.violations().front().property == sim::Property::mutual_exclusion);
}

TEST_CASE("A violation shows what was done before it, not what came after it") {
  const auto model = two_locks();
  live::Referee referee(model);
  referee.heard(0, "first");
  const auto moment = referee.moment();
  referee.heard(0, "second");
  referee.found(sim::Property::foreign_release, "a text", {0}, moment);
  const auto history = referee.violations().front().history;
  REQUIRE(history.size() == 1);
  CHECK(history.front().sentence == "first");
}

}  // namespace
}  // namespace lockstep::tests
