// Which call told the truth, and who keeps a key that none should have: the judge, told by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "live/ownership.hpp"
#include "sim/model/model.hpp"
#include "sim/redis/reply.hpp"
#include "tests/live/shared_run.hpp"
#include "tests/support/inline_lock.hpp"

namespace lockstep::tests {
namespace {

using namespace test;

TEST_CASE("What release() leaves behind on purpose is nothing that is kept") {
  for (const bool on_purpose : {false, true}) {
    CAPTURE(on_purpose);
    const test::InlineLock lock({"return true", "return true"},
                                on_purpose ? ", permanent = { '{key}' }" : "");
    SharedRun told(lock.model);
    told.acquires(kClientA);
    told.does(kClientA, Kind::releasing);
    told.replied(kClientA, told.sends(kClientA), {"PEXPIRE", "lock", "500"}, kNow + 500,
                 Reply::number(1));
    told.does(kClientA, Kind::released, true);
    told.looks(kClientB);
    CHECK(told.violated() ==
          (on_purpose ? kNothing : std::set{Property::honest_result, Property::reentrancy}));
  }
}

TEST_CASE("Who fails holds nothing any more, and an error says as little as a refusal") {
  SharedRun failed, made;
  failed.acquires(kClientA);
  failed.does(kClientA, Kind::failed);
  failed.deletes(kClientB);
  CHECK(failed.violated() == kNothing);
  made.sets(kClientA);
  made.does(kClientA, Kind::failed);
  made.looks(kClientB);
  CHECK(made.violated() == std::set{Property::honest_result});
}

TEST_CASE("What is shown of a call that lied ends where the call ended") {
  SharedRun made;
  made.sets(kClientA);
  made.notes(kClientA, "before");
  made.does(kClientA, Kind::refused);
  made.notes(kClientA, "after");
  made.looks(kClientB);  // only now is it certain whose the key was
  REQUIRE(made.violated() == std::set{Property::honest_result});
  CHECK(made.shown() == std::vector<std::string>{"before"});
}

TEST_CASE("A release() that fails by itself says that it has not released") {
  for (const bool leaves_open : {false, true}) {
    SharedRun told;
    sim::Effect end;
    end.kind = Kind::failed;
    end.in_release = true;
    end.leaves_open = leaves_open;
    told.acquires(kClientA);
    told.does(kClientA, Kind::releasing);
    told.deletes(kClientA);
    told.does(kClientA, end);
    told.looks(kClientB);
    CHECK(told.violated() == (leaves_open ? kNothing : std::set{Property::honest_result}));
  }
}

TEST_CASE("An unanswered call's error, and a release() without a result, say nothing") {
  SharedRun unanswered, silent;
  sim::Effect end;
  end.kind = Kind::failed;
  end.leaves_open = true;
  unanswered.sets(kClientA);
  unanswered.does(kClientA, end);
  silent.acquires(kClientA);
  silent.does(kClientA, Kind::releasing);
  silent.deletes(kClientA);
  end = {};
  end.kind = Kind::released;
  end.silent = true;
  silent.does(kClientA, end);
  for (SharedRun* told : {&unanswered, &silent}) {
    told->looks(kClientB);
    CHECK(told->violated() == kNothing);
  }
}

TEST_CASE("A lock that has its key in common with one that is still held may leave it") {
  for (const std::uint8_t released : {std::uint8_t{0}, std::uint8_t{1}}) {
    const test::InlineLock lock({"return true", "return true"}, ", leases = { 'shared' }");
    sim::Model model = lock.model;
    for (auto& process : model.processes) process.lock_keys = {"a", "b"};
    live::Referee referee(model);
    live::Ownership ownership(model, referee);
    const auto does = [&](Kind kind, std::uint8_t of) {
      sim::Effect effect;
      effect.kind = kind;
      effect.lock = of;
      effect.ok = true;
      effect.request = kLook;
      ownership.did(kClientA, effect);
    };
    does(Kind::send, 0);
    ownership.heard(kClientA, kMainTask, ownership.sent(kClientA, kMainTask),
                    {"SET", "shared", "v", "PX", "1000"},
                    live::Executed{1, {kNow}, {kNow}, {kNoKey}, {kLives}, Reply::ok()}, true);
    for (std::uint8_t each = 0; each <= released; ++each) does(Kind::acquired, each);
    does(Kind::releasing, released);
    does(Kind::released, released);
    ownership.heard(kClientB, kMainTask, ownership.sent(kClientB, kMainTask), {"EXISTS", "shared"},
                    live::Executed{2, {kNow}, {kNow}, {kLives}, {kLives}, Reply::number(1)}, true);
    const bool accused = std::ranges::any_of(referee.violations(), [](const auto& violation) {
      return violation.property == Property::reentrancy;
    });
    CHECK(accused == (released == 0));  // the other one holds it still
  }
}

TEST_CASE("release() that says true must have removed a key of its own") {
  SharedRun honest, nothing, false_alarm;
  for (SharedRun* told : {&honest, &nothing}) {
    told->acquires(kClientA);
    told->does(kClientA, Kind::releasing);
  }
  honest.deletes(kClientA);
  nothing.looks(kClientA);
  for (SharedRun* told : {&honest, &nothing}) {
    told->does(kClientA, Kind::released, true);
    CHECK(told->violated() == kNothing);  // not known yet
    told->looks(kClientB);
  }
  CHECK(honest.violated() == kNothing);
  // Its key is still there, too.
  CHECK(nothing.violated() == std::set{Property::honest_result, Property::reentrancy});
}

TEST_CASE("release() that says false must not have removed its key") {
  SharedRun removed, kept;
  for (SharedRun* told : {&removed, &kept}) {
    told->acquires(kClientA);
    told->does(kClientA, Kind::releasing);
  }
  removed.deletes(kClientA);
  kept.looks(kClientA);
  for (SharedRun* told : {&removed, &kept}) {
    told->does(kClientA, Kind::released, false);
    told->looks(kClientB);
  }
  CHECK(removed.violated() == std::set{Property::honest_result});
  CHECK(kept.violated() == kNothing);
}

TEST_CASE("What a release() had given up waiting for leaves open what it removed") {
  SharedRun told;
  told.acquires(kClientA);
  told.does(kClientA, Kind::releasing);
  told.replied(kClientA, told.sends(kClientA), kDel, kNoKey, Reply::number(1), kMainTask, false);
  told.looks(kClientA);  // it asks once more
  told.does(kClientA, Kind::released, false);
  told.looks(kClientB);
  CHECK(told.violated() == kNothing);
}

TEST_CASE("acquire() that says false must not leave a key that it made") {
  SharedRun left, taken_back;
  left.sets(kClientA);
  taken_back.sets(kClientA);
  taken_back.deletes(kClientA);
  for (SharedRun* told : {&left, &taken_back}) {
    told->does(kClientA, Kind::refused);
    told->looks(kClientB);
  }
  CHECK(left.violated() == std::set{Property::honest_result});
  CHECK(taken_back.violated() == kNothing);
}

TEST_CASE("Where the key changed near the end of a call, nothing is said of that end") {
  SharedRun told;
  told.sets(kClientA);
  const auto near = told.sends(kClientB);
  told.does(kClientA, Kind::refused);
  told.replied(kClientB, near, kDel, kNoKey, Reply::number(1));  // before the refusal, or after it
  told.looks(kClientB);
  CHECK(told.violated() == kNothing);
}

TEST_CASE("A key that is gone near the end of a call may have been there at its end") {
  SharedRun told;
  told.acquires(kClientA);
  const auto near = told.sends(kClientB);
  told.does(kClientA, Kind::left, true);
  told.replied(kClientB, near, kDel, kNoKey, Reply::number(1));
  told.looks(kClientB);
  CHECK(told.violated() == std::set{Property::foreign_release});  // but not reentrancy
}

TEST_CASE("What a server did before a call ended counts, however late it is heard of") {
  SharedRun told;
  told.acquires(kClientA);
  told.does(kClientA, Kind::releasing);
  const auto between = told.sends(kClientB), removes = told.sends(kClientA);
  told.ownership().heard(kClientA, kMainTask, removes, kDel,
                         live::Executed{3, {kNow}, {kNow}, {kLives}, {kNoKey}, Reply::number(1)},
                         true);
  told.does(kClientA, Kind::released, false);  // the key is there in all that is known so far
  told.ownership().heard(kClientB, kMainTask, between, kLook,
                         live::Executed{2, {kNow}, {kNow}, {kLives}, {kLives}, Reply::number(1)},
                         true);
  told.ownership().heard(kClientB, kMainTask, told.sends(kClientB), kLook,
                         live::Executed{4, {kNow}, {kNow}, {kNoKey}, {kNoKey}, Reply::number(0)},
                         true);
  CHECK(told.violated() == std::set{Property::honest_result});
}

TEST_CASE("What a spawned task does counts if it surely did it within the call") {
  SharedRun within, at_edge;
  for (SharedRun* told : {&within, &at_edge}) {
    told->acquires(kClientA);
    told->does(kClientA, Kind::releasing);
  }
  within.deletes(kClientA, kSpawned);
  within.does(kClientA, Kind::released, false);
  const auto at_end = at_edge.sends(kClientA, kSpawned);
  at_edge.does(kClientA, Kind::released, false);
  at_edge.replied(kClientA, at_end, kDel, kNoKey, Reply::number(1), kSpawned);
  for (SharedRun* told : {&within, &at_edge}) told->looks(kClientB);
  CHECK(within.violated() == std::set{Property::honest_result});
  CHECK(at_edge.violated() == kNothing);
}

TEST_CASE("A reply that comes after its call has ended leaves open what the call did") {
  SharedRun told;
  told.acquires(kClientA);
  told.does(kClientA, Kind::releasing);
  const auto given_up = told.sends(kClientA);
  told.does(kClientA, Kind::released, true);
  told.replied(kClientA, given_up, kDel, kNoKey, Reply::number(1));
  told.looks(kClientB);
  CHECK(told.violated() == kNothing);
}

TEST_CASE("Who is inside must have a key, who has left for good must have none") {
  SharedRun entered, left, kept, out;
  for (SharedRun* told : {&entered, &left, &kept, &out}) told->acquires(kClientA);
  entered.deletes(kClientA);
  entered.does(kClientA, Kind::reentered);
  left.deletes(kClientA);
  left.does(kClientA, Kind::left, true);
  kept.does(kClientA, Kind::left, true);
  out.deletes(kClientA);
  out.does(kClientA, Kind::left, false);  // it is told so
  for (SharedRun* told : {&entered, &left, &kept, &out}) told->looks(kClientB);
  CHECK(entered.violated() == std::set{Property::reentrancy});
  CHECK(left.violated() == std::set{Property::reentrancy});
  CHECK(kept.violated() == kNothing);
  CHECK(out.violated() == kNothing);
}

TEST_CASE("Who leaves once, hears nothing of it and has removed its key has none inside") {
  sim::Effect left;
  left.kind = Kind::left;
  left.silent = true;
  SharedRun deletes, keeps;
  for (SharedRun* told : {&deletes, &keeps}) told->acquires(kClientA);
  deletes.deletes(kClientA);
  for (SharedRun* told : {&deletes, &keeps}) {
    told->does(kClientA, left);
    told->looks(kClientB);
  }
  CHECK(deletes.violated() == std::set{Property::reentrancy});
  CHECK(keeps.violated() == kNothing);
}

TEST_CASE("Who gives back some of what it counted, and says that this was all, has a key still") {
  SharedRun told;
  told.replied(kClientA, told.sends(kClientA), {"INCRBY", "lock", "2"}, live::kNoExpiry,
               Reply::number(2));
  told.does(kClientA, Kind::acquired);
  told.does(kClientA, Kind::releasing);
  told.replied(kClientA, told.sends(kClientA), {"DECR", "lock"}, live::kNoExpiry, Reply::number(1));
  told.does(kClientA, Kind::released, true);
  told.looks(kClientB);
  CHECK(told.violated() == std::set{Property::reentrancy});  // it has freed something
}

TEST_CASE("A key that another thread of the process has made meanwhile is no leftover") {
  constexpr sim::TaskId other = kSpawned;  // what makes it a main task here is that it waits so
  sim::Wait in_acquire;
  in_acquire.task = other;
  in_acquire.kind = sim::Wait::Kind::replies;
  in_acquire.in_acquire = in_acquire.in_operation = true;
  SharedRun wants, has_lost;
  for (SharedRun* told : {&wants, &has_lost}) {
    told->acquires(kClientA);
    told->does(kClientA, Kind::releasing);
    told->deletes(kClientA);
    told->ownership().waits(kClientA, {in_acquire});
    told->sets(kClientA, other);
  }
  has_lost.does(kClientA, Kind::acquired, false, other);
  has_lost.does(kClientA, Kind::lost, false, other);
  has_lost.ownership().waits(kClientA, {});
  for (SharedRun* told : {&wants, &has_lost}) {
    told->does(kClientA, Kind::released, true);
    told->looks(kClientB);
    CHECK(told->violated() == kNothing);
  }
}

TEST_CASE("Who has removed what it made has not made what another thread makes") {
  constexpr sim::TaskId other = kSpawned;  // a main task, as it waits so
  sim::Wait in_acquire;
  in_acquire.task = other;
  in_acquire.kind = sim::Wait::Kind::replies;
  in_acquire.in_acquire = in_acquire.in_operation = true;
  SharedRun told;
  told.sets(kClientA);
  told.deletes(kClientA);
  told.ownership().waits(kClientA, {in_acquire});
  told.sets(kClientA, other);
  told.does(kClientA, Kind::refused);
  told.looks(kClientB);
  CHECK(told.violated() == kNothing);
}

TEST_CASE("A call that is seen by its wait alone ends when nobody waits in it any more") {
  sim::Wait waits;
  waits.task = kMainTask;
  waits.kind = sim::Wait::Kind::replies;
  waits.in_acquire = waits.in_operation = true;
  SharedRun told;
  told.ownership().waits(kClientA, {waits});
  told.sets(kClientA);
  waits.in_acquire = waits.in_operation = false;
  told.ownership().waits(kClientA, {waits});
  told.ownership().waits(kClientA, {waits});
  told.looks(kClientB);
  told.does(kClientA, Kind::refused);  // of a later call, which has made nothing
  told.looks(kClientB);
  CHECK(told.violated() == kNothing);
}

TEST_CASE("That a client waits inside a release() is no use of its key beside it") {
  sim::Wait waits;
  waits.task = kMainTask;
  waits.kind = sim::Wait::Kind::replies;
  waits.in_operation = true;
  SharedRun told;
  told.acquires(kClientA);
  told.does(kClientA, Kind::releasing);
  told.ownership().waits(kClientA, {waits});
  told.looks(kClientA);
  told.does(kClientA, Kind::released, true);
  told.looks(kClientB);
  CHECK(told.violated().contains(Property::reentrancy));
}

}  // namespace
}  // namespace lockstep::tests
