// Replicas in the naive explorer, in runs that can be worked out by hand: section 7 of
// docs/semantics.md.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/naive/naive.hpp"
#include "checker/naive/rules.hpp"
#include "sim/base/error.hpp"
#include "tests/support/by_hand.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using checker::Result;
using checker::Verdict;
using checker::naive::Facts;
using sim::Action;
using sim::Fault;
using sim::Property;
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

sim::Model with_replicas(sim::Model model, int replicas = 1, int nodes = 1) {
  for (sim::ProcessSetup& setup : model.processes) {
    setup.nodes = nodes;
    setup.replicas = replicas;
  }
  return model;
}

const auto kLag = [](std::uint8_t n) { return of_node(Kind::lag, n); };
const auto kCatchUp = [](std::uint8_t n) { return of_node(Kind::catch_up, n); };
const auto kFailover = [](std::uint8_t n) { return of_node(Kind::failover, n); };
const auto kFollow = [](std::uint8_t n) { return of_node(Kind::follow, n); };
const auto kMiss = [](std::uint8_t n) { return of_node(Kind::miss, n); };
const auto kCrash = [](std::uint8_t n) { return of_node(Kind::node_crash, n); };
const auto kLearn = [](std::uint8_t p, std::uint8_t n) { return of_process(Kind::learn, p, n); };

/// SET NX PX by two clients, one second of work; lag and failover once each.
sim::Model set_px() {
  sim::Model model = with_replicas(small_model(kOwn + "set-px", 2, kSecondMs));
  model.properties = {Property::mutual_exclusion};
  allow(model, Fault::lag);
  allow(model, Fault::failover);
  allow(model, Fault::node_crash);
  model.persistence = sim::Persistence::aof_always;
  return model;
}

Result naive_result(const sim::Model& model) { return checker::explore_naively(model, {}); }

}  // namespace

TEST_CASE("replicas alone change nothing but their keys") {
  // The chain of "one client alone": naive_test.cpp.
  const Result result = naive_result(with_replicas(small_model(kOwn + "set-px", 1, kSecondMs), 2));
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.statistics.states == 12);
  CHECK(result.statistics.transitions == 11);

  const ByHand run(with_replicas(small_model(kOwn + "set-px", 1, kSecondMs), 2, 2));
  REQUIRE(run.world.nodes.size() == 6);
  CHECK(run.world.newest == std::vector<std::uint8_t>{0, 1});
  CHECK(run.world.processes[0].knows == std::vector<std::uint8_t>{0, 1});
  const std::vector<std::optional<std::uint8_t>> follows{{}, {}, 0, 0, 1, 1};
  for (std::size_t n = 0; n < 6; ++n) CHECK(run.world.nodes[n].follows == follows[n]);
}

TEST_CASE("a lock is lost with what the replica had not got") {
  ByHand run(set_px());
  run.does(kLag(1));
  CHECK_FALSE(run.acquires(0).violation);
  CHECK(run.has_lock(0));
  CHECK_FALSE(run.has_lock(1));
  run.does(kFailover(1));
  run.does(kLearn(1, 1));
  const Facts facts = run.acquires(1);
  REQUIRE(facts.violation);
  CHECK(facts.violation->property == Property::mutual_exclusion);
}

TEST_CASE("what the replica has got is not lost, though the master crashes") {
  ByHand run(set_px());
  run.acquires(0);
  CHECK(run.has_lock(1));
  run.does(kCrash(0));
  run.does(kFailover(1));
  run.does(kLearn(1, 1));
  run.begins(1);
  CHECK(run.asks(1) == "nil");
  CHECK_FALSE(run.hears(1).violation);
}

TEST_CASE("two masters, and each client knows another one: eight steps", "[many-models]") {
  // Failover; A begins, SET executed at the old master, heard; B learns, begins, SET executed at
  // the new one, heard. Nothing lags: what an old master is sent never arrives elsewhere. If the
  // failover came after A's SET, B would find the key. Two clients need three steps each.
  sim::Model model = with_replicas(small_model(kOwn + "set-px", 2, kSecondMs));
  model.properties = {Property::mutual_exclusion};
  allow(model, Fault::failover);
  const Result result = naive_result(model);
  CHECK(result.verdict == Verdict::violated);
  CHECK(result.property == Property::mutual_exclusion);
  CHECK(result.schedule.size() == 8);

  allow(model, Fault::lag);
  CHECK(naive_result(model).schedule.size() == 8);
  allow(model, Fault::failover, 0);
  CHECK(naive_result(model).verdict == Verdict::holds);
}

