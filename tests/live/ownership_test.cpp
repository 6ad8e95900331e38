// Who touched whose key: the judge, told by hand what clients did and what a server showed.
#include "live/ownership.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string>

#include "sim/redis/reply.hpp"
#include "tests/live/shared_run.hpp"
#include "tests/support/inline_lock.hpp"

namespace lockstep::tests {
namespace {

using namespace test;

TEST_CASE("Removing, overwriting and prolonging the key of a holder is foreign") {
  SharedRun removed, overwritten, shortened, extended;
  for (SharedRun* told : {&removed, &overwritten, &shortened, &extended}) told->acquires(kClientA);
  removed.deletes(kClientB);
  CHECK(removed.violated() == std::set{Property::foreign_release});
  overwritten.sets(kClientB);
  CHECK(overwritten.violated() == std::set{Property::foreign_release});
  shortened.replied(kClientB, shortened.sends(kClientB), {"PEXPIRE", "lock", "500"}, kNow + 500,
                    Reply::number(1));
  CHECK(shortened.violated() == std::set{Property::foreign_release});
  extended.replied(kClientB, extended.sends(kClientB), {"PERSIST", "lock"}, live::kNoExpiry,
                   Reply::number(1));
  CHECK(extended.violated() == std::set{Property::foreign_extend});
}

TEST_CASE("What was done to the key of a holder is told as it was") {
  SharedRun removed, overwritten, shortened;
  for (SharedRun* told : {&removed, &overwritten, &shortened}) told->acquires(kClientA);
  removed.deletes(kClientB);
  CHECK_THAT(removed.told(), Catch::Contains("B removes the key lock, of which A"));
  const sim::Request shorter{"SET", "lock", "w", "PX", "500"};  // its lease is shorter, too
  overwritten.replied(kClientB, overwritten.sends(kClientB), shorter, kNow + 500, Reply::ok());
  CHECK_THAT(overwritten.told(), Catch::Contains("B takes from the key lock"));
  shortened.replied(kClientB, shortened.sends(kClientB), {"PEXPIRE", "lock", "500"}, kNow + 500,
                    Reply::number(1));
  CHECK_THAT(shortened.told(), Catch::Contains("B shortens the lease of the key lock"));
}

TEST_CASE("A text that names its holders by what unique() drew is each one's") {
  const test::InlineLock lock({"return true", "return true"}, ", permits = 2");
  const std::string ours(32, 'a'), theirs(32, 'b');
  const auto writes = [](SharedRun& told, std::uint8_t process, const std::string& text) {
    const sim::Request request{"SET", "lock", text, "PX", "1000"};
    told.replied(process, told.sends(process), request, kLives, Reply::ok());
  };
  const auto joined = [&](SharedRun& told) {
    told.ownership().drew(kClientA, ours);
    told.ownership().drew(kClientB, theirs);
    writes(told, kClientA, ours + ",");
    told.does(kClientA, Kind::acquired);
    writes(told, kClientB, ours + "," + theirs + ",");
    told.does(kClientB, Kind::acquired);
  };
  SharedRun kept(lock.model), pruned(lock.model);
  joined(kept);
  CHECK(kept.violated() == kNothing);
  kept.does(kClientB, Kind::releasing);
  writes(kept, kClientB, ours + ",");
  kept.does(kClientB, Kind::released, true);
  kept.looks(kClientA);
  CHECK(kept.violated() == kNothing);
  joined(pruned);
  writes(pruned, kClientB, theirs + ",");
  CHECK(pruned.violated() == std::set{Property::foreign_release});
}

TEST_CASE(
    "Who counts beside a holder, and prolongs the key, extends its lease if one may be inside") {
  const auto counts = [](const std::string& lease_ms) {
    return sim::Request{"EVAL",
                        "redis.call('INCR', KEYS[1]) "
                        "return redis.call('PEXPIRE', KEYS[1], ARGV[1])",
                        "1", "lock", lease_ms};
  };
  for (const int permits : {1, 2}) {
    CAPTURE(permits);
    const test::InlineLock lock({"return true", "return true"},
                                ", permits = " + std::to_string(permits));
    SharedRun told(lock.model);
    told.replied(kClientA, told.sends(kClientA), counts("1000"), kLives, Reply::number(1));
    told.does(kClientA, Kind::acquired);
    told.replied(kClientB, told.sends(kClientB), counts("2000"), kNow + 2000, Reply::number(1));
    CHECK(told.violated() == (permits == 1 ? std::set{Property::foreign_extend} : kNothing));
  }
}

TEST_CASE("Who is refused has kept nobody's lease alive who holds no lock any more") {
  const auto adds = [](const std::string& member, const std::string& lease_ms) {
    return sim::Request{"EVAL",
                        "redis.call('SADD', KEYS[1], ARGV[1]) "
                        "return redis.call('PEXPIRE', KEYS[1], ARGV[2])",
                        "1",
                        "lock",
                        member,
                        lease_ms};
  };
  for (const bool releases : {false, true}) {
    CAPTURE(releases);
    SharedRun told;
    told.replied(kClientA, told.sends(kClientA), adds("a", "1000"), kLives, Reply::number(1));
    told.does(kClientA, Kind::acquired);
    told.replied(kClientB, told.sends(kClientB), adds("b", "2000"), kNow + 2000, Reply::number(1));
    if (releases) {
      told.does(kClientA, Kind::releasing);
      told.replied(kClientA, told.sends(kClientA), {"SREM", "lock", "a"}, kNow + 2000,
                   Reply::number(1));
      told.does(kClientA, Kind::released, true);
    }
    told.replied(kClientB, told.sends(kClientB), {"SREM", "lock", "b"},
                 releases ? kNoKey : kNow + 2000, Reply::number(1));
    told.does(kClientB, Kind::refused);
    told.looks(kClientA);
    CHECK(told.violated() == (releases ? kNothing : std::set{Property::foreign_extend}));
  }
}

TEST_CASE("One's own key, and a key whose maker holds nothing, are not foreign") {
  SharedRun own, left;
  own.acquires(kClientA);
  own.deletes(kClientA);
  CHECK(own.violated() == kNothing);
  left.acquires(kClientA);
  left.does(kClientA, Kind::releasing);
  left.deletes(kClientB);
  CHECK(left.violated() == kNothing);
}

TEST_CASE("A key that was left behind is nobody's loss, whoever holds the lock since") {
  SharedRun told;
  told.acquires(kClientA);
  told.does(kClientA, Kind::releasing);
  told.does(kClientB, Kind::acquired);  // without a key
  told.deletes(kClientB);
  CHECK(told.violated() == kNothing);
}

TEST_CASE("Whoever acquired or let go while the request was on its way may not have held") {
  SharedRun late, early;
  late.sets(kClientA);
  const auto before = late.sends(kClientB);
  late.does(kClientA, Kind::acquired);
  late.replied(kClientB, before, kDel, kNoKey, Reply::number(1));
  CHECK(late.violated() == kNothing);
  early.acquires(kClientA);
  const auto during = early.sends(kClientB);
  early.does(kClientA, Kind::releasing);
  early.replied(kClientB, during, kDel, kNoKey, Reply::number(1));
  CHECK(early.violated() == kNothing);
}

TEST_CASE("After a loss of sight nothing more is claimed") {
  SharedRun told;
  told.acquires(kClientA);
  told.does(kClientA, Kind::releasing);
  told.looks(kClientA);
  told.does(kClientA, Kind::released, true);
  told.ownership().lose_sight("first");
  told.ownership().lose_sight("second");
  told.looks(kClientB);
  CHECK(told.ownership().lost_because() == "first");
  CHECK_FALSE(told.ownership().watching());
}

}  // namespace
}  // namespace lockstep::tests
