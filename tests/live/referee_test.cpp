// Who is in the critical section, and what is told of it, without a server.
#include "live/referee.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "live/resource.hpp"
#include "sim/redis/reply.hpp"
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

TEST_CASE(
    "Who begins to release a lock, or is told that it is lost, is in that critical section alone "
    "no more") {
  const auto model = two_locks();
  for (const auto kind : {Kind::releasing, Kind::lost}) {
    live::Referee referee(model);
    referee.did(0, effect(Kind::acquired, 0));
    referee.did(0, effect(Kind::acquired, 1));
    referee.did(0, effect(kind, 0));
    referee.did(1, effect(Kind::acquired, 0));
    CHECK(referee.violations().empty());
    referee.did(1, effect(Kind::acquired, 1));
    CHECK(referee.violations().size() == 1);
  }
}

TEST_CASE("Two threads of a client are two in the critical section, one in both modes is one") {
  const auto model = two_locks();
  live::Referee referee(model);
  auto thread = effect(Kind::acquired, 0);
  referee.did(0, thread);
  referee.did(0, thread);
  CHECK(referee.violations().empty());
  thread.task = 1;
  referee.did(0, thread);
  REQUIRE(referee.violations().size() == 1);
  CHECK(referee.violations().front().property == sim::Property::mutual_exclusion);
}

TEST_CASE("Readers are inside together, a writer is not, whoever comes first") {
  auto model = two_locks();
  model.processes[0].shared = {true};  // it reads
  for (const bool both_read : {true, false}) {
    model.processes[1].shared = {both_read};
    for (const std::uint8_t first : {std::uint8_t{0}, std::uint8_t{1}}) {
      live::Referee referee(model);
      referee.did(first, effect(Kind::acquired, 0));
      referee.did(static_cast<std::uint8_t>(1 - first), effect(Kind::acquired, 0));
      CHECK(referee.violations().size() == (both_read ? 0 : 1));
    }
  }
}

TEST_CASE("An update of several locks is lost if it is of any of them") {
  for (const std::string stale : {"a", "b", "c"}) {
    live::Resource resource(sim::Resource::plain);
    live::Resource::Basis basis, other;
    bool lost = false;
    resource.execute({"READ", "", "a", "b", "c"}, basis, lost);
    resource.execute({"WRITE", "", stale}, other, lost);
    CHECK_FALSE(lost);
    resource.execute({"WRITE", "", "a", "b", "c"}, basis, lost);
    INFO(stale);
    CHECK(lost);
  }
}

TEST_CASE(
    "The resource refuses a fencing token that is lower than one it has seen, not an equal one") {
  for (const auto kind : {sim::Resource::fenced, sim::Resource::fenced_writes}) {
    live::Resource resource(kind);
    live::Resource::Basis basis;
    bool lost = false;
    const auto refused = [&](const std::string& what, const std::string& token) {
      return resource.execute({what, token, "lock"}, basis, lost)->is_error();
    };
    CHECK_FALSE(refused("READ", "5"));
    CHECK_FALSE(refused("WRITE", "5"));
    CHECK_FALSE(refused("WRITE", "5"));
    CHECK(refused("WRITE", "4"));
    CHECK(refused("READ", "4") == (kind == sim::Resource::fenced));
    CHECK_FALSE(refused("WRITE", "6"));
    CHECK(refused("WRITE", "5"));
  }
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

TEST_CASE("Every property that is violated is kept, the first time that it is") {
  const auto model = two_locks();
  live::Referee referee(model);
  for (const char* text : {"first", "second"})
    for (const auto property : sim::kProperties)
      referee.found(property, text, {0}, referee.moment());
  REQUIRE(referee.violations().size() == sim::kProperties.size());
  for (std::size_t i = 0; i < sim::kProperties.size(); ++i) {
    CHECK(referee.violations()[i].property == sim::kProperties[i]);
    CHECK(referee.violations()[i].text == "first");
  }
}

}  // namespace
}  // namespace lockstep::tests
