// What `holds` is worth beside the table of properties: slack, claims of the protocol's own, who is
// told what, and that something was shown at all.
#include "sim/client/claims.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "checker/audit.hpp"
#include "checker/slack.hpp"
#include "sim/base/error.hpp"
#include "tests/support/inline_lock.hpp"

namespace {

using namespace lockstep;
using checker::Audit;
using checker::Bounds;
using checker::Result;
using checker::Verdict;
using sim::Property;
using test::InlineLock;

constexpr const char* kAcquireByToken =
    "self.token = unique() "
    "return redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) == OK";
constexpr const char* kReleaseByToken =
    "return redis('EVAL', [[if redis.call('get', KEYS[1]) == ARGV[1] then "
    "return redis.call('del', KEYS[1]) else return 0 end]], 1, self.key, self.token) == 1";

Result settled(const sim::Model& model) {
  Result result = checker::explore(model, {});
  checker::settle_slack(model, result, {});
  return result;
}

/// In steps of 1 ms: both explorers, and what the engine tells is exact.
void check_slack(const sim::Model& model, std::int64_t ms) {
  const Result engine = settled(model);
  REQUIRE(engine.verdict == Verdict::holds);
  CHECK(engine.slack.least_ms == ms);
  CHECK(engine.slack.exact);
  const Result naive = checker::explore_naively(model, {}, {}, checker::naive::Memory::boundary);
  CHECK(naive.slack.least_ms == ms);
}

/// The same with lines of its own at the top of the file, and at the top of acquire().
sim::Model claimed(const sim::TemporaryFolder& folder, const std::string& claim,
                   const std::string& first = "") {
  folder.write("protocol.lua", "local L = protocol { title = 't', source = 's' }\n" + claim +
                                   "\nfunction L:acquire() " + first + kAcquireByToken + " end\n" +
                                   "function L:release() " + kReleaseByToken + " end\nreturn L\n");
  sim::Model model = test::model({"set-nx-px", 2, 1, 30, 10, 1});
  model.program = std::make_shared<sim::Program>(folder.path());
  model.properties = {Property::invariant};
  return model;
}

std::string stated(const std::string& body) {
  return "invariant('mine', function(world) " + body + " end)";
}

Verdict both_find(const sim::Model& model) {
  const Result engine = checker::explore(model, {});
  const Result naive = checker::explore_naively(model, {}, {}, checker::naive::Memory::boundary);
  CHECK(engine.verdict == naive.verdict);
  CHECK(engine.schedule.size() == naive.schedule.size());
  return engine.verdict;
}

}  // namespace

TEST_CASE("slack is what is left of a lease when its critical section ends", "[claims]") {
  InlineLock lock({kAcquireByToken, kReleaseByToken});
  lock.model.properties = {Property::mutual_exclusion};
  check_slack(lock.model, 20);
  lock.model = test::with_fault(lock.model, sim::Fault::crash);
  check_slack(lock.model, 20);
}

TEST_CASE("slack is the least of all runs, also of instants that decide nothing",
          "[claims][many-models]") {
  // The reply may come late, up to 14 ms after the clock was read: nothing turns at 14 ms exactly.
  InlineLock lock({"local before = monotonic() " + std::string("self.token = unique() ") +
                       "if redis('SET', self.key, self.token, 'NX', 'PX', self.ttl_ms) ~= OK then "
                       "return false end "
                       "return monotonic() - before < 15",
                   kReleaseByToken});
  lock.model = test::with_fault(lock.model, sim::Fault::delay);
  lock.model.properties = {Property::mutual_exclusion};
  for (auto& process : lock.model.processes)
    process.workload = {{sim::WorkStep::Kind::lock, 0, 0}, {sim::WorkStep::Kind::unlock, 0, 0}};
  check_slack(lock.model, 16);
}

