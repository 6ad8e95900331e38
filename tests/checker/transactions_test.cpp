// Locks that are released by WATCH, GET, MULTI, DEL, EXEC: connections with a session in both
// explorers, on protocols whose verdicts can be worked out by hand.
#include <catch2/catch.hpp>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/trace/trace.hpp"
#include "tests/support/inline_lock.hpp"
#include "tests/support/naive_models.hpp"

using namespace lockstep;
using checker::Result;
using checker::Verdict;
using sim::Fault;
using sim::Property;
using tests::kSecondMs;

namespace {

sim::Model model_of(const std::string& folder, int clients = 2) {
  return tests::small_model("protocols/" + folder, clients, kSecondMs);
}

/// Both explorers hold that the property is violated after so many steps.
void both_violated(sim::Model model, Property property, std::size_t steps) {
  model.properties = {property};
  for (const bool naively : {false, true}) {
    const Result result =
        naively ? checker::explore_naively(model, {}) : checker::explore(model, {});
    INFO((naively ? "naive: " : "engine: ")
         << checker::name(result.verdict) << ' ' << result.why_inconclusive);
    REQUIRE(result.verdict == Verdict::violated);
    CHECK(result.property == property);
    REQUIRE(result.schedule.size() == steps);
    CHECK(checker::tell(model, result.schedule).violated == property);
  }
}

void both_hold(sim::Model model, std::set<Property> properties) {
  model.properties = std::move(properties);
  for (const bool naively : {false, true}) {
    const Result result =
        naively ? checker::explore_naively(model, {}) : checker::explore(model, {});
    INFO((naively ? "naive: " : "engine: ")
         << checker::name(result.verdict) << ' ' << result.why_inconclusive);
    CHECK(result.verdict == Verdict::holds);
  }
}

const std::set<Property> kAll{sim::kProperties.begin(), sim::kProperties.end()};

}  // namespace

TEST_CASE("a release by transaction holds as long as nothing goes wrong", "[transactions]") {
  for (const char* folder : {"watch-multi-del", "get-multi-del", "watch-del"}) {
    INFO(folder);
    both_hold(model_of(folder), kAll);
  }
}

TEST_CASE("without WATCH the lock can change hands between GET and EXEC", "[transactions]") {
  // A begins, SET executed, heard, READ executed, heard; a second passes, timer, WRITE executed,
  // heard: 9. GET, MULTI and DEL are executed and heard: 15. EXEC is held back, the lease ends, B
  // begins, its SET is executed and heard: 20. EXEC is let go and executed.
  sim::Model model = model_of("get-multi-del");
  tests::allow(model, Fault::delay);
  both_violated(model, Property::foreign_release, 22);
}

TEST_CASE("without MULTI the DEL runs at once, and WATCH is for nothing", "[transactions]") {
  // As above to 9. WATCH and GET are executed and heard: 13. DEL is held back, the lease ends, B
  // begins, its SET is executed and heard: 18. DEL is let go and executed.
  sim::Model model = model_of("watch-del");
  tests::allow(model, Fault::delay);
  both_violated(model, Property::foreign_release, 20);
}

TEST_CASE("a watch sees that the key has expired, or that another has made it anew",
          "[transactions][many-models]") {
  // Whatever lies between GET and EXEC: A's key is gone by then only if it has expired, and EXEC
  // meets that (or B's SET, which touched it) and deletes nothing.
  for (const Fault fault : {Fault::delay, Fault::pause, Fault::crash, Fault::lose}) {
    sim::Model model = model_of("watch-multi-del");
    tests::allow(model, fault);
    INFO(sim::name(fault));
    both_hold(model, {Property::foreign_release, Property::foreign_extend, Property::leak});
  }
}

