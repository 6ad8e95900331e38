// A machine that dies and tells nobody, and FLUSHALL, which saves: section 6 of docs/semantics.md,
// in naive runs that can be worked out by hand.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "checker/naive/world.hpp"
#include "tests/support/by_hand.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using checker::naive::Line;
using checker::naive::Message;
using sim::Action;
using sim::Fault;
using tests::allow;
using tests::ByHand;
using tests::inline_model;
using tests::kOwn;
using tests::kSecondMs;
using tests::of_node;
using tests::of_process;
using tests::small_model;

namespace {

using Kind = Action::Kind;

const Action kPowerLoss = of_node(Kind::power_loss, 0);
const Action kRestart = of_node(Kind::node_restart, 0);
const Action kExecute = of_process(Kind::execute, 0);
const Action kDeliver = of_process(Kind::deliver, 0);
const Action kLose = of_process(Kind::lose, 0);

/// SET NX PX by one client; a power loss, and another fault or none.
sim::Model dark_model(const std::set<Fault>& also = {}, std::int64_t request_timeout_ms = 0) {
  sim::Model model = small_model(kOwn + "set-px", 1, kSecondMs);
  model.persistence = sim::Persistence::aof_always;
  model.request_timeout_ms = request_timeout_ms;
  allow(model, Fault::power_loss);
  for (const Fault fault : also) allow(model, fault);
  return model;
}

const std::vector<checker::naive::Connection>& connections(const ByHand& run) {
  return run.world.processes[0].connections;
}

Message::State state_of_next(const ByHand& run) {
  return connections(run).at(0).messages.at(0).state;
}

}  // namespace

TEST_CASE("a process that dies tells its clients, a machine does not") {
  ByHand run(dark_model({Fault::node_crash}));
  run.begins(0);
  SECTION("a crash") {
    run.does(of_node(Kind::node_crash, 0));
    CHECK(state_of_next(run) == Message::State::broken);
    CHECK(run.may(kDeliver));
  }
  SECTION("a power loss: what waits is told at the restart") {
    run.does(kPowerLoss);
    CHECK(state_of_next(run) == Message::State::waiting);
    CHECK_FALSE(run.may(kExecute));
    CHECK_FALSE(run.may(kDeliver));
    run.does(kRestart);
    CHECK(state_of_next(run) == Message::State::broken);
    run.hears(0);
    CHECK_FALSE(run.has_lock(0));
  }
}

TEST_CASE("what is sent to a dark machine is executed when it is up again") {
  ByHand run(dark_model({Fault::node_crash}));
  SECTION("not to a process that has crashed") {
    run.does(of_node(Kind::node_crash, 0));
    run.begins(0);
    CHECK(state_of_next(run) == Message::State::broken);
  }
  SECTION("to a dark one") {
    run.does(kPowerLoss);
    run.begins(0);
    CHECK(state_of_next(run) == Message::State::waiting);
    CHECK_FALSE(run.may(kExecute));
    run.does(kRestart);
    CHECK(run.asks(0) == "OK");
    CHECK(run.hears(0).witnesses.contains(sim::Witness::acquired));
  }
}

TEST_CASE("of a dark machine an error may come at any time, and costs nothing") {
  const bool sent_before = GENERATE(true, false);
  ByHand run(dark_model({Fault::delay}));
  if (sent_before) run.begins(0);
  if (sent_before) CHECK_FALSE(run.may(kLose));
  run.does(kPowerLoss);
  if (!sent_before) run.begins(0);
  CHECK(connections(run).at(0).line == (sent_before ? Line::lost : Line::unmade));
  CHECK_FALSE(run.may(of_process(Kind::delay, 0)));
  run.does(kLose);
  CHECK_FALSE(run.may(kLose));
  CHECK(run.world.budget[static_cast<std::size_t>(Fault::delay)] == 1);
  run.hears(0);
  CHECK(connections(run).empty());
}

TEST_CASE("nothing lies in the network that a dark machine will get later") {
  ByHand run(dark_model({Fault::lose}));
  run.begins(0);
  CHECK(run.may(of_process(Kind::lose_late, 0)));
  SECTION("while it is dark, a connection leaves nothing behind") {
    run.does(kPowerLoss);
    CHECK_FALSE(run.may(of_process(Kind::lose_late, 0)));
    run.does(kLose);
    CHECK(run.world.budget[static_cast<std::size_t>(Fault::lose)] == 1);
  }
  SECTION("what one has left before is gone") {
    run.does(of_process(Kind::lose_late, 0));
    CHECK(connections(run).size() == 2);
    run.does(kPowerLoss);
    CHECK(connections(run).size() == 1);
    CHECK(state_of_next(run) == Message::State::broken);
  }
}

TEST_CASE("who gives a dark machine up leaves nothing on the way to it") {
  const bool sent_before = GENERATE(true, false);
  const bool by_crash = GENERATE(true, false);
  ByHand run(dark_model({Fault::crash}, 2 * kSecondMs));
  if (sent_before) run.begins(0);
  run.does(kPowerLoss);
  if (!sent_before) run.begins(0);
  if (!by_crash) run.passes(2 * kSecondMs);
  run.does(of_process(by_crash ? Kind::crash : Kind::timer, 0));
  CHECK(connections(run).empty());
  run.does(kRestart);
  CHECK_FALSE(run.may(kExecute));
}

