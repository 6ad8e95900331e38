// Live runs: a lock that is none is seen to fail, one that is one is not.
#include "live/run.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "live/connection.hpp"
#include "live/ownership.hpp"
#include "live/referee.hpp"
#include "live/server.hpp"
#include "sim/base/error.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/redis/reply.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/mistakes.hpp"
#include "tests/support/model.hpp"

namespace lockstep::tests {
namespace {

/// Clients that lock, work 2 ms and unlock for as long as the run lasts; all properties.
sim::Model busy(const std::string& protocol, int clients) {
  auto model = test::model({protocol, 2, 1, 10'000, 3000});
  auto setup = model.processes.front();
  setup.rounds = 1'000'000;
  for (auto& step : setup.workload)
    if (step.kind == sim::WorkStep::Kind::work) step.ms = 2;
  model.processes.assign(static_cast<std::size_t>(clients), setup);
  model.properties = sim::usual_properties();
  return model;
}

bool violates(const live::LiveResult& result, sim::Property property) {
  for (const auto& violation : result.violations)
    if (violation.property == property) return true;
  return false;
}

TEST_CASE("EXISTS + SET is seen to fail, with the history before it") {
  const live::Server server(sim::Persistence::none);
  const auto result = live::run(busy("exists-set", 6), {server.address()}, 3);
  REQUIRE(violates(result, sim::Property::mutual_exclusion));
  CHECK_FALSE(result.violations.front().history.empty());
  CHECK(result.figures.acquired > 0);
}

TEST_CASE("Compare-and-delete is not, and leaves nothing behind") {
  const live::Server server(sim::Persistence::none);
  const auto result = live::run(busy("set-token-lua", 4), {server.address()}, 1);
  for (const auto& violation : result.violations) UNSCOPED_INFO(violation.text);
  CHECK(result.violations.empty());
  CHECK_FALSE(result.cut_short);
  CHECK(result.figures.acquired > 0);
  CHECK(result.figures.released == result.figures.acquired);
  CHECK(result.figures.waits_us.size() == result.figures.acquired);
  CHECK(live::Connection(server.address()).execute({"DBSIZE"}).integer == 0);
}

TEST_CASE("A key that stays by design is no leak") {
  const live::Server server(sim::Persistence::none);
  const sim::TemporaryFolder folder;
  const auto left_by = [&](const std::string& also) {
    folder.write("protocol.lua",
                 "local L = protocol { title = 't', source = 's'" + also +
                     " }\nfunction L:acquire() redis('SETNX', self.key, 1) "
                     "if redis('DECR', self.key) >= 0 then return true end "
                     "redis('INCR', self.key) return false end\n"
                     "function L:release() redis('INCR', self.key) return true end\nreturn L\n");
    auto model = busy("set-token-lua", 2);
    model.program = std::make_shared<sim::Program>(folder.path());
    model.properties = {sim::Property::leak};
    return live::run(model, {server.address()}, 0.2);
  };
  CHECK_FALSE(violates(left_by(", permanent = { '{key}' }"), sim::Property::leak));
  CHECK(violates(left_by(""), sim::Property::leak));
}

TEST_CASE("A lease that ends before the work is seen by the resource") {
  const live::Server server(sim::Persistence::none);
  auto model = busy("set-token-lua", 4);
  for (auto& setup : model.processes) {
    setup.lease_ms = 1000;
    setup.workload[1].ms = 1200;
  }
  const auto result = live::run(model, {server.address()}, 3);
  CHECK(violates(result, sim::Property::mutual_exclusion));
  CHECK(violates(result, sim::Property::no_lost_update));
}

TEST_CASE("A lock without TTL that is not released is a leak and a deadlock") {
  const live::Server server(sim::Persistence::none);
  auto model = busy("setnx", 2);
  for (auto& setup : model.processes) {
    setup.workload = {{sim::WorkStep::Kind::lock, 0, 0}};
    setup.rounds = 1;
    setup.lease_ms = 200;
  }
  const auto result = live::run(model, {server.address()}, 5);
  CHECK(violates(result, sim::Property::leak));
  CHECK(violates(result, sim::Property::deadlock));
  CHECK(result.figures.acquired == 1);
  CHECK(result.figures.refused == 1);
}

/// Clients whose work takes longer than their lease.
sim::Model overdue(const std::string& protocol, std::int64_t lease_ms, std::int64_t work_ms) {
  auto model = busy(protocol, 3);
  for (auto& setup : model.processes) {
    setup.lease_ms = lease_ms;
    setup.workload[1].ms = work_ms;
  }
  return model;
}

/// Lock, lock again, unlock, work, unlock.
sim::Model nested(const std::string& protocol, int clients, int threads) {
  auto model = busy(protocol, clients);
  for (auto& setup : model.processes) {
    setup.workload = {{sim::WorkStep::Kind::lock, 0, 0},
                      {sim::WorkStep::Kind::lock, 0, 0},
                      {sim::WorkStep::Kind::unlock, 0, 0},
                      {sim::WorkStep::Kind::work, 0, 2},
                      {sim::WorkStep::Kind::unlock, 0, 0}};
    setup.threads = threads;
  }
  return model;
}

/// Every property was judged to the end, and none violated.
void check_clean(const live::LiveResult& result) {
  for (const auto& violation : result.violations) UNSCOPED_INFO(violation.text);
  UNSCOPED_INFO(result.not_judged_because);
  CHECK(result.violations.empty());
  CHECK(result.not_judged.empty());
  CHECK(result.figures.acquired > 0);
}

TEST_CASE("A plain DEL after the lease has ended is a foreign release") {
  const live::Server server(sim::Persistence::none);
  const auto result = live::run(overdue("lua-setnx-expire", 1000, 1400), {server.address()}, 3);
  CHECK(violates(result, sim::Property::foreign_release));
  CHECK_FALSE(violates(result, sim::Property::foreign_extend));
  CHECK(result.not_judged.empty());
}

TEST_CASE("A renewal that asks for no owner is a foreign extend") {
  const live::Server server(sim::Persistence::none);
  const auto result = live::run(overdue("late-renewal", 400, 1000), {server.address()}, 2);
  CHECK(violates(result, sim::Property::foreign_extend));
  CHECK_FALSE(violates(result, sim::Property::foreign_release));
  CHECK(result.not_judged.empty());
}

TEST_CASE("An unlock() that is always true is dishonest when the lease had ended") {
  const live::Server server(sim::Persistence::none);
  auto model = overdue("java-class", 1000, 1300);
  const auto lying = live::run(model, {server.address()}, 2);
  CHECK(violates(lying, sim::Property::honest_result));
  CHECK_FALSE(violates(lying, sim::Property::foreign_release));
  const auto honest = live::run(overdue("set-token-lua", 1000, 1300), {server.address()}, 2);
  CHECK_FALSE(violates(honest, sim::Property::honest_result));
  CHECK(honest.not_judged.empty());
}

TEST_CASE("Re-entry needs a counter") {
  const live::Server server(sim::Persistence::none);
  CHECK(violates(live::run(nested("reentrant-no-counter", 2, 1), {server.address()}, 0.5),
                 sim::Property::reentrancy));
  check_clean(live::run(nested("hash-lock", 4, 1), {server.address()}, 2));
}

TEST_CASE("A mistake in the re-entrant lock is seen") {
  const live::Server server(sim::Persistence::none);
  const sim::TemporaryFolder folder;
  auto model = nested("hash-lock", 2, 1);
  const auto mistakes = test::mistakes_of("hash-lock");
  const auto not_deleted = std::find_if(mistakes.begin(), mistakes.end(), [](const auto& each) {
    return each.name == "not-deleted";
  });
  REQUIRE(not_deleted != mistakes.end());
  model.program = std::make_shared<sim::Program>(test::apply(*not_deleted, folder.path()));
  for (auto& setup : model.processes) setup.lease_ms = 1000;
  const auto result = live::run(model, {server.address()}, 0.5);
  CHECK(violates(result, sim::Property::honest_result));
  CHECK(violates(result, sim::Property::reentrancy));
}

TEST_CASE("Correct locks are not accused, at a high rate, with threads and with spawned tasks") {
  const live::Server server(sim::Persistence::none);
  auto threads = busy("thread-token", 3);
  for (auto& setup : threads.processes) setup.threads = 2;
  auto watched = busy("watchdog", 4);
  for (auto& setup : watched.processes) {
    setup.lease_ms = 1000;
    setup.workload[1].ms = 400;  // a renewal
  }
  for (const auto& model : {threads, nested("hash-lock", 3, 2), watched})
    check_clean(live::run(model, {server.address()}, 2));
  CHECK(live::Connection(server.address()).execute({"DBSIZE"}).integer == 0);
}

TEST_CASE("Requests that time out are executed all the same, and followed") {
  const live::Server server(sim::Persistence::none);
  auto model = busy("set-token-lua", 4);
  model.request_timeout_ms = 50;
  for (auto& setup : model.processes) setup.lease_ms = 1000;
  std::thread pauses([address = server.address()] {
    live::Connection connection(address);
    for (int i = 0; i < 5; ++i) {
      connection.execute({"CLIENT", "PAUSE", "150", "ALL"});
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }
  });
  const auto result = live::run(model, {server.address()}, 2.5);
  pauses.join();
  CHECK(result.figures.failed > 3);
  check_clean(result);
}

TEST_CASE("Sight is lost, and said to be, where a request cannot be followed") {
  const live::Server server(sim::Persistence::none);
  live::Connection(server.address()).execute({"ACL", "SETUSER", "default", "-incr"});
  const auto result = live::run(busy("set-token-lua", 3), {server.address()}, 0.5);
  CHECK(result.violations.empty());
  CHECK(result.not_judged.size() == 4);
  CHECK_THAT(result.not_judged_because, Catch::Contains("INCR"));
  CHECK(result.figures.acquired > 0);
}

TEST_CASE("Sight is lost where a request would mean something else if it were followed") {
  const live::Server server(sim::Persistence::none);
  const test::InlineLock lock(
      {"redis('SELECT', 0) self.token = unique() "
       "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK",
       test::kCompareAndDelete});
  auto model = busy("set-token-lua", 2);
  model.program = lock.model.program;
  const auto result = live::run(model, {server.address()}, 0.2);
  CHECK(result.not_judged.contains(sim::Property::foreign_release));
  CHECK_THAT(result.not_judged_because, Catch::Contains("SELECT"));
}

TEST_CASE("What a task that goes on still has is no leak, and the run has no end") {
  const live::Server server(sim::Persistence::none);
  const test::InlineLock lock(
      {"spawn(function() redis('SET', self.key, 1) sleep(5) redis('DEL', self.key) end) return "
       "true",
       "return true"});
  auto model = busy("set-token-lua", 1);
  model.program = lock.model.program;
  model.processes.front().rounds = 1;
  model.properties = {sim::Property::leak};
  const auto result = live::run(model, {server.address()}, 1);
  CHECK(result.cut_short);
  CHECK(result.violations.empty());
}

TEST_CASE("A server that refuses to serve says nothing of the lock") {
  const std::vector<std::pair<sim::Request, std::string>> refusals{
      {{"REPLICAOF", "127.0.0.1", "1"}, "READONLY You can't write against a read only replica."},
      {{"CONFIG", "SET", "maxmemory", "1"}, "OOM command not allowed"},
      {{"CONFIG", "SET", "min-replicas-to-write", "1"}, "NOREPLICAS Not enough good replicas"},
      {{"ACL", "SETUSER", "default", "-set"}, "NOPERM"}};
  for (const auto& [setting, words] : refusals) {
    INFO(words);
    const live::Server server(sim::Persistence::none);
    live::Connection(server.address()).execute(setting);
    auto model = busy("set-nx-px", 2);
    const auto says_so = Catch::Contains("the server refuses to serve: " + words);
    CHECK_THROWS_WITH(live::run(model, {server.address()}, 0.3), says_so);
    model.properties = {sim::Property::mutual_exclusion, sim::Property::deadlock};
    CHECK_THROWS_WITH(live::run(model, {server.address()}, 0.3), says_so);
  }
}

TEST_CASE("Of what was asked, what nobody can see on a real server is said not to be judged") {
  const live::Server server(sim::Persistence::none);
  auto model = busy("set-token-lua", 2);
  model.properties = {sim::kProperties.begin(), sim::kProperties.end()};
  const auto result = live::run(model, {server.address()}, 0.2);
  std::set<sim::Property> nobodys;
  for (const auto property : sim::kProperties)
    if (row(property).live == sim::LiveJudge::nobody) nobodys.insert(property);
  REQUIRE_FALSE(nobodys.empty());
  CHECK(result.not_judged == nobodys);
  CHECK_FALSE(result.not_judged_because.empty());
}

TEST_CASE("Numbers of the order that nobody has heard of are said to be missing at the end") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address());
  const auto model = busy("set-token-lua", 1);
  live::Referee referee(model);
  live::Ownership whole(model, referee), gap(model, referee);
  whole.close(connection);
  CHECK(whole.lost_because().empty());
  connection.execute({"INCR", gap.envelope().order_key()});
  gap.close(connection);
  CHECK(gap.lost_because() == "an answer of the server never came");
}

TEST_CASE("What somebody else does to the keys is held against nobody") {
  const live::Server server(sim::Persistence::none);
  // Once the run has the lock, however long it takes to begin: a key that is there before is
  // refused.
  std::jthread other([&](const std::stop_token& given_up) {
    live::Connection connection(server.address());
    while (!given_up.stop_requested() && connection.execute({"EXISTS", "lock"}).integer == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    connection.execute({"SET", "lock", "theirs"});
  });
  const auto result = live::run(busy("set-token-lua", 2), {server.address()}, 0.5);
  CHECK(result.violations.empty());
  CHECK(result.not_judged.contains(sim::Property::deadlock));
  CHECK(result.not_judged.contains(sim::Property::mutual_exclusion));
  CHECK_THAT(result.not_judged_because,
             Catch::Contains("the key lock was changed by nobody of this run") ||
                 Catch::Contains("the key lock was gone before its time"));
}

// ---- several nodes ------------------------------------------------------------------------------

/// A server for each node.
class Servers {
 public:
  explicit Servers(std::size_t count) {
    while (servers_.size() < count) {
      servers_.push_back(std::make_unique<live::Server>(sim::Persistence::none));
      addresses.push_back(servers_.back()->address());
    }
  }
  std::vector<live::Address> addresses;

 private:
  std::vector<std::unique_ptr<live::Server>> servers_;
};

sim::Model on_nodes(sim::Model model, std::size_t nodes) {
  for (auto& setup : model.processes) setup.nodes = static_cast<int>(nodes);
  return model;
}

/// What is judged on several nodes was, and nothing violated.
void check_clean_on_nodes(const live::LiveResult& result) {
  for (const auto& violation : result.violations) UNSCOPED_INFO(violation.text);
  CHECK(result.violations.empty());
  CHECK(result.figures.acquired > 0);
  const std::set<sim::Property> of_calls{sim::Property::honest_result, sim::Property::reentrancy};
  CHECK(result.not_judged == of_calls);
  CHECK(result.not_judged_because == "nobody sees the keys of several nodes at one instant");
}

TEST_CASE("Redlock on three servers is not seen to fail, and leaves nothing behind") {
  const Servers servers(3);
  for (const auto* protocol : {"redlock", "redlock-parallel"}) {
    const auto model = on_nodes(busy(protocol, 3), 3);
    check_clean_on_nodes(live::run(model, servers.addresses, 1));
  }
  for (const auto& address : servers.addresses)
    CHECK(live::Connection(address).execute({"DBSIZE"}).integer == 0);
}

TEST_CASE("Half of four nodes is no majority: two clients are inside") {
  const Servers servers(4);
  auto model = on_nodes(busy("redlock-half", 6), 4);
  model.properties = {sim::Property::mutual_exclusion};
  const auto result = live::run(model, servers.addresses, 4);
  REQUIRE(violates(result, sim::Property::mutual_exclusion));
  std::string told;
  for (const auto& line : result.violations.front().history) told += line.sentence + "\n";
  CHECK_THAT(told, Catch::Contains("to redis-4") && Catch::Contains("from redis-"));
}

/// Clients of a lock on two nodes, whose work takes longer than their lease.
sim::Model on_two_nodes(const test::InlineLock& lock) {
  auto model = overdue("set-token-lua", 400, 600);
  model.program = lock.model.program;
  return on_nodes(model, 2);
}

TEST_CASE("Whoever removes another's key on one of several nodes is told, and on which") {
  const Servers servers(2);
  const test::InlineLock lock(
      {"return call { node = 2, 'SET', self.key, unique(), 'NX', 'PX', self.ttl_ms } == OK",
       "call { node = 2, 'DEL', self.key } return true"},
      ", nodes = 2");
  const auto result = live::run(on_two_nodes(lock), servers.addresses, 3);
  const auto& found = result.violations;
  const auto told =
      std::ranges::find(found, sim::Property::foreign_release, &live::LiveViolation::property);
  REQUIRE(told != found.end());
  CHECK_THAT(told->text, Catch::Contains("removes the key lock on redis-2"));
}

TEST_CASE("A key that stays on one of several nodes is a leak, and locks everybody out") {
  const Servers servers(2);
  const test::InlineLock lock(
      {"return call { node = 2, 'SETNX', self.key, 1 } == 1", "return true"}, ", nodes = 2");
  auto model = on_two_nodes(lock);
  for (auto& setup : model.processes) setup.rounds = 2;
  const auto result = live::run(model, servers.addresses, 5);
  REQUIRE(violates(result, sim::Property::leak));
  CHECK(violates(result, sim::Property::deadlock));
  const auto leak =
      std::ranges::find(result.violations, sim::Property::leak, &live::LiveViolation::property);
  CHECK_THAT(leak->text, Catch::Contains("the key lock on redis-2 stays for ever"));
}

TEST_CASE("Each node has a server or a database of its own") {
  const live::Server server(sim::Persistence::none);
  auto first = server.address(), second = first;
  const auto model = on_nodes(busy("redlock", 2), 3);
  CHECK_THROWS_WITH(live::run(model, {first, second, first}, 0.1),
                    Catch::Contains("the same server and database as a node before"));
  auto third = second;
  second.database = 1;
  third.database = 2;
  check_clean_on_nodes(live::run(model, {first, second, third}, 0.5));
}

TEST_CASE("A server that has a key of the protocol is refused and left alone") {
  const live::Server server(sim::Persistence::none);
  live::Connection connection(server.address());
  connection.execute({"SET", "lock", "theirs"});
  CHECK_THROWS_AS(live::run(busy("setnx", 2), {server.address()}, 1), sim::BadInput);
  CHECK(connection.execute({"GET", "lock"}).text == "theirs");
}

}  // namespace
}  // namespace lockstep::tests
