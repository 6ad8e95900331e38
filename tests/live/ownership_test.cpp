// Who touched whose key, and which call told the truth: the judge, told by hand what clients did
// and what a server showed.
#include "live/ownership.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/redis/reply.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

using live::kNoKey;
using sim::Property;
using sim::Reply;
using Kind = sim::Effect::Kind;

constexpr std::int64_t kNow = 1'800'000'000'000, kLives = kNow + 1000;  // Unix ms
constexpr std::uint8_t kClientA = 0, kClientB = 1;
constexpr sim::TaskId kMainTask = 0, kSpawned = 1;
const sim::Request kSet{"SET", "lock", "v", "PX", "1000"}, kDel{"DEL", "lock"},
    kLook{"EXISTS", "lock"};

/// A run of A and B on one lock. The server's order is the order of `replied`, unless it is stated.
class SharedRun {
 public:
  SharedRun() = default;
  explicit SharedRun(const sim::Model& model) : model_(model) {}

  live::Ticket sends(std::uint8_t process, sim::TaskId task = kMainTask) {
    if (task == kMainTask) does(process, Kind::send);
    return ownership_.sent(process, task);
  }
  /// The key as the request left it: `after`. What it was before is known from the one before.
  void replied(std::uint8_t process, const live::Ticket& ticket, const sim::Request& request,
               std::int64_t after, const Reply& reply, sim::TaskId task = kMainTask,
               bool in_time = true) {
    live::Executed executed{++order_, {kNow}, {kNow}, {key_}, {after}, reply};
    key_ = after;
    ownership_.heard(process, task, ticket, request, executed, in_time);
  }
  void sets(std::uint8_t process, sim::TaskId task = kMainTask) {
    replied(process, sends(process, task), kSet, kLives, Reply::ok(), task);
  }
  void deletes(std::uint8_t process, sim::TaskId task = kMainTask) {
    replied(process, sends(process, task), kDel, kNoKey, Reply::number(key_ == kNoKey ? 0 : 1),
            task);
  }
  void looks(std::uint8_t process) {
    replied(process, sends(process), kLook, key_, Reply::number(key_ == kNoKey ? 0 : 1));
  }
  void does(std::uint8_t process, Kind kind, bool ok = false, sim::TaskId task = kMainTask) {
    sim::Effect effect;
    effect.kind = kind;
    effect.task = task;
    effect.ok = ok;
    does(process, effect);
  }
  void does(std::uint8_t process, sim::Effect effect) {
    effect.request = kLook;
    ownership_.did(process, effect);
  }
  void acquires(std::uint8_t process) {
    sets(process);
    does(process, Kind::acquired);
  }

  std::set<Property> violated() const {
    CHECK(ownership_.lost_because().empty());
    std::set<Property> properties;
    for (const auto& violation : referee_.violations()) properties.insert(violation.property);
    return properties;
  }
  /// The sentence of the first violation.
  std::string told() const { return referee_.violations().at(0).text; }
  /// Something of a client is worth a line.
  void notes(std::uint8_t process, const std::string& line) { referee_.heard(process, line); }
  /// What is shown of the run with the first violation.
  std::vector<std::string> shown() const {
    std::vector<std::string> lines;
    for (const auto& line : referee_.violations().at(0).history) lines.push_back(line.sentence);
    return lines;
  }
  live::Ownership& ownership() { return ownership_; }

 private:
  const sim::Model model_ = test::model({"set-token-lua"});
  live::Referee referee_{model_};
  live::Ownership ownership_{model_, referee_};
  std::int64_t order_ = 0, key_ = kNoKey;
};

const std::set<Property> kNothing;

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
