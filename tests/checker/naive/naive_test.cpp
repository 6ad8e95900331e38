// The naive explorer on protocols whose verdicts and shortest counterexamples can be worked out by
// hand.
#include "checker/naive/naive.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "checker/trace/trace.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using checker::Result;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using tests::kLock;
using tests::kOwn;
using tests::kSecondMs;
using tests::kUnlock;
using tests::small_model;

namespace {

Result explored(const sim::Model& model) { return checker::explore_naively(model, {}); }

/// The model's only property, violated after so many steps.
void check_violated(sim::Model model, Property property, std::size_t steps) {
  model.properties = {property};
  const Result result = explored(model);
  INFO(sim::name(property) << ": " << checker::name(result.verdict) << " "
                           << result.why_inconclusive);
  CHECK(result.verdict == Verdict::violated);
  CHECK(result.property == property);
  REQUIRE(result.schedule.size() == steps);
  CHECK(checker::tell(model, result.schedule).violated == property);
}

void check_holds(sim::Model model, std::set<Property> properties) {
  model.properties = std::move(properties);
  const Result result = explored(model);
  INFO(checker::name(result.verdict) << " " << result.why_inconclusive);
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.schedule.empty());
}

}  // namespace

TEST_CASE("one client alone takes the steps that one can count") {
  // Not begun; SET sent, executed, heard with READ sent, executed, heard; work done by time; WRITE
  // sent, executed, heard with EVAL sent, executed, heard: a chain of 12 states.
  const Result result = explored(small_model(kOwn + "set-px", 1, kSecondMs));
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.statistics.states == 12);
  CHECK(result.statistics.transitions == 11);
  CHECK(result.statistics.depth == 11);
  CHECK(result.executed.commands == 2);
  CHECK(result.executed.scripts == 1);
}

TEST_CASE("choose() branches into one action for each value") {
  // Tails: refused at once. Heads: SET sent, executed, heard; DEL sent, executed, heard. And
  // the start.
  const Result result = explored(small_model(kOwn + "coin", 1, 0));
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.statistics.states == 8);
  CHECK(result.statistics.transitions == 7);
}

TEST_CASE("compare-and-delete holds while the work is shorter than the lease") {
  sim::Model model = small_model(kOwn + "set-px", 2, kSecondMs);
  model.properties = {sim::kProperties.begin(), sim::kProperties.end()};
  model.witnesses = {sim::Witness::acquired, sim::Witness::refused, sim::Witness::released};
  const Result result = explored(model);
  CHECK(result.verdict == Verdict::holds);
  CHECK_FALSE(result.vacuous());

  model.witnesses = {sim::Witness::lost, sim::Witness::expired_while_held};
  const Result vacuous = explored(model);
  CHECK(vacuous.vacuous());
  CHECK(vacuous.unmet == model.witnesses);
}

TEST_CASE("work longer than the lease: nine steps") {
  // A begins, SET executed, heard; READ executed, heard; time passes; B begins, SET executed,
  // heard.
  check_violated(small_model(kOwn + "set-px", 2, 4 * kSecondMs), Property::mutual_exclusion, 9);
  check_holds(small_model(kOwn + "set-px", 2, 4 * kSecondMs),
              {Property::foreign_release, Property::foreign_extend, Property::honest_result,
               Property::deadlock, Property::leak});
  // At 4 s A's work is done and its key gone. 6 steps to there; B begins, SET executed, heard, READ
  // executed: 10. A: timer, WRITE executed, heard, script executed, heard; B hears READ: 16. Time
  // passes, B's timer, B's WRITE executed: 19.
  check_violated(small_model(kOwn + "set-px", 2, 4 * kSecondMs), Property::no_lost_update, 19);
}

TEST_CASE("a key is readable at its expiry instant: work as long as the lease holds") {
  check_holds(small_model(kOwn + "set-px", 2, 3 * kSecondMs), {Property::mutual_exclusion});
}

