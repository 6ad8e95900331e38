// Conditions, verdicts judged one by one, and stored matrices: what is written reads back, and what
// is misspelt is refused.
#include "scenarios/matrix.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "checker/explorer.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/judge.hpp"
#include "scenarios/matrix_file.hpp"
#include "tests/scenarios/bad_input.hpp"

namespace lockstep::scenarios {

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

Scenario world_of(const std::string& protocol) {
  return default_scenario(protocol, fs::path(LOCKSTEP_SOURCE_DIR) / "protocols" / protocol);
}

Condition condition(const std::string& name) {
  for (const auto& each : conditions())
    if (each.name == name) return each;
  FAIL("no condition " << name);
  return {};
}

std::vector<std::string> workload(const Scenario& scenario) {
  std::vector<std::string> steps;
  for (const auto& step : scenario.roles.front().workload) steps.push_back(written(step));
  return steps;
}

/// A lock that its own holder may take again; `acquire_more` stands at the beginning of acquire().
fs::path counting_lock(const tests::TemporaryFolder& folder) {
  folder.write("counting/protocol.lua", R"(-- Re-entrant within the process.
local Lock = protocol { title = "counting", source = "test" }
function Lock:acquire()
  if self.depth and self.depth > 0 then self.depth = self.depth + 1 return true end
  local ok = redis("SET", self.key, "x", "NX", "PX", self.ttl_ms) == OK
  if ok then self.depth = 1 end
  return ok
end
function Lock:release()
  self.depth = self.depth - 1
  if self.depth > 0 then return true end
  return redis("DEL", self.key) == 1
end
return Lock
)");
  return folder.path() / "counting";
}

}  // namespace

TEST_CASE("what there is no time for is inconclusive, and says so") {
  const auto over = [](const checker::Statistics&) { return std::string("time is over"); };
  for (const auto* name : {"no fault", "pause", "re-entry"}) {
    const auto world = world_of("set-token-lua");
    const auto findings = judge_each(condition(name), world, false, over);
    CHECK(findings.size() == world.properties.size());
    for (const auto& finding : findings) {
      CHECK(finding.standing == Standing::inconclusive);
      CHECK(finding.detail == "time is over");
    }
  }
  int asked = 0;  // it comes while the first search goes on, or the second
  const auto later = [&](const checker::Statistics&) -> std::string {
    return ++asked > 2 ? "time is over" : "";
  };
  bool cut = false;
  for (const auto& finding : judge_each(condition("pause"), world_of("setnx"), false, later))
    cut = cut || finding.detail == "time is over";
  CHECK(cut);
}

TEST_CASE("every condition has a name of its own and changes the world") {
  std::set<std::string> names;
  const auto world = world_of("set-token-lua");
  for (const auto& each : conditions()) {
    CHECK(names.insert(each.name).second);
    const bool same = to_json(under(each, world), "x") == to_json(world, "x");
    CHECK(same == (each.name == "no fault"));
  }
  for (const auto fault : sim::kFaults)
    if (!row(fault).of_threads && !row(fault).of_cluster && fault != sim::Fault::lag)
      CHECK(names.contains(name(fault)));
  CHECK(names.contains("failover, lag"));  // without a failover it does nothing
}

TEST_CASE("conditions shape the workload") {
  using Steps = std::vector<std::string>;
  const auto world = world_of("set-token-lua");
  CHECK(workload(under(condition("work > lease"), world)) == Steps{"lock", "work 15000", "unlock"});
  CHECK(workload(under(condition("re-entry"), world)) ==
        Steps{"lock", "lock", "unlock", "work 3000", "unlock"});
  CHECK(workload(under(condition("late re-entry"), world)) ==
        Steps{"lock", "work 7500", "lock", "work 7500", "unlock", "unlock"});
  CHECK(workload(under(condition("overdue re-entry"), world)) ==
        Steps{"lock", "work 15000", "lock", "unlock", "unlock"});
  CHECK(workload(under(condition("two locks"), world)) ==
        Steps{"lock", "lock lock-2", "unlock", "work 3000", "unlock lock-2"});
  CHECK(under(condition("round+"), world).roles[0].rounds == 2);
  auto endless = world;
  endless.roles[0].rounds = 0;
  CHECK(under(condition("round+"), endless).roles[0].rounds == 0);  // for ever
  CHECK(under(condition("client+"), world).clients.size() == 3);
  auto disturbed = world;  // of itself
  disturbed.faults.at(static_cast<std::size_t>(sim::Fault::lose)) = 2;
  const auto more = under(condition("lose"), disturbed).faults;
  CHECK(more.at(static_cast<std::size_t>(sim::Fault::lose)) == 3);
  CHECK(
      under(condition("pause"), disturbed).faults.at(static_cast<std::size_t>(sim::Fault::lose)) ==
      2);
  CHECK(under(condition("short work"), world).witnesses.contains(sim::Witness::released));
  auto full = world;
  full.clients.assign(kMostClients, 0);
  CHECK(under(condition("client+"), full).clients.size() == kMostClients);
  CHECK(under(condition("failover"), world).replicas == 1);
  auto replicated = world;
  replicated.replicas = 2;
  for (const auto& each : conditions()) CHECK(under(each, replicated).replicas == 2);
}