TEST_CASE("a master that has come to follow another one says READONLY, and has what that has") {
  ByHand run(set_px());
  run.does(kFailover(1));
  run.acquires(0);
  CHECK(run.has_lock(0));
  CHECK_FALSE(run.has_lock(1));
  CHECK_FALSE(run.may(kFollow(1)));
  run.does(kFollow(0));
  CHECK(run.has_lock(0));  // for those who read, until it has got everything
  run.does(kCatchUp(0));
  CHECK_FALSE(run.has_lock(0));
  CHECK_FALSE(run.may(kFollow(0)));
  run.begins(1);
  CHECK(run.asks(1).starts_with("READONLY"));
  CHECK(run.may(kLearn(1, 1)));
}

TEST_CASE("a replica of before does not know the scripts of its master") {
  // Clients that only ask a script by its SHA-1, which A has loaded.
  sim::Model model = with_replicas(
      inline_model("if choose(2) == 1 then redis('SCRIPT', 'LOAD', 'return 1') end\n"
                   "return redis('EVALSHA', 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db', 0) == 1",
                   "return true", 2));
  allow(model, Fault::failover);
  ByHand run(model);
  const auto begin_with = [&](std::uint8_t p, std::uint8_t what) {
    Action begin = of_process(Kind::begin, p);
    begin.choices = {what};
    run.does(begin);
  };
  begin_with(0, 1);
  run.asks(0);
  run.hears(0);  // and asks for it
  run.asks(0);
  run.hears(0);
  run.does(kFailover(1));
  SECTION("the new master") {
    run.does(kLearn(1, 1));
    begin_with(1, 2);
    CHECK(run.asks(1).starts_with("NOSCRIPT"));
  }
  SECTION("the old one still does, as a replica too") {
    run.does(kFollow(0));
    begin_with(1, 2);
    CHECK(run.asks(1) == "1");
  }
}

TEST_CASE("who asks a replica is answered by it, as the node that it has asked") {
  sim::Model model = with_replicas(
      inline_model("self.token = unique()\nredis('SET', self.key, self.token, 'PX', self.ttl_ms)\n"
                   "return call { node = 2, 'GET', self.key } == self.token",
                   "redis('DEL', self.key)", 1));
  allow(model, Fault::lag);
  allow(model, Fault::failover);
  ByHand run(model);
  SECTION("at once") {
    run.acquires(0);
    CHECK(run.world.processes[0].connections.at(0).node == 1);
    CHECK(run.asks(0) != "nil");
    run.hears(0);
    CHECK(run.world.processes[0].history.back().node == 1);
    CHECK(run.world.processes[0].holdings.size() == 1);
  }
  SECTION("with what it had when the lag began") {
    run.does(kLag(1));
    run.acquires(0);
    CHECK(run.asks(0) == "nil");
  }
  SECTION("and with the rest once it has caught up") {
    run.does(kLag(1));
    run.acquires(0);
    run.does(kCatchUp(1));
    CHECK(run.asks(0) != "nil");
  }
  SECTION("a request for the node, which goes to the new master, is heard as the node's") {
    run.does(kFailover(1));
    run.does(kLearn(0, 1));
    run.begins(0);
    const auto& connection = run.world.processes[0].connections.at(0);
    CHECK(connection.node == 1);
    CHECK(connection.sent_for == 0);
    run.asks(0);
    run.hears(0);
    CHECK(run.world.processes[0].history.back().node == 0);
  }
}

TEST_CASE("a connection that is listed stays where it is, and the next one goes elsewhere") {
  sim::Model model =
      with_replicas(inline_model("redis('MULTI')\nredis('SET', self.key, 'x')\nredis('EXEC')\n"
                                 "return redis('GET', self.key) == 'x'",
                                 "redis('DEL', self.key)", 1, ", shared_connection = true"));
  allow(model, Fault::failover);
  ByHand run(model);
  run.acquires(0);
  run.does(kFailover(1));
  run.does(kLearn(0, 1));
  for (int i = 0; i < 2; ++i) {  // SET is queued, EXEC
    CHECK(run.world.processes[0].connections.at(0).node == 0);
    run.asks(0);
    run.hears(0);
  }
  CHECK(run.has_lock(0));
  CHECK(run.world.processes[0].connections.at(0).node == 1);
  CHECK(run.asks(0) == "nil");
}