TEST_CASE("each single fault breaks mutual exclusion in its own number of steps") {
  sim::Model model = small_model(kOwn + "set-px", 2, kSecondMs);
  SECTION("pause: hold, READ executed, pause, time passes, B holds") {
    tests::allow(model, Fault::pause);
    check_violated(model, Property::mutual_exclusion, 3 + 1 + 1 + 1 + 3);
  }
  SECTION("delay: hold, the READ is held back, time passes, B holds") {
    tests::allow(model, Fault::delay);
    check_violated(model, Property::mutual_exclusion, 3 + 1 + 1 + 3);
  }
  SECTION("a jump of the node's clock: no time need pass") {
    tests::allow(model, Fault::jump);
    model.jumps_ms = {4 * kSecondMs};
    check_violated(model, Property::mutual_exclusion, 3 + 1 + 3);
  }
  SECTION("a jump that leaves the key just readable does nothing") {
    tests::allow(model, Fault::jump);
    model.jumps_ms = {2 * kSecondMs, -kSecondMs};
    check_holds(model, {Property::mutual_exclusion});
  }
  SECTION("a node that forgets: crash, restart") {
    tests::allow(model, Fault::node_crash);
    check_violated(model, Property::mutual_exclusion, 3 + 2 + 3);
  }
  SECTION("a crash of a process ends its critical section") {
    tests::allow(model, Fault::crash);
    check_holds(model, {Property::mutual_exclusion, Property::deadlock, Property::leak});
  }
}

TEST_CASE("persistence decides what a crash of the node forgets") {
  sim::Model model = small_model(kOwn + "set-px", 2, kSecondMs);
  tests::allow(model, Fault::node_crash);
  SECTION("always: nothing is forgotten") {
    model.persistence = sim::Persistence::aof_always;
    check_holds(model, {Property::mutual_exclusion});
  }
  SECTION("everysec: a crash alone forgets nothing, a power loss the last write") {
    model.persistence = sim::Persistence::aof_everysec;
    check_holds(model, {Property::mutual_exclusion});
    tests::allow(model, Fault::power_loss);
    check_violated(model, Property::mutual_exclusion, 3 + 2 + 3);
  }
  SECTION("rdb: never saved is empty") {
    model.persistence = sim::Persistence::rdb;
    check_violated(model, Property::mutual_exclusion, 3 + 2 + 3);
  }
}

// A critical section without work is left in a step of its own: one more than it takes to hold.

TEST_CASE("honest results") {
  check_violated(small_model(kOwn + "false-refusal", 1, 0), Property::honest_result, 3);
  check_violated(small_model(kOwn + "false-release", 1, 0), Property::honest_result, 4);
  // The same with work: hold in 3, READ 2, time, timer, WRITE 2: then release() returns at once.
  check_violated(small_model(kOwn + "false-release", 1, kSecondMs), Property::honest_result, 9);
}

TEST_CASE("a key that stays: leak and deadlock where the world comes to rest") {
  check_violated(small_model(kOwn + "false-release", 1, 0), Property::leak, 4);
  check_violated(small_model(kOwn + "false-release", 1, 0), Property::deadlock, 4);
  // A client that is always refused, though its key expires: no leak, but nobody will ever acquire.
  check_holds(small_model(kOwn + "false-refusal", 1, 0), {Property::leak});
  check_violated(small_model(kOwn + "false-refusal", 1, 0), Property::deadlock, 3);
}

TEST_CASE("a foreign lease prolonged: hold, then B's SET and its PEXPIRE") {
  check_violated(small_model(kOwn + "extend-foreign", 2, kSecondMs), Property::foreign_extend,
                 3 + 4);
  check_holds(small_model(kOwn + "extend-foreign", 2, kSecondMs), {Property::foreign_release});
}

TEST_CASE("a clock reading is a difference of ages") {
  sim::Model model = small_model(kOwn + "slow-check", 1, 0);
  check_holds(model, {Property::honest_result});
  SECTION("a delayed reply: begin, execute, hold back, 2 s, go on, hear") {
    tests::allow(model, Fault::delay);
    check_violated(model, Property::honest_result, 6);
  }
  SECTION("a jump of the client's clock does the same without time: begin, execute, jump, hear") {
    tests::allow(model, Fault::jump);
    model.jumps_ms = {2 * kSecondMs};
    check_violated(model, Property::honest_result, 4);
  }
  SECTION("a jump of a second is just not too long") {
    tests::allow(model, Fault::jump);
    model.jumps_ms = {kSecondMs};
    check_holds(model, {Property::honest_result});
  }
}

TEST_CASE("a task that takes step after step while time cannot pass is named, not cut") {
  sim::Model model = small_model(kOwn + "spin", 1, 0);
  tests::allow(model, Fault::node_crash);
  const Result result = explored(model);
  CHECK(result.verdict == Verdict::inconclusive);
  CHECK(result.why_inconclusive ==
        "a zero-time cycle: task 0 of process A takes step after step while time cannot pass");
}

