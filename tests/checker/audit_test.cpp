// The audit: its unit of time, and that both explorers agree on every rung of the ladder under
// every single fault.
#include "checker/audit.hpp"

#include <catch2/catch.hpp>
#include <optional>

#include "checker/explorer.hpp"
#include "cli/parallel.hpp"
#include "scenarios/catalog.hpp"
#include "sim/base/temporary_folder.hpp"
#include "sim/client/program.hpp"

namespace lockstep::checker {

namespace {

using scenarios::Scenario;

const scenarios::Catalog kCatalog{LOCKSTEP_SOURCE_DIR};

Scenario rung(const std::string& protocol) {
  return scenarios::default_scenario(protocol, kCatalog.protocol_folder(protocol));
}

void check_agreement(const Scenario& scenario) {
  const auto model =
      scenarios::model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  const auto found = explore(model, {});
  const auto audited = audit(model, found, {});
  INFO(scenario.protocol << ": " << audited.detail);
  CHECK(audited.outcome == Audit::Outcome::agree);
}

void set_fault(Scenario& scenario, sim::Fault fault) {
  scenario.faults.at(static_cast<std::size_t>(fault)) = 1;
  if (fault == sim::Fault::lag || fault == sim::Fault::failover) scenario.replicas = 1;
  scenario.cluster = fault == sim::Fault::migrate;
}

}  // namespace

TEST_CASE("the audit's unit of time divides every duration, and leaves room between two") {
  CHECK(audit_tick_ms({10'000, 3000}) == 500);
  CHECK(audit_tick_ms({30'000, 10'000, 5000}) == 2500);
  CHECK(audit_tick_ms({15, 10}) == 5);
  CHECK(audit_tick_ms({7}) == 7);
  CHECK(audit_tick_ms({10'001, 10'000}) == 1);
}

TEST_CASE("every duration of a model counts for the audit's unit of time") {
  using Change = void (*)(sim::Model&);
  const Change changes[] = {[](sim::Model& m) { m.restart_after_ms = 7; },
                            [](sim::Model& m) { m.latency_ms = 7; },
                            [](sim::Model& m) { m.pause_max_ms = 7; },
                            [](sim::Model& m) { m.request_timeout_ms = 7; },
                            [](sim::Model& m) {
                              m.clocks_ms = {0, -7};
                            },
                            [](sim::Model& m) { m.node_clocks_ms = {7}; },
                            [](sim::Model& m) {
                              m.budget[static_cast<std::size_t>(sim::Fault::jump)] = 1;
                              m.jumps_ms = {-7};
                            }};
  const auto scenario = rung("set-token-lua");
  const auto model =
      scenarios::model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  Bounds bounds;
  bounds.max_states = 10;
  const auto tick_ms = [&](const sim::Model& changed) {
    return audit(changed, explore(changed, bounds), bounds).tick_ms;
  };
  CHECK(tick_ms(model) == 500);
  for (const Change change : changes) {
    auto changed = model;
    change(changed);
    CAPTURE(audit(changed, explore(changed, bounds), bounds).durations_ms);
    CHECK(tick_ms(changed) == 1);
  }
}

TEST_CASE("both explorers agree on every rung without faults, and when work outlasts the lease") {
  for (const auto& protocol : kCatalog.ladder()) {
    check_agreement(rung(protocol));
    auto scenario = rung(protocol);
    scenario.roles[0].workload[1].ms = 15'000;
    check_agreement(scenario);
  }
}

TEST_CASE("both explorers agree on every rung under every single fault", "[many-models]") {
  for (const auto& protocol : kCatalog.ladder())
    for (const auto fault : sim::kFaults) {
      INFO(name(fault));
      auto scenario = rung(protocol);
      const bool refused = scenario.server != sim::ServerVersion::redis_7_0;
      if (fault == sim::Fault::migrate && refused) continue;
      set_fault(scenario, fault);
      check_agreement(scenario);
    }
}

TEST_CASE("both explorers agree on what fencing spares the resource, fault by fault",
          "[many-models]") {
  for (const auto fault : sim::kFaults)
    for (const auto resource : {sim::Resource::fenced, sim::Resource::fenced_writes}) {
      INFO(name(fault) << ", " << name(resource));
      auto scenario = rung("fencing");
      set_fault(scenario, fault);
      scenario.resource = resource;
      scenario.properties = {sim::Property::no_lost_update};
      check_agreement(scenario);
    }
}

TEST_CASE("both explorers imitate the Redis that is asked for") {
  const sim::TemporaryFolder folder;
  folder.write("acquire.lua",
               "redis.call('wait', 0, 0)\n"  // 7.0 does not let a script call it
               "return redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2])\n");
  folder.write("protocol.lua", R"(
local acquire = script "acquire.lua"
local Lock = protocol { title = "t", source = "s" }
function Lock:acquire()
  local fine, reply = pcall(acquire, { self.key }, { unique(), self.ttl_ms })
  return fine and reply == OK
end
function Lock:release() return redis("DEL", self.key) == 1 end
return Lock
)");
  auto scenario = scenarios::default_scenario("wait", folder.path());
  scenario.properties = {sim::Property::mutual_exclusion};
  const auto outcome = [&] {
    check_agreement(scenario);
    const auto program = std::make_shared<const sim::Program>(scenario.folder);
    return scenarios::outcome_of(explore(scenarios::model_of(scenario, program), {}));
  };
  CHECK(outcome() == scenarios::Outcome::vacuous);
  scenario.server = sim::ServerVersion::redis_7_2;
  CHECK(outcome() == scenarios::Outcome::holds);
}

TEST_CASE("both explorers agree on what persistence keeps", "[many-models]") {
  for (const auto persistence : {sim::Persistence::rdb, sim::Persistence::aof_everysec,
                                 sim::Persistence::aof_everysec_2s, sim::Persistence::aof_always})
    for (const auto fault : {sim::Fault::node_crash, sim::Fault::power_loss}) {
      INFO(name(persistence) << ", " << name(fault));
      const bool postpones = persistence == sim::Persistence::aof_everysec ||
                             persistence == sim::Persistence::aof_everysec_2s;
      if (postpones && fault == sim::Fault::node_crash) continue;  // is left open
      auto scenario = rung("set-token-lua");
      set_fault(scenario, fault);
      scenario.persistence = persistence;
      check_agreement(scenario);
    }
}

TEST_CASE("both explorers agree on every shipped scenario", "[.audit]") {
  // Few scenarios have more states in steps of time, or a pause that leaves instants open: of these
  // the audit says nothing.
  Bounds bounds;
  bounds.max_states = 200'000;
  const auto names = kCatalog.scenarios();
  int searches = 0, left_open = 0;
  const auto audit_one = [&](std::size_t i) -> std::optional<Audit> {
    const auto scenario = kCatalog.read(kCatalog.scenario_file(names[i]));
    if (scenario.kind != scenarios::ScenarioKind::search) return std::nullopt;
    const auto model =
        scenarios::model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
    return audit(model, explore(model, {}), bounds);
  };
  cli::in_order(names.size(), cli::jobs_of({}), audit_one,
                [&](std::size_t i, const std::optional<Audit>& audited) {
                  if (!audited) return;
                  ++searches;
                  INFO(names[i] << ": " << audited->detail);
                  CHECK(audited->outcome != Audit::Outcome::disagree);
                  if (audited->outcome == Audit::Outcome::inconclusive) ++left_open;
                });
  CHECK(searches > 150);
  CHECK(left_open < 15);
}

TEST_CASE("a limit that is reached makes the audit inconclusive, never an agreement") {
  const auto scenario = rung("set-token-lua");
  const auto model =
      scenarios::model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  Bounds narrow;
  narrow.max_states = 5;
  const auto audited = audit(model, explore(model, {}), narrow);
  CHECK(audited.outcome == Audit::Outcome::inconclusive);
  CHECK_FALSE(audited.detail.empty());
}

TEST_CASE("a result that is not what the other explorers find is a disagreement") {
  const auto scenario = rung("set-token-lua");
  const auto model =
      scenarios::model_of(scenario, std::make_shared<const sim::Program>(scenario.folder));
  auto claimed = explore(model, {});
  claimed.verdict = Verdict::violated;
  claimed.schedule.resize(3);
  const auto audited = audit(model, claimed, {});
  CHECK(audited.outcome == Audit::Outcome::disagree);
  CHECK(audited.detail ==
        "found violated after 3 steps; naive explorer: holds; main explorer with the same tick: "
        "holds");
}

}  // namespace lockstep::checker