TEST_CASE("a mirror's expiries are by its own clock, and what its master expires is gone") {
  sim::Model model = set_px();
  SECTION("a fast one: it is gone there a second sooner") {
    model.node_clocks_ms = {0, kSecondMs};
    ByHand run(model);
    run.acquires(0);
    CHECK(run.left_ms(0) == 3 * kSecondMs);
    CHECK(run.left_ms(1) == 2 * kSecondMs);
    run.world.processes[0].connections.clear();  // of no interest, and in no hurry
    run.passes(2 * kSecondMs);
    CHECK(run.has_lock(1));
    run.passes(kSecondMs);
    CHECK(run.has_lock(0));
    CHECK_FALSE(run.has_lock(1));
  }
  SECTION("a slow one: it goes with the master's, but not if it lags") {
    model.node_clocks_ms = {0, -kSecondMs};
    for (const bool lags : {false, true}) {
      ByHand run(model);
      run.acquires(0);
      if (lags) run.does(kLag(1));
      CHECK(run.left_ms(1) == 4 * kSecondMs);
      run.world.processes[0].connections.clear();
      run.passes(3 * kSecondMs);
      CHECK(run.has_lock(0));
      const Facts facts = run.passes(kSecondMs);
      CHECK(facts.witnesses.contains(sim::Witness::expired_while_held));
      CHECK_FALSE(run.has_lock(0));
      CHECK(run.has_lock(1) == lags);
      if (lags)
        CHECK_FALSE(run.passes(kSecondMs).witnesses.contains(sim::Witness::expired_while_held));
      CHECK_FALSE(run.has_lock(1));
    }
  }
}

TEST_CASE("what follows a replica has what that has, in the same action") {
  sim::Model model = with_replicas(small_model(kOwn + "set-px", 2, kSecondMs), 2);
  allow(model, Fault::failover);
  allow(model, Fault::lag);
  for (const bool lags : {false, true}) {
    ByHand run(model);
    run.does(kFailover(1));
    run.does(kFollow(0));  // and 2 follows 0
    run.does(kCatchUp(0));
    run.does(kLearn(0, 1));
    if (lags) run.does(kLag(0));
    run.acquires(0);
    CHECK(run.has_lock(1));
    CHECK(run.has_lock(0) != lags);
    CHECK(run.has_lock(2) != lags);
    CHECK(run.may(kFollow(2)));
    run.does(kFollow(2));
    run.does(kCatchUp(2));
    CHECK(run.has_lock(2));
  }
}

TEST_CASE("a replica gives nobody a copy that has to ask for everything itself") {
  sim::Model model = with_replicas(small_model(kOwn + "set-px", 2, kSecondMs), 2);
  allow(model, Fault::failover);
  allow(model, Fault::node_crash);
  ByHand run(model);
  run.does(kFailover(1));
  run.does(kCrash(2));
  run.does(of_node(Kind::node_restart, 2));  // and it follows 0
  CHECK(run.may(kCatchUp(2)));
  run.does(kFollow(0));
  CHECK_FALSE(run.may(kCatchUp(2)));
  run.does(kCatchUp(0));
  CHECK(run.may(kCatchUp(2)));
}

TEST_CASE("a watch does not outlive that its server follows another one") {
  sim::Model model =
      with_replicas(inline_model("redis('WATCH', 'other')\nredis('MULTI')\nredis('GET', 'other')\n"
                                 "return redis('EXEC') ~= nil",
                                 "", 1));
  allow(model, Fault::failover);
  for (const bool follows : {false, true}) {
    ByHand run(model);
    run.acquires(0);  // WATCH
    run.asks(0);      // MULTI
    run.hears(0);
    run.does(kFailover(1));
    if (follows) {
      run.does(kFollow(0));
      run.does(kCatchUp(0));
    }
    CHECK(run.asks(0) == "QUEUED");
    run.hears(0);
    CHECK((run.asks(0) == "nil") == follows);
  }
}

TEST_CASE("what is not simulated with replicas is refused by name, and nothing without") {
  const auto asked = [](const std::string& what, int replicas) {
    ByHand run(with_replicas(inline_model("return call { " + what + " } == OK", "", 1), replicas));
    run.begins(0);
    run.asks(0);
  };
  CHECK_THROWS_WITH(asked("node = 2, 'Watch', 'k'", 1), Catch::Contains("'watch'"));
  CHECK_THROWS_WITH(asked("node = 2, 'DBSIZE'", 1), Catch::Contains("'dbsize'"));
  CHECK_THROWS_WITH(asked("node = 1, 'ROLE'", 1), Catch::Contains("'role'"));
  CHECK_NOTHROW(asked("node = 1, 'Watch', 'k'", 1));
  CHECK_NOTHROW(asked("node = 1, 'ROLE'", 0));
}

TEST_CASE("what a crash leaves of a replica's role") {
  sim::Model model = set_px();
  allow(model, Fault::node_crash, 2);
  ByHand run(model);
  run.does(kLag(1));
  run.acquires(0);
  run.does(kCrash(1));
  CHECK_FALSE(run.world.nodes[1].lags);
  CHECK_FALSE(run.may(kFailover(1)));
  run.does(of_node(Kind::node_restart, 1));
  CHECK_FALSE(run.has_lock(1));  // it has to ask for everything
  run.does(kCatchUp(1));
  CHECK(run.has_lock(1));
  run.does(kCrash(0));
  CHECK_FALSE(run.may(kCatchUp(1)));
  CHECK(run.has_lock(1));
  CHECK_FALSE(run.may(kFollow(0)));
}