TEST_CASE("a client that waits for what will never come is a deadlock") {
  // The other thread begins too, before or after; the first one takes begin, execute, hear,
  // leave, execute, hear.
  sim::Model model = small_model(kOwn + "kept-mutex", 1, 0);
  model.processes[0].threads = 2;
  check_violated(model, Property::deadlock, 7);
  check_holds(model, {Property::leak, Property::mutual_exclusion});
}

// ---- re-entry and threads

TEST_CASE("a hash that counts its entries is re-entrant") {
  sim::Model model = small_model(kOwn + "reentrant", 2, 0);
  model.processes[0].workload = {kLock, kLock, kUnlock, kUnlock};
  check_holds(model, {sim::kProperties.begin(), sim::kProperties.end()});
  // The lease ends in the work between the two entries. Hold in 3, READ 2, time, timer, WRITE 2: 9.
  // The nested acquire() makes the key anew, 2; the inner release() counts to 0 and removes it, 2.
  model = small_model(kOwn + "reentrant", 1, 0);
  model.processes[0].workload = {
      kLock, {sim::WorkStep::Kind::work, 0, 4 * kSecondMs}, kLock, kUnlock, kUnlock};
  check_violated(model, Property::reentrancy, 13);
}

TEST_CASE("who is inside needs its key, who has left keeps none") {
  const auto nested = [](const std::string& protocol) {
    sim::Model model = small_model(kOwn + protocol, 1, 0);
    model.processes[0].workload = {kLock, kLock, kUnlock, kUnlock};
    return model;
  };
  // Hold in 3; the nested acquire() sends nothing; the inner release()'s DEL executed, heard.
  check_violated(nested("releases-inner"), Property::reentrancy, 5);
  // Hold in 3; the nested acquire()'s DEL executed, heard.
  check_violated(nested("forgets-on-reentry"), Property::reentrancy, 5);
  // Hold in 3, then the nested RPUSH and the outermost LPOP, each executed and heard.
  check_violated(nested("leaves-an-element"), Property::reentrancy, 7);
  // Hold in 3, then INCR, DECR and the outermost DECR, each executed and heard: the key stays at 0.
  check_violated(nested("keeps-a-count"), Property::deadlock, 9);
  // Without nesting the first two do what they should.
  check_holds(small_model(kOwn + "releases-inner", 1, 0), {Property::reentrancy});
  check_holds(small_model(kOwn + "forgets-on-reentry", 1, 0), {Property::reentrancy});
}

TEST_CASE("two threads of one process: a request counts for the operation of its own thread") {
  const auto threads = [](const std::string& protocol) {
    sim::Model model = small_model(kOwn + protocol, 1, 0);
    model.processes[0].threads = 2;
    return model;
  };
  // The process has the key, but it was not made in the acquire() that is refused.
  check_holds(threads("set-px"), {Property::honest_result});
  // While both threads release, the key that the first leaves is the other's: not reentrancy's
  // business.
  check_holds(threads("reentrant"), {sim::kProperties.begin(), sim::kProperties.end()});
  check_violated(threads("false-release"), Property::honest_result, 4);
}

TEST_CASE("what an inner release() removes is not removed by another thread's release()") {
  sim::Model model = small_model(kOwn + "swaps-key", 1, 0);
  model.processes[0].workload = {kLock, kLock, kUnlock, kUnlock};
  check_holds(model, {Property::honest_result});
  model.processes[0].threads = 2;
  // One thread enters twice in 5 and sends the GET of its release(). The other enters twice in 5
  // and sends the DEL of its inner release(). DEL executed, GET executed, heard.
  check_violated(model, Property::honest_result, 5 + 5 + 3);
}

// ---- absolute time: an expiry that no node knows of

TEST_CASE("the probe has patience with a timestamp that a dead client has left") {
  sim::Model model = small_model(kOwn + "timestamp", 1, 0);
  tests::allow(model, Fault::crash);
  // 3 s, the lease, is the last instant at which the dead client's lock counts; the probe waits for
  // a tick more.
  check_holds(model, {Property::deadlock});
  check_holds(small_model(kOwn + "timestamp-stuck", 1, 0), {Property::deadlock});
  // Nobody takes over: begin, SETNX executed, crash.
  sim::Model stuck = small_model(kOwn + "timestamp-stuck", 1, 0);
  tests::allow(stuck, Fault::crash);
  check_violated(stuck, Property::deadlock, 3);
}

TEST_CASE("the probe's calls are those of one process") {
  sim::Model model = small_model(kOwn + "second-look", 1, 0);
  tests::allow(model, Fault::crash);
  check_holds(model, {Property::deadlock});
}