TEST_CASE("a lease that is over before its critical section has no slack, nor has a key for ever",
          "[claims]") {
  InlineLock lock({kAcquireByToken, kReleaseByToken});
  lock.model.properties = {Property::leak};
  for (auto& process : lock.model.processes) process.workload[1].ms = 45;
  check_slack(lock.model, sim::Slack::kEnded);
  InlineLock stays(
      {"return redis('SETNX', self.key, 1) == 1", "return redis('DEL', self.key) == 1"});
  stays.model.properties = {Property::mutual_exclusion};
  CHECK_FALSE(settled(stays.model).slack.least_ms.has_value());
}

TEST_CASE("what is small is audited by itself, what is not is left out", "[claims]") {
  InlineLock lock({kAcquireByToken, kReleaseByToken});
  const Result full = checker::explore(lock.model, {});
  const Audit small = checker::audit_if_small(lock.model, full, {});
  CHECK(small.outcome == Audit::Outcome::agree);
  CHECK_FALSE(small.asked_for);
  Bounds narrow;
  narrow.max_states = 10;  // the naive explorer needs more
  CHECK(checker::audit_if_small(lock.model, full, narrow).outcome == Audit::Outcome::left_out);
  CHECK(checker::audit_if_small(lock.model, full, {}, [](const auto&) {
          return "interrupted";
        }).detail == "interrupted");
  Result wrong = full;
  wrong.verdict = Verdict::violated;
  wrong.schedule.resize(3);
  CHECK(checker::audit_if_small(lock.model, wrong, {}).outcome == Audit::Outcome::disagree);
  Result large = full;
  large.statistics.states = 1'000'000;
  CHECK(checker::audit_if_small(lock.model, large, {}).outcome == Audit::Outcome::left_out);
  lock.model.processes[0].lease_ms = 37'003;  // steps of 1 ms
  CHECK(checker::audit_if_small(lock.model, checker::explore(lock.model, {}), {}).outcome ==
        Audit::Outcome::left_out);
}

TEST_CASE("lease keys that nobody ever has show nothing", "[claims]") {
  const std::string acquire =
      "return redis('SET', 'lk:' .. self.key, 'x', 'NX', 'PX', self.ttl_ms) == OK";
  const std::string release = "return redis('DEL', 'lk:' .. self.key) == 1";
  const auto unmet = [&](const std::string& also, std::set<Property> properties) {
    InlineLock lock({acquire, release}, also);
    lock.model.properties = std::move(properties);
    lock.model.witnesses = {sim::Witness::acquired};
    return lock.unmet();
  };
  const std::set<sim::Witness> owned{sim::Witness::owned};
  CHECK(unmet("", {Property::leak}) == owned);
  CHECK(unmet("", {Property::mutual_exclusion, Property::foreign_release}) == owned);
  CHECK(unmet("", {Property::mutual_exclusion, Property::deadlock}).empty());
  CHECK(unmet(", leases = { 'lk:{key}' }", {Property::leak}).empty());
  CHECK(unmet(", leases = { }", {Property::leak}).empty());  // it says that it has none
}

TEST_CASE("updates that are all refused show nothing", "[claims]") {
  const auto unmet = [](const std::string& token, sim::Resource resource) {
    InlineLock lock({"if redis('SETNX', self.key, 'x') == 0 then return false end return true, " +
                         token + " redis('INCR', 'fence')",
                     "return redis('DEL', self.key) == 1"});
    lock.model.properties = {Property::no_lost_update};
    lock.model.witnesses = {sim::Witness::acquired};
    lock.model.resource = resource;
    return lock.unmet();
  };
  // The resource has seen 0, and takes nothing lower.
  CHECK(unmet("-", sim::Resource::fenced) == std::set<sim::Witness>{sim::Witness::written});
  CHECK(unmet("-", sim::Resource::plain).empty());
  CHECK(unmet("", sim::Resource::fenced).empty());
}