TEST_CASE("a master that comes back with nothing takes its replicas along") {
  sim::Model model = set_px();
  model.persistence = sim::Persistence::none;
  ByHand run(model);
  run.acquires(0);
  run.does(kCrash(0));
  CHECK(run.has_lock(1));
  run.does(of_node(Kind::node_restart, 0));
  CHECK(run.has_lock(1));
  run.does(kCatchUp(1));
  CHECK_FALSE(run.has_lock(1));
}

TEST_CASE("what arrives at a replica is a write there, and what follows begins anew") {
  sim::Model model = set_px();
  model.persistence = sim::Persistence::aof_everysec;
  allow(model, Fault::power_loss);
  ByHand run(model);
  run.acquires(0);
  REQUIRE(run.world.nodes[1].not_durable.size() == 1);
  CHECK(run.world.nodes[1].not_durable[0].keyspace.keys.empty());
  run.does(kFailover(1));
  REQUIRE(run.world.nodes[0].not_durable.size() == 1);
  run.does(kFollow(0));  // both have the same
  run.does(kCatchUp(0));
  CHECK(run.world.nodes[0].not_durable.empty());

  SECTION("time alone writes nothing") {
    run.world.processes[0].connections.clear();
    run.passes(4 * kSecondMs);
    CHECK_FALSE(run.has_lock(0));
    CHECK(run.world.nodes[0].not_durable.empty());
  }
}

TEST_CASE("who starts again knows what it knew, who is done learns nothing any more") {
  sim::Model model = set_px();
  allow(model, Fault::crash);
  ByHand run(model);
  run.begins(0);
  run.does(of_process(Kind::crash, 0));
  run.does(kFailover(1));
  CHECK(run.world.processes[0].knows[0] == 0);
  CHECK_FALSE(run.may(kLearn(0, 1)));  // it has no round left
  CHECK(run.may(kLearn(1, 1)));
  for (sim::Wait& wait : run.world.processes[1].waits) wait.kind = sim::Wait::Kind::done;
  CHECK_FALSE(run.may(kLearn(1, 1)));
}

TEST_CASE("nobody empties a replica, but its clock may jump at any time") {
  sim::Model model = set_px();
  model.jumps_ms = {kSecondMs};
  for (const Fault fault : {Fault::flush, Fault::evict, Fault::jump}) allow(model, fault);
  ByHand run(model);
  Action jump = of_node(Kind::jump_node, 1);
  jump.amount_ms = kSecondMs;
  CHECK(run.may(jump));
  run.acquires(0);
  CHECK(run.may(of_node(Kind::flush, 0)));
  CHECK_FALSE(run.may(of_node(Kind::flush, 1)));
  CHECK(run.may(of_node(Kind::evict, 0)));
  CHECK_FALSE(run.may(of_node(Kind::evict, 1)));
  run.does(jump);
  CHECK(run.left_ms(0) == 3 * kSecondMs);
  CHECK(run.left_ms(1) == 2 * kSecondMs);
  run.does(of_node(Kind::flush, 0));
  CHECK_FALSE(run.has_lock(1));
}

TEST_CASE("roles, and who knows them, tell worlds apart") {
  sim::Model model = set_px();
  ByHand run(model);
  std::set<std::string> met{run.identity()};
  const auto is_new = [&] { return met.insert(run.identity()).second; };
  run.does(kLag(1));
  CHECK(is_new());
  run.does(kCatchUp(1));  // but for the budget as at the start
  CHECK(is_new());
  run.does(kFailover(1));
  CHECK(is_new());
  run.does(kLearn(0, 1));
  CHECK(is_new());
  run.does(kFollow(0));
  CHECK(is_new());
  run.begins(1);
  const std::string to_old_master = run.identity();
  run.world.processes[1].connections.at(0).sent_for = 1;  // as if it had been meant
  CHECK(run.identity() != to_old_master);
}

TEST_CASE("two masters of a group are one node of a quorum") {
  for (const bool both_nodes : {false, true}) {
    const std::string acquire =
        both_nodes ? "for n = 1, 2 do call { node = n, 'SET', self.key, 'x' } end return true"
                   : "return redis('SET', self.key, 'x') == OK";
    sim::Model model = with_replicas(
        inline_model(acquire, "redis('DEL', self.key)", 1, ", nodes = 2, quorum = 2"), 1, 2);
    allow(model, Fault::failover);
    ByHand run(model);
    run.begins(0);
    run.asks(0);
    run.does(kFailover(2));  // of the first group
    CHECK(run.has_lock(0));
    CHECK(run.has_lock(2));
    Facts facts = run.hears(0);
    if (both_nodes) {
      run.asks(0);
      facts = run.hears(0);
    }
    CHECK(facts.witnesses.contains(sim::Witness::acquired));
    CHECK(facts.witnesses.contains(sim::Witness::owned) == both_nodes);
  }
}