TEST_CASE("the probe may poll for thousands of steps, with a token each", "[many-models]") {
  sim::Model model = small_model(kOwn + "impatient", 1, 0);
  model.tick_ms = 1;
  tests::allow(model, Fault::crash);
  // Patience of 3 s and 3 ms, spent in tries 2 ms apart; nobody takes over.
  model.properties = {Property::deadlock};
  checker::Walk walk(model);
  for (const sim::Action::Kind kind :
       {sim::Action::Kind::begin, sim::Action::Kind::execute, sim::Action::Kind::crash}) {
    CHECK_FALSE(walk.trace().violated);
    sim::Action action;
    action.kind = kind;
    walk.take(action);
  }
  CHECK(walk.trace().violated == Property::deadlock);
}

TEST_CASE("a clock may jump before anything has looked at it, in a run that is absolute") {
  // A's clock jumps back before it looks; A holds in 3, and B finds its timestamp old: 7 steps.
  sim::Model model = small_model(kOwn + "timestamp", 2, kSecondMs);
  tests::allow(model, Fault::jump);
  model.jumps_ms = {-20 * kSecondMs};
  check_violated(model, Property::mutual_exclusion, 1 + 3 + 7);
}

TEST_CASE("the probe waits for a timestamp of a clock that has jumped") {
  // The lock ends at 3 + 20 s: the probe waits for that.
  sim::Model model = small_model(kOwn + "timestamp", 1, 0);
  tests::allow(model, Fault::crash);
  tests::allow(model, Fault::jump);
  model.jumps_ms = {GENERATE(20, -20) * kSecondMs};
  check_holds(model, {Property::deadlock});
}

TEST_CASE("time passes over a timestamp that no node's deadline tells", "[many-models]") {
  // A holds in 3. The value ends at 3 s, B finds it old at 4 s, which is just the reach: lease and
  // tick. B takes over with SETNX, GET and GETSET, in 7 steps.
  sim::Model model = small_model(kOwn + "timestamp", 2, kSecondMs);
  check_holds(model, {Property::mutual_exclusion});
  SECTION("READ executed, pause, time passes, B holds") {
    tests::allow(model, Fault::pause);
    check_violated(model, Property::mutual_exclusion, 3 + 1 + 1 + 1 + 7);
  }
  SECTION("the READ is held back, time passes, B holds") {
    tests::allow(model, Fault::delay);
    check_violated(model, Property::mutual_exclusion, 3 + 1 + 1 + 7);
  }
  SECTION("a crash: B takes over from nobody") {
    tests::allow(model, Fault::crash);
    check_holds(model, {Property::mutual_exclusion});
  }
}

TEST_CASE("the outlook ends at the reach of the last look") {
  sim::Model model = small_model(kOwn + "timestamp", 1, kSecondMs);
  tests::allow(model, Fault::delay);
  // How far time can pass once A has looked and its SETNX is held back.
  const auto furthest_ms = [&] {
    checker::Walk walk(model);
    for (const sim::Action::Kind kind : {sim::Action::Kind::begin, sim::Action::Kind::delay}) {
      sim::Action action;
      action.kind = kind;
      walk.take(action);
    }
    std::int64_t furthest = 0;
    for (const checker::Option& option : walk.enabled()) {
      if (option.action.kind == sim::Action::Kind::pass)
        furthest = std::max(furthest, option.action.amount_ms);
    }
    return furthest;
  };
  CHECK(furthest_ms() == 3 * kSecondMs + kSecondMs);
  // Jumps count only as often as the budget has them: how far they bring two clocks apart.
  model.jumps_ms = {kSecondMs, -2 * kSecondMs};
  CHECK(furthest_ms() == 4 * kSecondMs);
  tests::allow(model, Fault::jump, 2);
  CHECK(furthest_ms() == 4 * kSecondMs + 2 * (kSecondMs + 2 * kSecondMs));
}

TEST_CASE("a client that polls without a pause meets the end of another's lease") {
  // A holds in 3, READ 2, time, and B as it would without having polled: the shortest run has no
  // failed poll.
  check_violated(small_model(kOwn + "poll", 2, 4 * kSecondMs), Property::mutual_exclusion, 9);
}

// ---- the shipped rungs