TEST_CASE("an invariant sees nodes, keys, holdings and what clients know", "[claims]") {
  const sim::TemporaryFolder folder;
  CHECK(both_find(claimed(folder, stated("return true"))) == Verdict::holds);
  CHECK(both_find(claimed(folder, stated("return world.nodes[1].up and #world.clients == 2 and "
                                         "world.clients[2].name == 'B'"))) == Verdict::holds);
  CHECK(both_find(claimed(folder, stated("local key = world.nodes[1].keys.lock "
                                         "return not key or key.expires"))) == Verdict::holds);
  const std::string owner =
      "local key = world.nodes[1].keys.lock "
      "for _, client in ipairs(world.clients) do "
      "if client.holds.lock and not (key and key.value == client.locks.lock.token) then "
      "return false end end return true";
  const sim::Model right = claimed(folder, stated(owner));
  CHECK(both_find(right) == Verdict::holds);
  CHECK(both_find(test::with_fault(right, sim::Fault::pause)) == Verdict::violated);
  CHECK(both_find(test::with_fault(right, sim::Fault::node_crash)) == Verdict::violated);
  const Result found = checker::explore(test::with_fault(right, sim::Fault::node_crash), {});
  CHECK(found.property == Property::invariant);
  CHECK(checker::tell(test::with_fault(right, sim::Fault::node_crash), found.schedule).violated ==
        Property::invariant);
  CHECK(both_find(claimed(folder, stated("return world.clients[1].life ~= 'dead'"))) ==
        Verdict::holds);
  CHECK(
      both_find(test::with_fault(claimed(folder, stated("return world.clients[1].life ~= 'dead'")),
                                 sim::Fault::crash)) == Verdict::violated);
}

TEST_CASE("an invariant sees a thread that is switched away from between two accesses",
          "[claims]") {
  const sim::TemporaryFolder folder;
  sim::Model model = claimed(
      folder,
      stated("local known = world.clients[1].locks.lock return known.tries == known.copies"),
      "self.tries = (self.tries or 0) + 1 self.copies = (self.copies or 0) + 1 ");
  model.processes.resize(1);
  model.processes[0].threads = 2;
  CHECK(both_find(model) == Verdict::holds);
  model.budget[static_cast<std::size_t>(sim::Fault::preempt)] = 1;
  CHECK(both_find(model) == Verdict::violated);
}

TEST_CASE("what is wrong with an invariant is said with its place", "[claims]") {
  const sim::TemporaryFolder folder;
  const auto complaint = [&](const std::string& claim) -> std::string {
    try {
      checker::explore(claimed(folder, claim), {});
    } catch (const sim::BadInput& error) {
      return error.what();
    }
    return "nothing";
  };
  using Catch::Contains;
  CHECK_THAT(complaint(stated("return world.nobody.there")),
             Contains("protocol.lua:2:") && Contains("nil") && Contains("invariant \"mine\""));
  CHECK_THAT(complaint(stated("while true do end")), Contains("instructions"));
  CHECK_THAT(complaint(stated("return redis('GET', 'lock') == nil")),
             Contains("protocol.lua:2:") && Contains("redis"));
  CHECK_THAT(complaint(stated("return os.time() > 0")), Contains("os"));
  CHECK_THAT(complaint("local n = {0}\n" + stated("n[1] = n[1] + 1 return true")),
             Contains("changed"));
  CHECK_THAT(complaint("invariant('mine')"), Contains("expected a name and a function"));
  CHECK_THAT(complaint(stated("return true") + "\n" + stated("return true")),
             Contains("another one"));
}

TEST_CASE("a file of invariants judges a protocol that states none", "[claims]") {
  sim::Model model = test::model({"set-nx-px", 2, 1, 30, 10, 1});
  model.properties = {Property::invariant};
  const auto claims = [&](const std::string& text) {
    model.claims = std::make_shared<sim::OwnClaims>("here/mine.lua", text);
    return both_find(model);
  };
  CHECK(claims(stated("return world.nodes[1].up")) == Verdict::holds);
  CHECK(claims(stated("local key = world.nodes[1].keys.lock return not key or not key.expires")) ==
        Verdict::violated);
  const Result found = checker::explore(model, {});
  CHECK(found.schedule.size() == 2);  // the first SET is executed
  CHECK(checker::tell(model, found.schedule).violated == Property::invariant);
  // Those of the protocol are judged with them.
  const sim::TemporaryFolder folder;
  sim::Model both = claimed(folder, stated("return #world.clients == 3"));
  both.claims = std::make_shared<sim::OwnClaims>("mine.lua", stated("return true"));
  CHECK(both_find(both) == Verdict::violated);
}