TEST_CASE("what a process has only on a replica, it has not") {
  sim::Model model = set_px();
  model.persistence = sim::Persistence::none;
  ByHand run(model);
  run.begins(0);
  run.asks(0);
  run.does(kLag(1));
  run.does(kCrash(0));
  run.does(of_node(Kind::node_restart, 0));
  CHECK_FALSE(run.has_lock(0));
  CHECK(run.has_lock(1));
  run.begins(1);
  run.asks(1);
  CHECK(run.hears(1).witnesses.contains(sim::Witness::acquired));
}

TEST_CASE("the least that is left is by group: of two masters the longer one's") {
  sim::Model model = set_px();
  model.node_clocks_ms = {0, kSecondMs};
  ByHand run(model);
  run.acquires(0);
  run.does(kFailover(1));  // where a second less is left
  run.asks(0);             // READ
  run.hears(0);
  run.passes(kSecondMs);
  run.does(of_process(Kind::timer, 0));
  run.asks(0);  // WRITE
  const Facts facts = run.hears(0);
  REQUIRE(facts.slack.least_ms);
  CHECK(*facts.slack.least_ms == 2 * kSecondMs);
}

TEST_CASE("a lock that is never released is no deadlock once it is lost") {
  // It is kept, without an expiry. The world is quiet when all follow the new master.
  const auto model = [] {
    sim::Model kept = with_replicas(
        inline_model("return redis('SET', self.key, 'x', 'NX') == OK", "return true", 1));
    for (sim::ProcessSetup& setup : kept.processes) setup.workload = {tests::kLock, tests::kUnlock};
    kept.properties = {Property::deadlock};
    allow(kept, Fault::lag);
    allow(kept, Fault::failover);
    return kept;
  }();
  SECTION("nothing lags") {
    ByHand run(model);
    run.acquires(0);
    const Facts facts = run.leaves(0);
    REQUIRE(facts.violation);
    CHECK(facts.violation->property == Property::deadlock);
  }
  SECTION("it is lost") {
    ByHand run(model);
    run.does(kLag(1));
    CHECK_FALSE(run.acquires(0).violation);
    CHECK_FALSE(run.leaves(0).violation);
    CHECK_FALSE(run.does(kFailover(1)).violation);
    CHECK_FALSE(run.does(kFollow(0)).violation);
    CHECK_FALSE(run.does(kCatchUp(0)).violation);
    CHECK_FALSE(run.has_lock(0));
  }
  SECTION("it arrives: then nobody gets it") {
    ByHand run(model);
    run.does(kLag(1));
    CHECK_FALSE(run.acquires(0).violation);
    CHECK_FALSE(run.leaves(0).violation);
    CHECK(run.does(kCatchUp(1)).violation);
  }
}

TEST_CASE("a probe's client may ask a replica for what it has written") {
  sim::Model model =
      with_replicas(inline_model("redis('SET', self.key, 'x', 'PX', self.ttl_ms)\n"
                                 "return call { node = 2, 'GET', self.key } == 'x'",
                                 "redis('DEL', self.key)", 1));
  model.properties = {Property::deadlock};
  CHECK(naive_result(model).verdict == Verdict::holds);
}

TEST_CASE("who polls a replica lets time pass, until what its master has expires or is deleted") {
  sim::Model model = with_replicas(
      inline_model("self.token = unique()\n"
                   "return retry(function()\n"
                   "  if call { node = 2, 'GET', self.key } then return false end\n"
                   "  return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK\n"
                   "end)",
                   "redis('DEL', self.key)", 2));
  model.node_clocks_ms = {0, -kSecondMs};
  model.properties = {Property::mutual_exclusion, Property::deadlock};
  const auto judged = [&] {
    return checker::explore_naively(model, {}, {}, checker::naive::Memory::boundary).verdict;
  };
  CHECK(judged() == Verdict::holds);
  for (sim::ProcessSetup& setup : model.processes)
    setup.workload[1].ms = 4 * kSecondMs;  // longer than the lease
  CHECK(judged() == Verdict::violated);
}

TEST_CASE("a task goes on at the new master that its process learns of") {
  sim::Model model =
      with_replicas(inline_model("redis('GET', self.key)\nreturn redis('SET', self.key, 'x') == OK",
                                 "return redis('DEL', self.key) == 1", 1));
  model.processes[0].workload = {tests::kLock, tests::kUnlock};
  allow(model, Fault::failover);
  ByHand run(model);
  run.begins(0);
  run.does(kFailover(1));
  run.does(kLearn(0, 1));
  run.asks(0);
  run.hears(0);
  CHECK(run.server_of(0) == 1);  // SET, of the same acquire()
  run.asks(0);
  run.hears(0);
  run.leaves(0);
  CHECK(run.server_of(0) == 1);  // DEL, of release()
}