TEST_CASE("each property is judged as if it were the only one") {
  for (const auto* protocol : {"exists-set", "set-ex-nx", "fencing"})
    for (const auto* under_name : {"no fault", "pause", "crash"}) {
      const auto world = world_of(protocol);
      const auto findings = judge_each(condition(under_name), world, false);
      REQUIRE(findings.size() == world.properties.size());
      for (const auto& finding : findings) {
        if (finding.property == sim::Property::reentrancy) continue;
        auto alone = under(condition(under_name), world);
        alone.properties = {finding.property};
        const auto judgement = judge(alone);
        INFO(protocol << ", " << under_name << ", " << name(finding.property));
        CHECK(std::string(name(finding.standing)) == name(judgement.outcome()));
        if (finding.standing == Standing::violated)
          CHECK(finding.steps == judgement.result.schedule.size());
      }
    }
}

TEST_CASE("a fault that nothing can suffer is told as such") {
  const auto jumps = judge_each(condition("jump"), world_of("setnx"), false);
  for (const auto& finding : jumps) CHECK(finding.standing == Standing::cannot_happen);
  const auto pauses = judge_each(condition("pause"), world_of("setnx"), false);
  for (const auto& finding : pauses) CHECK(finding.standing == Standing::holds);
  // Of what is violated all the same the fault is no matter: the others have been looked at.
  auto world = world_of("exists-set");
  world.properties = {sim::Property::mutual_exclusion, sim::Property::foreign_extend};
  std::set<Standing> standings;
  for (const auto& finding : judge_each(condition("jump"), world, false))
    standings.insert(finding.standing);
  CHECK(standings == std::set{Standing::holds, Standing::violated});
}

TEST_CASE("re-entry is asked of re-entrant locks only") {
  const tests::TemporaryFolder folder;
  CHECK_FALSE(reenters(world_of("set-token-lua")));
  CHECK(reenters(default_scenario("counting", counting_lock(folder))));
  for (const auto& finding : judge_each(condition("re-entry"), world_of("set-token-lua"), false))
    CHECK(finding.standing == Standing::not_reentrant);
}

TEST_CASE("a run that the protocol cannot stand is not known, and says why") {
  const tests::TemporaryFolder folder;
  folder.write("loops/protocol.lua",
               "-- Loops where it is refused.\nlocal Lock = protocol { title = \"t\", source = "
               "\"s\" }\nfunction Lock:acquire()\n  if redis(\"SETNX\", self.key, 1) == 1 then "
               "return true end\n  while true do end\nend\nfunction Lock:release() return "
               "redis(\"DEL\", self.key) == 1 end\nreturn Lock\n");
  const auto world = default_scenario("loops", folder.path() / "loops");
  const auto findings = judge_each(condition("no fault"), world, false);
  REQUIRE(findings.size() == world.properties.size());
  CHECK(findings.front().standing == Standing::inconclusive);
  CHECK_THAT(findings.front().detail, Contains("protocol.lua:"));
}

TEST_CASE("a stored matrix reads back as it was") {
  const tests::TemporaryFolder folder;
  Matrix matrix{world_of("setnx"), "abc", {}};
  for (const auto* name : {"no fault", "jump", "crash", "re-entry"})
    for (const auto& finding : judge_each(condition(name), matrix.world, false))
      matrix.findings.push_back(finding);
  const auto file = folder.write("m.json", matrix_report({matrix, matrix}));
  const auto read = read_matrices(file);
  REQUIRE(read.size() == 2);
  CHECK(read.front().findings == matrix.findings);
  CHECK(read.front().fingerprint == "abc");
  CHECK(to_json(read.front().world, "setnx") == to_json(matrix.world, "setnx"));
}

TEST_CASE("a stored matrix that is wrong is refused with the place") {
  const tests::TemporaryFolder folder;
  Matrix matrix{world_of("setnx"), "abc", {}};
  matrix.findings = judge_each(condition("crash"), matrix.world, false);
  const auto whole = matrix_report({matrix});
  const auto refused = [&](const std::string& what, const std::string& by) {
    auto text = whole;
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
    const auto file = folder.write("m.json", text);
    return tests::bad_input([&] { read_matrices(file); });
  };
  CHECK_THAT(refused("\"crash\"", "\"crahs\""), Contains("m.json: $.protocols[0].verdicts[0]"
                                                         ".condition: unknown condition `crahs`; "
                                                         "did you mean `crash`?"));
  CHECK_THAT(refused("\"deadlock\"", "\"deadlok\""), Contains("did you mean `deadlock`?"));
  CHECK_THAT(refused("\"violated\"", "\"broken\""), Contains("unknown verdict `broken`"));
  CHECK_THAT(refused("\"steps\": 3", "\"stesp\": 3"), Contains("did you mean `steps`?"));
  CHECK_THAT(refused("\"steps\": 3", "\"states\": 3"), Contains("twice"));
  CHECK_THAT(refused("\"lockstep_matrix\": 1", "\"lockstep_matrix\": 2"), Contains("version 2"));
  CHECK_THAT(refused("\"fingerprint\"", "\"fingreprint\""), Contains("fingerprint"));
  folder.write("m.json", whole.substr(0, whole.size() / 2));
  CHECK_THAT(tests::bad_input([&] { read_matrices(folder.path() / "m.json"); }),
             Contains("not JSON"));
}

}  // namespace lockstep::scenarios