TEST_CASE("a file of invariants can do nothing else, and what is wrong has its place", "[claims]") {
  const auto complaint = [](const std::string& text) -> std::string {
    sim::Model model = test::model({"set-nx-px", 2, 1, 30, 10, 1});
    model.properties = {Property::invariant};
    try {
      model.claims = std::make_shared<sim::OwnClaims>("here/mine.lua", text);
      checker::explore(model, {});
    } catch (const sim::BadInput& error) {
      return error.what();
    }
    return "nothing";
  };
  using Catch::Contains;
  const std::string fine = stated("return true");
  CHECK(complaint(fine) == "nothing");
  CHECK(complaint("-- nothing\n") ==
        "here/mine.lua: states no invariant; expected `invariant(\"nobody ...\", "
        "function(world) return ... end)`");
  CHECK_THAT(complaint("\ninvariant('mine' function() end)"), Contains("here/mine.lua:2: "));
  CHECK_THAT(complaint("\n" + stated("return world.nobody.there")),
             Contains("here/mine.lua:2: ") && Contains("invariant \"mine\""));
  for (const char* call : {"redis('GET', 'lock')", "unique()", "now()", "protocol {}",
                           "script 'x.lua'", "spawn(function() end)", "log('x')"}) {
    INFO(call);
    CHECK_THAT(complaint(std::string(call) + "\n" + fine),
               Contains("here/mine.lua:1: ") && Contains("not in a file of invariants"));
    CHECK_THAT(complaint("\n" + stated(std::string("return ") + call)),
               Contains("here/mine.lua:2: ") && Contains("not in a file of invariants"));
  }
  CHECK_THAT(complaint(stated("return os.time() > 0")), Contains("here/mine.lua:1: `os"));
  CHECK_THAT(complaint(stated("invariant('x', print) return true")), Contains("here/mine.lua:1: "));
  CHECK_THAT(complaint(stated(fine + " return true")), Contains("only at the top of the file"));
  CHECK_THAT(complaint(stated("while true do end")), Contains("instructions"));
  CHECK_THAT(complaint("local n = 0 " + stated("n = n + 1 return true")), Contains("changed"));
  CHECK_THAT(complaint(stated("seen = world return true")), Contains("`seen` changed"));
  CHECK_THAT(complaint(fine + " " + fine), Contains("another one named \"mine\""));
}

TEST_CASE("who is told that its lock is lost has lost it", "[claims]") {
  const std::string acquire = std::string("self.token = unique() ") +
                              "if redis('SET', self.key, self.token, 'NX', 'PX', 30) ~= OK then "
                              "return false end every(";
  const std::string told = ", function() lost(self) return false end) return true";
  CHECK(InlineLock({acquire + "5" + told, kReleaseByToken}).judged(Property::lost_told) ==
        Verdict::violated);
  InlineLock late({acquire + "31" + told, kReleaseByToken});
  for (auto& process : late.model.processes) process.workload[1].ms = 40;
  CHECK(late.judged(Property::lost_told) == Verdict::holds);
  // That the resource does not answer tells nothing of the lock.
  InlineLock plain({kAcquireByToken, kReleaseByToken});
  plain.model = test::with_fault(plain.model, sim::Fault::lose);
  CHECK(plain.judged(Property::lost_told) == Verdict::holds);
}

TEST_CASE("a timer that goes on for ever is left behind if it sends something", "[claims]") {
  const auto judged = [](const std::string& beat) {
    // Its work ends as the timer goes off: in a world that comes again.
    InlineLock lock({"self.process.timer = self.process.timer or every(20, function() " + beat +
                         " end) " + kAcquireByToken + " ",
                     "self.process.held = false " + std::string(kReleaseByToken)});
    lock.model.processes.resize(1);
    return lock.lasting(30, 20).judged(Property::leak);
  };
  CHECK(judged("redis('PEXPIRE', self.key, 30)") == Verdict::violated);
  CHECK(judged("if self.process.held then redis('PEXPIRE', self.key, 30) end") == Verdict::holds);
}