TEST_CASE("what leads to a master of before may break at no cost, with something on it or not") {
  const bool shared = GENERATE(false, true);
  CAPTURE(shared);
  sim::Model model = with_replicas(
      inline_model("redis('MULTI')\nsleep(1000)\nreturn pcall(redis, 'EXEC') == false",
                   "redis('DEL', self.key)", 1, shared ? ", shared_connection = true" : ""));
  allow(model, Fault::failover);
  ByHand run(model);
  const auto loss = of_process(Kind::lose, 0), unheard = of_process(Kind::close, 0);
  run.begins(0);
  CHECK_FALSE(run.may(loss));
  CHECK_FALSE(run.may(unheard));
  SECTION("with a request") {
    run.does(kFailover(1));
    run.does(loss);
    const Facts facts = run.hears(0);
    CHECK(std::ranges::any_of(facts.effects, [](const sim::Effect& effect) {
      return effect.kind == sim::Effect::Kind::failed;
    }));
  }
  SECTION("with nothing: nobody is told that a shared one did, and forgot the transaction") {
    run.asks(0);
    const bool heard = GENERATE(false, true);
    CAPTURE(heard);
    if (heard) run.hears(0);
    run.does(kFailover(1));
    REQUIRE(run.may(unheard) == shared);
    if (!shared) return;
    run.does(unheard);
    CHECK(run.world.processes[0].connections.empty() == heard);
    if (!heard) run.hears(0);
    run.passes(kSecondMs);
    run.does(of_process(Kind::timer, 0));
    CHECK(run.asks(0) == "ERR EXEC without MULTI");
  }
}

TEST_CASE("a connection may break between a write and its WAIT, which then waits for nothing") {
  sim::Model model = with_replicas(
      inline_model("redis('SET', self.key, 'x')\nsleep(1000)\nreturn redis('WAIT', 1, 1000) == 1",
                   "redis('DEL', self.key)", 1));
  allow(model, Fault::lag);
  allow(model, Fault::lose);
  const bool breaks = GENERATE(false, true);
  CAPTURE(breaks);
  ByHand run = ByHand::with_waits(model);
  run.does(kLag(1));
  run.acquires(0);
  REQUIRE(run.world.processes[0].connections.at(0).ahead.contains(1));
  const auto unheard = of_process(Kind::close, 0);
  if (breaks) {
    run.does(unheard);
    CHECK(run.world.processes[0].connections.empty());
  }
  run.passes(kSecondMs);
  run.does(of_process(Kind::timer, 0));
  CHECK(run.may(of_process(Kind::lose, 0)) == !breaks);  // it takes one of the budget
  if (breaks)
    CHECK(run.asks(0) == "1");
  else
    run.is_blocked(0);
}

TEST_CASE("a master that has not noticed who has left it counts that one for WAIT") {
  sim::Model model = with_replicas(
      inline_model("redis('SET', self.key, 'x')\nsleep(1000)\nreturn redis('WAIT', 1, 1000) == 1",
                   "redis('DEL', self.key)", 1));
  allow(model, Fault::failover);
  ByHand run = ByHand::with_waits(model);
  const auto sleeps = [&] {
    run.passes(kSecondMs);
    run.does(of_process(Kind::timer, 0));
  };
  SECTION("of what it had when it left") {
    run.acquires(0);
    run.does(kFailover(1));
    sleeps();
    CHECK(run.asks(0) == "1");
  }
  SECTION("of nothing that came later") {
    run.does(kFailover(1));
    run.acquires(0);
    sleeps();
    run.is_blocked(0);
    run.does(kMiss(0));
    CHECK(run.world.processes[0].connections.at(0).ahead.empty());
  }
  SECTION("but on a new connection, on which nothing was written") {
    run.does(kFailover(1));
    run.acquires(0);
    run.does(of_process(Kind::close, 0));
    sleeps();
    CHECK(run.asks(0) == "1");
  }
  SECTION("until it notices") {
    run.acquires(0);
    run.does(kFailover(1));
    run.does(kMiss(0));
    sleeps();
    run.is_blocked(0);
  }
}

TEST_CASE("where a master's clock stands still, what its replicas have is no matter") {
  sim::Model model = with_replicas(small_model(kOwn + "set-px", 2, kSecondMs));
  allow(model, Fault::freeze);
  model.node_clocks_ms = {0, kSecondMs};
  ByHand run(model);
  CHECK_FALSE(run.may(of_node(Kind::freeze, 1)));
  run.acquires(0);
  CHECK(run.left_ms(0) == run.left_ms(1));
  run.does(of_node(Kind::freeze, 0));
  run.world.processes[0].connections.clear();  // of no interest
  run.world.processes[0].waits.clear();
  CHECK(run.furthest_ms() == 0);  // nothing ends any more
}