TEST_CASE("a node that was down has forgotten the transaction, and its connection says so",
          "[transactions][many-models]") {
  // WATCH and GET are executed and heard, MULTI executed. A is paused, its lease ends, B has the
  // lock. The node dies and comes back with its keys, and without A's transaction. A hears MULTI's
  // OK, and its DEL goes out on a connection that is closed.
  sim::Model model = model_of("watch-multi-del");
  model.persistence = sim::Persistence::aof_always;
  tests::allow(model, Fault::node_crash);
  both_hold(model, {Property::foreign_release});
  tests::allow(model, Fault::pause);
  both_hold(model, {Property::foreign_release});
}

TEST_CASE("a request that is lost takes its transaction with it", "[transactions]") {
  // Who is told that the SET is lost sends EXEC on a connection that is made anew.
  const auto may_end = [](const std::string& also, const std::string& how) {
    test::InlineLock lock({"redis('MULTI') if pcall(redis, 'SET', self.key, 1) then return false "
                           "end local ok, why = pcall(redis, 'EXEC') return " +
                               how,
                           "return true"},
                          also);
    lock.alone_with(Fault::lose);
    return lock.may_acquire();
  };
  for (const std::string also : {"", ", shared_connection = true"}) {
    CAPTURE(also);
    CHECK(may_end(also, "not ok and why.kind == 'redis'"));
    CHECK_FALSE(may_end(also, "ok"));
  }
}

TEST_CASE("where all tasks share a connection, nobody tells one of its transaction",
          "[transactions][many-models]") {
  // As above, but the library has connected anew: the DEL runs at once.
  test::InlineLock lock(
      {"self.token = unique() "
       "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK",
       "redis('WATCH', self.key) if redis('GET', self.key) ~= self.token then return false end "
       "redis('MULTI') redis('DEL', self.key) return redis('EXEC') ~= nil"},
      ", shared_connection = true");
  for (auto& process : lock.model.processes) {
    process.lease_ms = 4;
    process.workload = {{sim::WorkStep::Kind::lock, 0, 0}, {sim::WorkStep::Kind::unlock, 0, 0}};
  }
  lock.model.persistence = sim::Persistence::aof_always;
  lock.model = test::with_fault(test::with_fault(lock.model, Fault::node_crash), Fault::pause);
  CHECK(lock.judged(Property::foreign_release) == Verdict::violated);
}

TEST_CASE("a key that is watched is another one in another database", "[transactions]") {
  const auto watched_in = [](const std::string& database) {
    return test::InlineLock(
               {"local mine = choose(2) redis('SELECT', " + database +
                    ") redis('WATCH', self.key) redis('SELECT', 0) "
                    "if redis('GET', self.key) then redis('UNWATCH') return false end "
                    "redis('MULTI') redis('SET', self.key, mine) return redis('EXEC') ~= nil",
                "return redis('DEL', self.key) == 1"})
        .judged(Property::mutual_exclusion);
  };
  CHECK(watched_in("0") == Verdict::holds);
  CHECK(watched_in("1") == Verdict::violated);
  CHECK(watched_in("mine - 1") == Verdict::violated);
  CHECK(watched_in("2 - mine") == Verdict::violated);
  // Nor is what is written there.
  test::InlineLock beside(
      {"if choose(2) == 2 then redis('SELECT', 1) redis('SET', self.key, 0) redis('SELECT', 0) end "
       "redis('WATCH', self.key) if redis('GET', self.key) then redis('UNWATCH') return false end "
       "redis('MULTI') redis('SET', self.key, 1) return redis('EXEC') ~= nil",
       "return redis('DEL', self.key) == 1"});
  CHECK(beside.judged(Property::mutual_exclusion) == Verdict::holds);
}

TEST_CASE("a token that only a queue on an abandoned connection names is another call's",
          "[transactions]") {
  test::InlineLock lock(
      {test::kToken + "pcall(function() redis('MULTI') "
                      "redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) redis('EXEC') "
                      "end) self.token = nil sleep(8) self.token = unique() "
                      "return redis('GET', self.key) == self.token",
       "return true"});
  lock.model.budget[static_cast<std::size_t>(Fault::lose)] = 1;
  CHECK(lock.lasting(10, 5).judged(Property::mutual_exclusion) == Verdict::holds);
}