TEST_CASE("EXISTS, SET: two clients that both see nothing, begin to hear five steps each") {
  const sim::Model model = small_model("protocols/exists-set", 2, kSecondMs);
  check_violated(model, Property::mutual_exclusion, 5 + 5);
  // A holds; B's SET overwrites A's key: B need not hear of it.
  check_violated(model, Property::foreign_release, 5 + 4);
  check_holds(model, {Property::deadlock, Property::leak, Property::foreign_extend});
}

TEST_CASE("SETNX without expiry: exclusive for any work, but a crash leaves the key for ever") {
  sim::Model model = small_model("protocols/setnx", 2, 4 * kSecondMs);
  check_holds(model, {sim::kProperties.begin(), sim::kProperties.end()});
  tests::allow(model, Fault::crash);
  // Begin, SETNX executed, crash; or the crash before the execution.
  check_violated(model, Property::deadlock, 3);
  check_violated(model, Property::leak, 3);
  check_holds(model, {Property::mutual_exclusion});
}

TEST_CASE("SETNX, then EXPIRE: a crash between the two leaves the key for ever") {
  sim::Model model = small_model("protocols/setnx-expire", 2, kSecondMs);
  check_holds(model, {sim::kProperties.begin(), sim::kProperties.end()});
  tests::allow(model, Fault::crash);
  check_violated(model, Property::deadlock, 3);
}

TEST_CASE("SET EX NX, DEL: who is late removes another's lock") {
  const sim::Model model = small_model("protocols/set-ex-nx", 2, 4 * kSecondMs);
  // 5 steps to A's work, its time, B holds in 3; A's timer, WRITE executed, heard with DEL sent,
  // DEL executed.
  check_violated(model, Property::foreign_release, 5 + 1 + 3 + 4);
  check_holds(small_model("protocols/set-ex-nx", 2, kSecondMs),
              {sim::kProperties.begin(), sim::kProperties.end()});
}

TEST_CASE(
    "GET, compare, DEL: only what happens between the GET and the DEL removes another's lock") {
  sim::Model model = small_model("protocols/set-token-get-del", 2, 4 * kSecondMs);
  check_holds(model, {Property::foreign_release});
  model = small_model("protocols/set-token-get-del", 2, kSecondMs);
  tests::allow(model, Fault::delay);
  // 5 steps to A's work, its time, timer, WRITE executed, heard, GET executed, heard: 11. The DEL
  // is held back, time passes, B holds in 3, the DEL goes on and is executed.
  check_violated(model, Property::foreign_release, 11 + 2 + 3 + 2);
  model = small_model("protocols/set-token-lua", 2, kSecondMs);
  tests::allow(model, Fault::delay);
  check_holds(model, {Property::foreign_release});
}

TEST_CASE("fencing tokens: checked on read and write no update is lost, on write only one is") {
  sim::Model model = small_model("protocols/fencing", 2, 4 * kSecondMs);
  model.resource = sim::Resource::fenced;
  check_holds(model, {Property::no_lost_update});
  model.resource = sim::Resource::fenced_writes;
  // As without fencing: A's WRITE comes when no WRITE with B's token has been seen.
  check_violated(model, Property::no_lost_update, 19);
}

TEST_CASE("bounds make a search inconclusive and say which") {
  const sim::Model model = small_model(kOwn + "set-px", 2, kSecondMs);
  checker::Bounds bounds;
  SECTION("states") {
    bounds.max_states = 10;
    const Result result = checker::explore_naively(model, bounds);
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(result.why_inconclusive == "more than 10 states");
  }
  SECTION("depth") {
    bounds.max_depth = 4;
    const Result result = checker::explore_naively(model, bounds);
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(result.why_inconclusive == "runs of more than 4 steps");
    CHECK(result.statistics.depth == 4);
  }
  SECTION("bytes") {
    bounds.max_bytes = 1000;
    CHECK(checker::explore_naively(model, bounds).why_inconclusive ==
          "more than 1000 bytes of visited states");
  }
  SECTION("the caller") {
    const Result result = checker::explore_naively(
        model, bounds, [](const checker::Statistics&) { return "interrupted"; });
    CHECK(result.verdict == Verdict::inconclusive);
    CHECK(result.why_inconclusive == "interrupted");
  }
}

TEST_CASE("two explorations give the same figures and the same schedule") {
  sim::Model model = small_model(kOwn + "set-px", 2, 4 * kSecondMs);
  model.properties = {Property::mutual_exclusion};
  const Result first = explored(model);
  const Result second = explored(model);
  CHECK(first.schedule == second.schedule);
  CHECK(first.statistics.states == second.statistics.states);
  CHECK(first.statistics.transitions == second.statistics.transitions);
}