namespace {

constexpr std::int64_t kTwoTicksMs = 1500;  // rounded up

/// SET and WAIT by two clients, which want `replicas` to have the key.
sim::Model set_and_wait(int replicas, int of, std::int64_t timeout_ms) {
  sim::Model model = with_replicas(
      inline_model("redis('SET', self.key, 'x', 'NX', 'PX', self.ttl_ms)\nlocal _, got = "
                   "pcall(redis, 'WAIT', " +
                       std::to_string(replicas) + ", " + std::to_string(timeout_ms) +
                       ")\nreturn type(got) == 'number' and got >= " + std::to_string(replicas) +
                       " or redis('GET', self.key) == 'y'",
                   "redis('DEL', self.key)", 2),
      of);
  model.properties = {Property::mutual_exclusion};
  for (const Fault fault : {Fault::lag, Fault::failover, Fault::delay, Fault::lose, Fault::cut})
    allow(model, fault);
  return model;
}

}  // namespace

TEST_CASE("WAIT is answered at once where enough replicas have it") {
  ByHand run = ByHand::with_waits(set_and_wait(1, 1, kTwoTicksMs));
  SECTION("nothing lags") {}
  SECTION("a replica lags, but nothing was written since") {
    run.acquires(0);
    run.does(kLag(1));
    CHECK(run.asks(0) == "1");
    return;
  }
  run.acquires(0);
  CHECK(run.asks(0) == "1");
  CHECK(run.hears(0).witnesses.contains(sim::Witness::acquired));
}

TEST_CASE("WAIT waits at its node until its time is over") {
  ByHand run = ByHand::with_waits(set_and_wait(1, 1, kTwoTicksMs));
  run.does(kLag(1));
  run.acquires(0);
  const std::string waiting = run.identity();
  run.is_blocked(0);
  CHECK(run.identity() != waiting);
  SECTION("so it cannot be late, but its connection may break") {
    CHECK_FALSE(run.may(of_process(Kind::delay, 0)));
    CHECK_FALSE(run.may(of_process(Kind::lose_late, 0)));
    run.does(of_process(Kind::lose, 0));
    CHECK(run.world.processes[0].connections[0].ahead.empty());
  }
  SECTION("nobody catches up") {
    CHECK(run.furthest_ms() == 2 * kSecondMs);
    run.passes(kSecondMs);
    CHECK(run.furthest_ms() == kSecondMs);
    run.passes(kSecondMs);
    CHECK(run.furthest_ms() == 0);
    CHECK(run.asks(0) == "0");
    run.hears(0);  // and asks once more, on the connection that is ahead
    CHECK(run.world.processes[0].connections.at(0).ahead.contains(1));
  }
  SECTION("the replica catches up: it is answered then") {
    run.passes(kSecondMs);
    run.does(kCatchUp(1));
    CHECK(run.furthest_ms() == 0);
    CHECK(run.asks(0) == "1");
    CHECK(run.hears(0).witnesses.contains(sim::Witness::acquired));
    CHECK(run.world.processes[0].connections.at(0).node == sim::kResource);  // the other is fresh
  }
  SECTION("its link is cut: time goes on without an answer, until that heals") {
    run.does(of_process(Kind::cut_requests, 0));
    CHECK(run.furthest_ms() > 2 * kSecondMs);
    run.passes(2 * kSecondMs);
    CHECK(run.furthest_ms() > 0);
    run.does(of_process(Kind::heal, 0));
    CHECK(run.furthest_ms() == 0);
    CHECK(run.asks(0) == "0");
  }
  SECTION("the replica is promoted: nobody is left to wait for") {
    run.does(kFailover(1));
    CHECK_FALSE(run.may(of_process(Kind::execute, 0)));
    run.passes(2 * kSecondMs);
    CHECK(run.asks(0) == "0");
  }
}

TEST_CASE("who waits for a master that comes to follow another one is told so") {
  ByHand run = ByHand::with_waits(set_and_wait(1, 1, 0));
  run.does(kLag(1));
  run.acquires(0);
  run.is_blocked(0);
  CHECK(run.furthest_ms() > 2 * kSecondMs);  // for ever; until the key is gone
  run.does(kFailover(1));
  run.does(kLearn(0, 1));
  run.does(kFollow(0));
  CHECK(run.furthest_ms() == 0);
  CHECK(run.asks(0).starts_with("UNBLOCKED"));
  run.hears(0);
  CHECK(run.server_of(0) == 1);
}