TEST_CASE("of a lock that nobody ever releases nothing is shown, and what failed is said",
          "[claims]") {
  const auto unmet = [](const test::Bodies& bodies) {
    InlineLock lock(bodies);
    lock.model.properties = {Property::mutual_exclusion};
    const Result engine = checker::explore(lock.model, {});
    const Result naive =
        checker::explore_naively(lock.model, {}, {}, checker::naive::Memory::boundary);
    CHECK(engine.unmet == naive.unmet);
    return engine.unmet_detail;
  };
  CHECK(unmet({kAcquireByToken, kReleaseByToken}).empty());
  const std::string stays =
      "nobody ever released; release() leaves its client the key: if it is to stay, say permanent "
      "= { \"{key}\" } in protocol { }; if a task removes it later, await that task in release()";
  CHECK(unmet({kAcquireByToken, "return false"}) == stays);
  CHECK(unmet({kAcquireByToken, ""}) == stays);
  CHECK(unmet({kAcquireByToken, "error('boom')"}) ==
        "nobody ever released; a call failed: release() ended in an error: protocol.lua:6: boom");
  CHECK(unmet({kAcquireByToken, "local ok = pcall(redis, 'DEL') return ok"}) ==
        "nobody ever released; a request failed: DEL -> (error) ERR wrong number of arguments for "
        "'del' command");
  CHECK(unmet({"error('no')", "return true"}) ==
        "A never acquired, B never acquired; a call failed: acquire() ended in an error: "
        "protocol.lua:3: no");
  CHECK(unmet({"local ok, reply = pcall(redis, 'SET', self.key) return ok and reply == OK",
               "return true"}) ==
        "A never acquired, B never acquired; a request failed: SET lock -> (error) ERR wrong "
        "number of arguments for 'set' command");
  // Who comes too late to release anything need not.
  InlineLock late({kAcquireByToken, kReleaseByToken});
  late.model.properties = {Property::leak};
  for (auto& process : late.model.processes) process.workload[1].ms = 45;
  CHECK(checker::explore(late.model, {}).unmet.empty());
}

TEST_CASE("a claim is shown how many threads of a client are inside", "[claims]") {
  const sim::TemporaryFolder folder;
  sim::Model model = claimed(folder, stated("return (world.clients[1].holds.lock or 0) < 2"),
                             "self.token = '' if true then return true end ");
  model.processes.resize(1);
  CHECK(both_find(model) == Verdict::holds);
  model.processes[0].threads = 2;
  CHECK(both_find(model) == Verdict::violated);
}

TEST_CASE("a number that stays by design is no leftover of who was refused, another value is",
          "[claims]") {
  for (const auto& [value, verdict] :
       {std::pair{"1", Verdict::holds}, {"'one'", Verdict::violated}}) {
    CAPTURE(value);
    const InlineLock lock(
        {std::string("redis('SET', self.key .. ':stays', ") + value + ") return false",
         "return true"},
        ", leases = { '{key}', '{key}:stays' }, permanent = { '{key}:stays' }");
    CHECK(lock.judged(Property::honest_result) == verdict);
  }
}