TEST_CASE("no task gives up a shared connection: what waits on an unmade one is executed") {
  sim::Model model = inline_model("return redis('SET', self.key, 'x') == OK",
                                  "redis('DEL', self.key)", 1, ", shared_connection = true");
  allow(model, Fault::power_loss);
  model.request_timeout_ms = 2 * kSecondMs;
  ByHand run(model);
  run.does(kPowerLoss);
  run.begins(0);
  run.passes(2 * kSecondMs);
  run.does(of_process(Kind::timer, 0));
  CHECK(connections(run).at(0).messages.at(0).unheard);
  run.does(kRestart);
  run.does(kExecute);
  CHECK(run.has_lock(0));
}

TEST_CASE("a reply that is on its way from a machine that dies arrives, or does not") {
  ByHand run(dark_model({Fault::pause}));
  run.begins(0);
  run.asks(0);
  SECTION("at once") {
    run.does(kPowerLoss);
    CHECK(run.may(kLose));  // it may not have been sent
    CHECK(run.hears(0).witnesses.contains(sim::Witness::acquired));
  }
  SECTION("to who is paused, also when the machine is up again: a kernel has kept it") {
    run.does(of_process(Kind::pause, 0));
    run.does(kPowerLoss);
    run.does(kRestart);
    run.does(of_process(Kind::resume, 0));
    CHECK(run.may(kLose));
    CHECK(run.hears(0).witnesses.contains(sim::Witness::acquired));
  }
}

TEST_CASE("a dark machine has forgotten what a WAIT waits for") {
  sim::Model model = inline_model("return redis('WAIT', 1, 5000) == 1", "return true", 1);
  allow(model, Fault::power_loss);
  ByHand run(model);
  run.begins(0);
  run.does(kExecute);  // it is blocked
  REQUIRE(connections(run).at(0).messages.at(0).blocked);
  run.does(kPowerLoss);
  CHECK_FALSE(connections(run).at(0).messages.at(0).blocked);
  CHECK_FALSE(run.may(kExecute));
  run.does(kRestart);
  CHECK(state_of_next(run) == Message::State::broken);
}

TEST_CASE("whom a client does not reach, and whom it does not hear, tell worlds apart") {
  ByHand run(dark_model());
  const std::string whole = run.identity();
  run.world.processes[0].unreached.insert(0);
  const std::string unreached = run.identity();
  run.world.processes[0].unheard.insert(0);
  const std::string neither = run.identity();
  run.world.processes[0].unreached.clear();
  CHECK(std::set{whole, unreached, neither, run.identity()}.size() == 4);
}

TEST_CASE("what is dark, lost or unmade tells worlds apart") {
  ByHand run(dark_model());
  run.does(kPowerLoss);
  run.begins(0);
  const std::string unmade = run.identity();
  run.world.processes[0].connections.at(0).line = Line::lost;
  CHECK(run.identity() != unmade);
  run.world.processes[0].connections.at(0).line = Line::made;
  const std::string dark = run.identity();
  run.world.nodes[0].dark = false;
  CHECK(run.identity() != dark);
}

TEST_CASE("FLUSHALL leaves a saved image without keys, FLUSHDB does not touch it") {
  const auto flushed_by = [](const std::string& requests) {
    sim::Model model = inline_model(
        "redis('FUNCTION', 'LOAD', '#!lua name=f\\nredis.register_function(\"f\", function() end)')"
        "\n" +
            requests,
        "return true", 1);
    model.persistence = sim::Persistence::rdb;
    allow(model, Fault::node_crash);
    return model;
  };
  const auto [requests, count, keeps] = GENERATE(table<std::string, int, bool>(
      {{"redis('FLUSHALL')", 1, false},
       {"redis('FLUSHDB')", 1, true},
       {"redis('FLUSHALL', 'NOW')", 1, true},  // a syntax error
       {"redis('EVAL', \"redis.call('FLUSHALL') redis.call('SET', 'other', 'y')\", 0)", 1, false},
       {"redis('MULTI') redis('FLUSHALL') redis('SET', 'other', 'y') redis('EXEC')", 4, false}}));
  ByHand run(flushed_by("redis('SET', self.key, 'x') " + requests + " return true"));
  run.acquires(0);  // FUNCTION LOAD
  run.asks(0);      // SET
  run.hears(0);
  run.does(of_node(Kind::save, 0));
  for (int i = 0; i < count; ++i) {
    run.asks(0);
    run.hears(0);
  }
  CHECK(run.world.nodes[0].saved.keys.contains("lock") == keeps);
  CHECK_FALSE(run.world.nodes[0].saved.keys.contains("other"));
  CHECK(run.world.nodes[0].saved.libraries.size() == 1);
  run.does(of_node(Kind::node_crash, 0));
  CHECK(run.has_lock(0) == keeps);
}

TEST_CASE("so does a FLUSHALL by somebody else") {
  sim::Model model = dark_model({Fault::flush});
  model.persistence = sim::Persistence::rdb;
  ByHand run(model);
  run.acquires(0);
  run.does(of_node(Kind::save, 0));
  CHECK(run.world.nodes[0].saved.keys.contains("lock"));
  run.does(of_node(Kind::flush, 0));
  CHECK(run.world.nodes[0].saved.keys.empty());
  run.does(kPowerLoss);
  CHECK_FALSE(run.has_lock(0));
}