TEST_CASE("WAIT for one of two replicas says nothing of the one that is promoted") {
  ByHand run = ByHand::with_waits(set_and_wait(1, 2, kTwoTicksMs));
  run.does(kLag(1));
  run.acquires(0);
  CHECK(run.asks(0) == "1");
  run.hears(0);
  run.does(kFailover(1));
  run.does(kLearn(1, 1));
  run.acquires(1);
  run.is_blocked(1);  // the other replica follows the master of before
  run.does(kFollow(2));
  CHECK_FALSE(run.may(of_process(Kind::execute, 1)));
  run.does(kCatchUp(2));
  CHECK(run.asks(1) == "1");
  const Facts facts = run.hears(1);
  REQUIRE(facts.violation);
  CHECK(facts.violation->property == Property::mutual_exclusion);
}

TEST_CASE("in a transaction WAIT answers at once, of what was sent before it") {
  sim::Model model =
      with_replicas(inline_model("for i = 1, 2 do\nredis('MULTI')\nredis('SET', self.key, i)\n"
                                 "redis('WAIT', 1, 0)\nredis('EXEC')\nend\nreturn true",
                                 "", 1));
  allow(model, Fault::lag);
  ByHand run = ByHand::with_waits(model);
  run.does(kLag(1));
  run.begins(0);
  for (const std::int64_t told : {1, 0}) {
    for (int queued = 0; queued < 3; ++queued) {
      run.asks(0);
      run.hears(0);
    }
    const auto reply = run.does(of_process(Kind::execute, 0)).reply.value();
    REQUIRE(reply->items.size() == 2);
    CHECK(reply->items[1].integer == told);
    run.hears(0);
  }
}

TEST_CASE(
    "WAIT is for what was written before the last command, since 7.2 for the own last write") {
  // The first client writes while the replica lags, the second one only reads.
  for (const auto server : {sim::ServerVersion::redis_7_0, sim::ServerVersion::redis_7_2}) {
    sim::Model model =
        with_replicas(inline_model("redis(choose(2) == 1 and 'INCR' or 'GET', self.key)\n"
                                   "return redis('WAIT', 1, 100) == 1",
                                   "", 2));
    allow(model, Fault::lag);
    model.server = server;
    ByHand run = ByHand::with_waits(model);
    run.does(kLag(1));
    for (std::uint8_t p = 0; p < 2; ++p) {
      Action begin = of_process(Kind::begin, p);
      begin.choices = {static_cast<std::uint8_t>(p + 1)};
      run.does(begin);
      run.asks(p);
      run.hears(p);
    }
    run.is_blocked(0);
    if (server == sim::ServerVersion::redis_7_0) {
      run.is_blocked(1);
    } else {
      CHECK(run.asks(1) == "1");
    }
  }
}

TEST_CASE("without replicas WAIT takes its time and answers 0") {
  ByHand run = ByHand::with_waits(
      inline_model("return redis('WAIT', 1, 1500) == 0 and redis('WAIT', 0, 1500) == 0", "", 1));
  run.begins(0);
  run.is_blocked(0);
  CHECK(run.furthest_ms() == 2 * kSecondMs);
  run.passes(2 * kSecondMs);
  CHECK(run.asks(0) == "0");
  run.hears(0);
  CHECK(run.asks(0) == "0");
  CHECK(run.hears(0).witnesses.contains(sim::Witness::acquired));
}

TEST_CASE("what a master of before has is nothing that a client keeps") {
  sim::Model model = with_replicas(inline_model("return redis('SET', self.key, 'x') == OK",
                                                "return redis('DEL', self.key) == 1", 1));
  model.processes[0].workload = {tests::kLock, tests::kUnlock};
  model.properties = {Property::reentrancy, Property::honest_result};
  allow(model, Fault::failover);
  ByHand run(model);
  run.begins(0);
  run.asks(0);
  const bool gone = GENERATE(false, true);
  run.does(kFailover(1));  // both have the key
  if (gone) run.does(kLearn(0, 1));
  CHECK(run.hears(0).witnesses.contains(sim::Witness::owned));
  run.leaves(0);
  CHECK(run.asks(0) == "1");
  CHECK(run.has_lock(gone ? 0 : 1));
  CHECK_FALSE(run.hears(0).violation);
}

TEST_CASE("who begins to follow writes what it receives to its disk") {
  sim::Model model = set_px();
  model.persistence = sim::Persistence::rdb;
  ByHand run(model);
  run.does(kFailover(1));
  run.does(kLearn(0, 1));
  run.acquires(0);
  const bool down = GENERATE(false, true);
  if (down) run.does(kCrash(1));
  run.does(kFollow(0));
  CHECK(run.may(kCatchUp(0)) != down);
  if (!down) run.does(kCatchUp(0));
  CHECK(run.world.nodes[0].saved.keys.contains("lock") != down);
}
