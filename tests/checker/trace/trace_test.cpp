// Traces as a person reads them, and walks that go forwards, backwards and astray.
#include "checker/trace/trace.hpp"

#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/trace/rescale.hpp"
#include "sim/base/error.hpp"
#include "sim/model/wording.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using checker::Trace;
using checker::TraceStep;
using checker::Walk;
using sim::Action;
using sim::Fault;
using sim::Property;
using tests::kOwn;
using tests::kSecondMs;
using tests::small_model;

namespace {

Action process_action(Action::Kind kind, std::uint8_t process, std::uint8_t connection = 0) {
  Action action;
  action.kind = kind;
  action.process = process;
  action.connection = connection;
  return action;
}

Action begin(std::uint8_t process) { return process_action(Action::Kind::begin, process); }
Action execute(std::uint8_t process, std::uint8_t connection = 0) {
  return process_action(Action::Kind::execute, process, connection);
}
Action deliver(std::uint8_t process, std::uint8_t connection = 0) {
  return process_action(Action::Kind::deliver, process, connection);
}
Action pass(std::int64_t ms) {
  Action action;
  action.kind = Action::Kind::pass;
  action.amount_ms = ms;
  return action;
}

/// "3000 ! A: pauses", then indented what changed.
std::string shown(const TraceStep& step) {
  const checker::StepProse& told = step.prose;
  std::string text = std::to_string(step.data.time_ms) + (told.environment ? " ! " : " ") +
                     told.actor + ": " + told.sentence;
  for (const std::string& change : told.changes) text += "\n    " + change;
  return text;
}

std::vector<std::string> shown(const Trace& trace) {
  std::vector<std::string> lines;
  for (const TraceStep& step : trace.steps) lines.push_back(shown(step));
  return lines;
}

std::string refusal(Walk& walk, const Action& action, const std::string& place = "") {
  try {
    walk.take(action, place);
  } catch (const sim::BadInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a pause in the critical section, as it is told") {
  sim::Model model = small_model(kOwn + "set-px", 2, kSecondMs);
  tests::allow(model, Fault::pause);
  model.properties = {Property::mutual_exclusion};
  const Trace trace = checker::tell(
      model, {begin(0), execute(0), deliver(0), execute(0), process_action(Action::Kind::pause, 0),
              pass(4000), begin(1), execute(1), deliver(1)});
  CHECK(
      shown(trace) ==
      std::vector<std::string>{
          "0 A: starts; sends SET lock A.1 NX PX 3000",
          "0 redis: SET lock A.1 NX PX 3000 -> OK\n    lock = A.1, expires in 3000 ms",
          "0 A: hears OK: holds the lock, in the critical section; sends READ to the resource",
          "0 resource: A's READ -> OK", "0 ! A: pauses", "4000 : time passes\n    lock has expired",
          "4000 B: starts; sends SET lock B.1 NX PX 3000",
          "4000 redis: SET lock B.1 NX PX 3000 -> OK\n    lock = B.1, expires in 3000 ms",
          "4000 B: hears OK: holds the lock, in the critical section; sends READ to the resource"});
  CHECK(trace.violated == Property::mutual_exclusion);
  CHECK(
      trace.violation ==
      "A and B are both in the critical section; A's lease ended at 3000 ms, and A does not know.");
}

TEST_CASE("a node's clock that jumps is told with what it leaves of each lease") {
  for (const auto& [jump_ms, left] : {std::pair{1000, "2000"}, {-1000, "4000"}}) {
    sim::Model model = small_model(kOwn + "set-px", 1, kSecondMs);
    tests::allow(model, Fault::jump);
    model.jumps_ms = {jump_ms};
    Walk walk(model);
    for (const Action& action : {begin(0), execute(0)}) walk.take(action);
    Action jump;
    jump.kind = Action::Kind::jump_node;
    jump.amount_ms = jump_ms;
    CHECK(walk.take(jump).prose.changes ==
          std::vector<std::string>{std::string("lock now expires in ") + left + " ms"});
  }
}

TEST_CASE("who hears of the resource alone does not know that its lease has ended") {
  sim::Model model = small_model(kOwn + "set-px", 2, kSecondMs);
  tests::allow(model, Fault::pause);
  model.properties = {Property::mutual_exclusion};
  const Action pause = process_action(Action::Kind::pause, 0);
  const Action resume = process_action(Action::Kind::resume, 0);
  const Trace trace =
      checker::tell(model, {begin(0), execute(0), deliver(0), execute(0), pause, pass(4000), resume,
                            deliver(0), begin(1), execute(1), deliver(1)});
  CHECK(
      trace.violation ==
      "A and B are both in the critical section; A's lease ended at 3000 ms, and A does not know.");
}

TEST_CASE("a jump is divided with the lease that it ends") {
  auto model = test::with_fault(test::model({"set-token-lua", 2, 1, 10'000, 3000}), Fault::jump);
  model.properties = {Property::mutual_exclusion};
  const checker::Result found = checker::explore(model, {});
  REQUIRE(found.verdict == checker::Verdict::violated);
  const auto shorter = checker::rescale(model, found.schedule, 1000, "");
  CHECK(shorter.divisor == 10);
  CHECK(shorter.model.jumps_ms == std::vector<std::int64_t>{2000, -2000});
  CHECK(shorter.trace.steps.size() == found.schedule.size());
}

TEST_CASE("how long a client may wait is divided with all other times") {
  auto model = test::with_fault(test::model({"set-token-lua", 2, 1, 10'000, 3000}), Fault::delay);
  model.properties = {Property::waits};
  model.waits_ms = 1000;
  const checker::Result found = checker::explore(model, {});
  REQUIRE(found.verdict == checker::Verdict::violated);
  const auto shorter = checker::rescale(model, found.schedule, 1000, "");
  CHECK(shorter.divisor == 10);
  CHECK(shorter.model.waits_ms == 100);
  CHECK(shorter.trace.violated == Property::waits);
  CHECK(shorter.trace.steps.size() == found.schedule.size());
}

TEST_CASE("what is on its way to a node that crashes is told to be lost") {
  sim::Model model = small_model(kOwn + "set-px", 1, kSecondMs);
  tests::allow(model, Fault::node_crash);
  Walk walk(model);
  walk.take(begin(0));
  Action crash;
  crash.kind = Action::Kind::node_crash;
  CHECK(walk.take(crash).prose.changes ==
        std::vector<std::string>{"A's SET lock A.1 NX PX 3000 is lost"});
}

TEST_CASE("who has called lost() is not said not to know that it is") {
  test::InlineLock lock(
      {"if redis('SET', self.key, 1, 'NX') ~= OK then return false end "
       "self.dog = every(5, function() lost(self) redis('DEL', self.key) end) "
       "return true",
       "stop(self.dog) return redis('DEL', self.key) == 1"});
  lock.model.properties = {Property::mutual_exclusion};
  const checker::Result found = checker::explore(lock.model, {});
  REQUIRE(found.verdict == checker::Verdict::violated);
  CHECK(checker::tell(lock.model, found.schedule).violation ==
        "A and B are both in the critical section; A's DEL lock removed A's key lock at 5 ms, and "
        "A goes on.");
}

TEST_CASE("who has given its lock up as lost leaves the critical section once") {
  test::InlineLock lock(
      {"if redis('SET', self.key, 1, 'NX') ~= OK then return false end "
       "self.dog = every(5, function() lost(self) end) return true",
       "stop(self.dog) return redis('DEL', self.key) == 1"});
  lock.model.processes.resize(1);
  Walk walk(lock.model);
  std::string told;
  for (int i = 0; i < 20 && told.find("as lost") == std::string::npos; ++i)
    told = walk.take(walk.enabled().at(0).action).prose.sentence;
  CHECK(told.ends_with(
      "gives the lock up as lost, leaves the critical section; releases the lock; sends DEL lock"));
}

TEST_CASE("a release by script, told to its end") {
  const sim::Model model = small_model(kOwn + "set-px", 1, kSecondMs);
  Walk walk(model);
  for (const Action& action : {begin(0), execute(0), deliver(0), execute(0)}) walk.take(action);
  CHECK(shown(walk.take(deliver(0))) == "0 A: hears OK from the resource; works 1000 ms");
  CHECK(shown(walk.take(pass(1000))) == "1000 : time passes");
  CHECK(shown(walk.take(process_action(Action::Kind::timer, 0))) ==
        "1000 A: has done its work; sends WRITE to the resource");
  CHECK(shown(walk.take(execute(0))) ==
        "1000 resource: A's WRITE -> OK\n    A's write is accepted");
  CHECK(shown(walk.take(deliver(0))) ==
        "1000 A: hears OK from the resource: leaves the critical section, releases the lock; sends "
        "EVAL release.lua 1 "
        "lock A.1");
  CHECK(shown(walk.take(execute(0))) ==
        "1000 redis: EVAL release.lua 1 lock A.1 -> 1\n    lock is gone");
  CHECK(shown(walk.take(deliver(0))) == "1000 A: hears 1: has released the lock");
  CHECK(walk.enabled().empty());
}

TEST_CASE("every counterexample of the naive explorer is told to its violation") {
  sim::Model model = small_model(kOwn + "set-px", 2, 4 * kSecondMs);
  const auto told = [&](Property property) {
    model.properties = {property};
    const checker::Result result = checker::explore_naively(model, {});
    REQUIRE(result.verdict == checker::Verdict::violated);
    const Trace trace = checker::tell(model, result.schedule);
    CHECK(trace.steps.size() == result.schedule.size());
    CHECK(trace.violated == property);
    return trace.violation;
  };
  CHECK(told(Property::no_lost_update) ==
        "B's write was accepted, although A had written at 4000 ms, after B read: that update is "
        "lost.");

  model = small_model(kOwn + "false-refusal", 1, 0);
  CHECK(told(Property::honest_result) ==
        "A is told that it did not get the lock, but the key lock is its own.");
  model = small_model(kOwn + "false-release", 1, 0);
  CHECK(told(Property::honest_result) ==
        "A is told that it released the lock, but no key of its own was removed.");
  CHECK(told(Property::leak) ==
        "nobody is under way any more, and the key lock = 1 stays for ever.");
  CHECK(told(Property::deadlock) ==
        "nobody holds the lock and nothing is on its way, yet a fresh client could never acquire "
        "it: lock = 1 stays for "
        "ever.");
  model = small_model(kOwn + "extend-foreign", 2, kSecondMs);
  CHECK(told(Property::foreign_extend) ==
        "B's PEXPIRE lock 6000 prolonged A's key lock, while A is in the critical section (since 0 "
        "ms).");
}

TEST_CASE("a nested lock that is left too early, and one that is never left, as they are told") {
  const auto told = [](const std::string& protocol) {
    using sim::WorkStep;
    sim::Model model = small_model(kOwn + protocol, 1, 0);
    const WorkStep lock{WorkStep::Kind::lock, 0, 0}, unlock{WorkStep::Kind::unlock, 0, 0};
    model.processes[0].workload = {lock, lock, unlock, unlock};
    model.properties = {Property::reentrancy};
    const checker::Result result = checker::explore_naively(model, {});
    REQUIRE(result.verdict == checker::Verdict::violated);
    Trace trace = checker::tell(model, result.schedule);
    CHECK(trace.violated == Property::reentrancy);
    return trace;
  };
  const Trace early = told("releases-inner");
  CHECK(shown(early) ==
        std::vector<std::string>{
            "0 A: starts; sends SET lock A.1 NX PX 3000",
            "0 redis: SET lock A.1 NX PX 3000 -> OK\n    lock = A.1, expires in 3000 ms",
            "0 A: hears OK: holds the lock, in the critical section; enters the lock again, 2 "
            "deep; sends DEL lock",
            "0 redis: A's DEL lock -> 1\n    lock is gone",
            "0 A: hears 1: has left the lock once, still 1 deep; leaves the critical section, "
            "releases the lock; sends DEL lock"});
  CHECK(early.violation ==
        "A is told that it still holds the lock, but has no key of it any more; A's DEL lock "
        "removed A's key lock at 0 ms.");
  const Trace never = told("leaves-an-element");
  CHECK(shown(never.steps.back()) == "0 A: hears \"A.1\": has released the lock");
  CHECK(never.violation ==
        "A has released as often as it acquired, but a part of the key lock is still its own.");
}

TEST_CASE("a walk goes back and takes another way") {
  const sim::Model model = small_model(kOwn + "coin", 1, 0);
  Walk walk(model);
  const auto options = walk.enabled();
  REQUIRE(options.size() == 2);
  CHECK(shown(options[0].step) == "0 A: starts: does not get the lock");
  CHECK(shown(options[1].step) == "0 A: starts; sends SET lock A.1 NX PX 3000");
  CHECK(options[1].action.choices == std::vector<std::uint8_t>{2});

  walk.take(options[0].action);
  CHECK(walk.enabled().empty());
  walk.back();
  CHECK(walk.trace().steps.empty());
  walk.back();
  walk.take(options[1].action);
  CHECK(walk.trace().steps.size() == 1);
  CHECK(refusal(walk, begin(0), "x.json:7") ==
        "x.json:7: step 2, \"begin A task 0\", is not possible here; possible: execute A "
        "connection 0");
}

TEST_CASE("time passes to any tick, up to the first instant at which something is urgent") {
  const sim::Model model = small_model(kOwn + "set-px", 1, 2 * kSecondMs);
  Walk walk(model);
  walk.take(pass(1000));  // nothing waits for it, and nothing keeps it from passing
  for (const Action& action : {begin(0), execute(0), deliver(0), execute(0), deliver(0)})
    walk.take(action);
  CHECK(refusal(walk, pass(1500)).find("pass up to 2000 ms") != std::string::npos);
  CHECK(refusal(walk, pass(3000)).find("pass up to 2000 ms") != std::string::npos);
  CHECK(refusal(walk, pass(0)).find("is not possible here") != std::string::npos);
  walk.take(pass(1000));
  CHECK(walk.enabled().size() == 1);
  CHECK(walk.enabled().front().action == pass(1000));
  walk.take(pass(1000));
  CHECK(walk.trace().steps.back().data.time_ms == 3000);
  CHECK(refusal(walk, pass(1000)).find("possible: timer A task 0") != std::string::npos);
}

TEST_CASE("a violation ends the run") {
  sim::Model model = small_model(kOwn + "false-refusal", 2, 0);
  model.properties = {Property::honest_result};
  Walk walk(model);
  for (const Action& action : {begin(0), execute(0), deliver(0)}) walk.take(action);
  CHECK(walk.trace().violated == Property::honest_result);
  CHECK(walk.enabled().empty());
  CHECK(refusal(walk, begin(1)) ==
        "step 4, \"begin B task 0\", is not possible here: the run ended when honest-result was "
        "violated");
  walk.back();
  CHECK_FALSE(walk.trace().violated.has_value());
  CHECK_FALSE(walk.enabled().empty());
}

TEST_CASE("polling does not hold up time, but the next instant asks anew") {
  const sim::Model model = small_model(kOwn + "poll", 2, 4 * kSecondMs);
  Walk walk(model);
  for (const Action& action :
       {begin(0), execute(0), deliver(0), execute(0), deliver(0), begin(1), execute(1)}) {
    walk.take(action);
  }
  CHECK(refusal(walk, pass(1000)).find("is not possible here") != std::string::npos);
  CHECK(shown(walk.take(deliver(1))) == "0 B: hears (nil); sends SET lock B.1 NX PX 3000");
  walk.take(pass(1000));
  CHECK(refusal(walk, pass(1000)).find("execute B connection 0") != std::string::npos);
  // One pass may take it over several instants: up to the end of A's work.
  walk.back();
  CHECK(refusal(walk, pass(5000)).find("is not possible here") != std::string::npos);
  walk.take(pass(4000));
}

TEST_CASE("an abandoned request may still be executed, and nobody hears the reply") {
  sim::Model model = small_model(kOwn + "deaf", 1, 0);
  model.request_timeout_ms = kSecondMs;
  tests::allow(model, Fault::delay);
  Walk walk(model);
  walk.take(begin(0));
  CHECK(shown(walk.take(process_action(Action::Kind::delay, 0))) ==
        "0 ! A: SET lock A.1 NX PX 3000 is held back on its way");
  walk.take(pass(1000));
  CHECK(shown(walk.take(process_action(Action::Kind::timer, 0))) ==
        "1000 A: gives up waiting for a reply; sends SET lock A.1 NX PX 3000");
  walk.take(execute(0, 1));
  walk.take(process_action(Action::Kind::release, 0));
  CHECK(shown(walk.take(execute(0))) ==
        "1000 redis: SET lock A.1 NX PX 3000 -> (nil); A does not listen any more");
  CHECK(shown(walk.take(deliver(0))).starts_with("1000 A: hears OK: holds the lock"));
}

TEST_CASE("crash and restart: a new incarnation, a new token, a key that is nobody's") {
  sim::Model model = small_model(kOwn + "set-px", 1, 0);
  model.processes[0].rounds = 2;
  tests::allow(model, Fault::crash);
  Walk walk(model);
  walk.take(begin(0));
  CHECK(shown(walk.take(process_action(Action::Kind::crash, 0))) == "0 ! A: crashes");
  CHECK(shown(walk.take(begin(0))) == "0 A: starts again; sends SET lock A.2 NX PX 3000");
  CHECK(shown(walk.take(execute(0))) ==
        "0 redis: SET lock A.1 NX PX 3000 -> OK; sent before A crashed\n    lock = A.1, expires in "
        "3000 ms");
  walk.take(execute(0));
  CHECK(shown(walk.take(deliver(0))) == "0 A: hears (nil): does not get the lock");
}

TEST_CASE("requests and replies in short form") {
  CHECK(sim::worded(sim::Reply::ok()) == "OK");
  CHECK(sim::worded(sim::Reply::null()) == "(nil)");
  CHECK(sim::worded(sim::Reply::number(-2)) == "-2");
  CHECK(sim::worded(sim::Reply::bulk("\u27e8A.1\u27e9")) == "\"A.1\"");
  CHECK(sim::worded(sim::Reply::error("ERR no")) == "(error) ERR no");
  CHECK(sim::worded(sim::Reply::array({sim::Reply::number(1), sim::Reply::bulk("a b")})) ==
        "[1, \"a b\"]");
  CHECK(sim::worded_value("") == "\"\"");
  CHECK(sim::worded_value("two words") == "\"two words\"");
  CHECK(sim::worded_value(std::string("\x01\n", 2)) == "\"\\x01\\n\"");
  CHECK(sim::worded_value("\xe9\x94\x81") == "\xe9\x94\x81");  // a Chinese lock, as it is
  CHECK(sim::worded_value("a\xe9") == "\"a\\xe9\"");
}

TEST_CASE("in one line a sentence with a subject of its own stands apart from its actor",
          "[trace]") {
  checker::StepProse told;
  told.actor = "A";
  told.sentence = "A's READ goes on its way again";
  CHECK(checker::in_one_line(told) == "A: A's READ goes on its way again");
  told.sentence = "the connection to redis breaks, with nothing on it";
  CHECK(checker::in_one_line(told) == "A: the connection to redis breaks, with nothing on it");
  told.sentence = "resumes";
  CHECK(checker::in_one_line(told) == "A resumes");
}