TEST_CASE("a release() that throws an error of its own says no, and that of a request says nothing",
          "[claims]") {
  const std::string acquire = "redis('SET', self.key, 'v', 'NX', 'PX', self.ttl_ms) return true";
  const std::string deletes = "local n = redis('DEL', self.key) ";
  const auto judged = [&](const std::string& release) {
    InlineLock lock({acquire, release});
    lock.alone_with(sim::Fault::lose);
    return lock.judged(Property::honest_result);
  };
  CHECK(judged(deletes + "error('not mine')") == Verdict::violated);
  CHECK(judged(deletes + "if n == 0 then error({ kind = 'NotOwned' }) end") == Verdict::holds);
  CHECK(judged("redis('GET', self.key) error('not mine')") == Verdict::holds);
  CHECK(judged(deletes + "redis('HGET', 'no hash')") == Verdict::holds);
  CHECK(judged(deletes + "local ok, e = pcall(redis, 'HGET', 'no hash') error(tostring(e))") ==
        Verdict::violated);
  // Asked again after its answer was lost, it finds nothing, and says so.
  const std::string again =
      "local ok, n = pcall(redis, 'DEL', self.key) if not ok then n = redis('DEL', self.key) end ";
  CHECK(judged(again + "if n == 0 then error('not mine') end") == Verdict::violated);
  CHECK(judged(again + "return true") == Verdict::holds);
  CHECK(judged("if redis('DEL', self.key) == 0 then error('not mine') end") == Verdict::holds);
}

TEST_CASE("an invariant that asks which of two tokens comes first proves nothing", "[claims]") {
  const auto verdict = [](const std::string& relation) {
    const sim::TemporaryFolder folder;
    const sim::Model model =
        claimed(folder, stated("local a, b = world.clients[1].locks.lock, "
                               "world.clients[2].locks.lock "
                               "if a and b and a.token and b.token and world.clients[1].holds.lock "
                               "then return a.token " +
                               relation + " b.token end return true"));
    return checker::explore(model, {}).verdict;
  };
  CHECK(verdict("<") == Verdict::inconclusive);
  CHECK(verdict("~=") == Verdict::holds);
}

TEST_CASE("fencing tokens are compared with those of the same lock", "[claims]") {
  // Of `lock` all are 1, and it lets everybody in; those of the first lock are higher.
  InlineLock lock(
      {"if self.key == 'lock' then return true, 1 end "
       "return redis('SET', self.key, 1, 'NX') == OK, 5",
       "return self.key == 'lock' or redis('DEL', self.key) == 1"});
  lock.model.resource = sim::Resource::fenced;
  using Kind = sim::WorkStep::Kind;
  for (auto& process : lock.model.processes) {
    process.lock_keys = {"first", "lock"};
    process.workload = {{Kind::lock, 0, 0}, {Kind::work, 0, 5}, {Kind::unlock, 0, 0},
                        {Kind::lock, 1, 0}, {Kind::work, 1, 5}, {Kind::unlock, 1, 0}};
  }
  CHECK(lock.judged(Property::no_lost_update) == Verdict::violated);
}

TEST_CASE("a fencing token that is refused lowers no fence", "[claims]") {
  // Who has 4 reads, who has 5 reads and writes, who has 3 is refused: so is then the write with 4.
  InlineLock lock({"return true, ({ 4, 5, 3 })[redis('INCR', 'grants')]", "return true"});
  lock.model.processes.push_back(lock.model.processes[0]);
  lock.model.resource = sim::Resource::fenced;
  CHECK(lock.judged(Property::no_lost_update) == Verdict::holds);
}

TEST_CASE("where writes alone are fenced, who has read keeps nobody from writing", "[claims]") {
  // With 1 and with 2 both read, then both write in that order: the first update is lost.
  const auto judged = [](sim::Resource resource) {
    InlineLock lock({"return true, redis('INCR', 'grants')", "return true"});
    lock.model.resource = resource;
    return lock.judged(Property::no_lost_update);
  };
  CHECK(judged(sim::Resource::fenced_writes) == Verdict::violated);
  CHECK(judged(sim::Resource::fenced) == Verdict::holds);
}

TEST_CASE("both explorers name the client that never acquires", "[claims]") {
  InlineLock lock(
      {"if setting('shy') then return false end " + std::string(kAcquireByToken), kReleaseByToken},
      ", settings = { shy = false }");
  lock.model.properties = {Property::mutual_exclusion};
  lock.model.processes[0].settings = {{"shy", true}};
  const Result engine = checker::explore(lock.model, {});
  const Result naive =
      checker::explore_naively(lock.model, {}, {}, checker::naive::Memory::boundary);
  CHECK(engine.unmet_detail == "A never acquired");
  CHECK(naive.unmet_detail == "A never acquired");
}
