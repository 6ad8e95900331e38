// Reader and writer of scenario JSON. Each object has its table of keys; the published schema is
// compared with these tables.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/path.hpp"
#include "sim/base/token.hpp"

namespace lockstep::scenarios {

namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

const std::vector<std::string> kKinds{"search", "schedule"};

const std::vector<std::string>& keys_of(const std::string& object) {
  return scenario_keys().at(object);
}

// ---- reading ----

sim::SettingValue read_setting(const JsonPlace& place) {
  if (place.is_boolean()) return place.boolean();
  if (place.is_integer()) return place.integer(INT64_MIN, INT64_MAX);
  if (!place.is_string())
    place.fail(fmt::format("found {}, expected true, false, a whole number or a string",
                           place.value().dump()));
  return place.text();
}

/// What is unlocked has been locked before, in the same mode.
void expect_locked(const std::vector<RoleStep>& workload, const JsonPlace& place) {
  std::map<std::pair<std::string, bool>, int> depth;
  for (std::size_t i = 0; i < workload.size(); ++i) {
    const RoleStep& step = workload[i];
    if (step.kind == sim::WorkStep::Kind::call) continue;
    int& held = depth[{step.key, step.shared}];
    if (step.kind == sim::WorkStep::Kind::lock) ++held;
    if (step.kind == sim::WorkStep::Kind::unlock && --held < 0)
      place.elements()[i].fail(
          fmt::format("`{}`: nothing before it locks that, in this mode", written(step)));
  }
}

Role read_role(const std::string& name, const JsonPlace& place) {
  place.expect_object(keys_of("$.roles.*"));
  Role role{name, {}, 1, 1, {}, {}};
  const auto steps = place.required("workload");
  for (const auto& step : steps.elements())
    role.workload.push_back(parse_role_step(step.text(), step));
  if (role.workload.empty()) steps.fail("a workload has at least one step");
  expect_locked(role.workload, steps);
  if (const auto rounds = place.optional("rounds"))
    role.rounds = static_cast<int>(rounds->integer(0, 100));
  if (const auto threads = place.optional("threads"))
    role.threads = static_cast<int>(threads->integer(1, 8));
  if (const auto lease = place.optional("lease_ms")) role.lease_ms = lease->integer(1, kLongestMs);
  if (const auto settings = place.optional("settings"))
    for (const auto& setting : settings->keys())
      role.settings[setting] = read_setting(settings->required(setting));
  return role;
}

void read_roles(const JsonPlace& place, Scenario& scenario) {
  const auto roles = place.optional("roles");
  if (!roles) return;
  scenario.roles.clear();
  for (const auto& name : roles->keys())
    scenario.roles.push_back(read_role(name, roles->required(name)));
  if (scenario.roles.empty()) roles->fail("at least one role is needed");
  std::set<std::pair<std::string, bool>> locks;
  for (const auto& role : scenario.roles)
    for (const auto& step : role.workload)
      if (!step.key.empty() && step.kind != sim::WorkStep::Kind::call)
        locks.emplace(step.key, step.shared);
  if (locks.size() > sim::kMaxLocks)
    roles->fail(fmt::format("found {} locks, expected at most {}", locks.size(), sim::kMaxLocks));
}

void read_clients(const JsonPlace& place, Scenario& scenario) {
  const auto clients = place.optional("clients");
  if (!clients && scenario.roles.size() > 1)
    place.fail("several roles need `clients`: a list of roles");
  if (!clients) return;
  scenario.clients.clear();
  if (clients->is_integer()) {
    if (scenario.roles.size() > 1)
      clients->fail("with several roles, list the role of each client");
    scenario.clients.assign(static_cast<std::size_t>(clients->integer(1, kMostClients)), 0);
    return;
  }
  std::vector<std::string> names;
  for (const auto& role : scenario.roles) names.push_back(role.name);
  for (const auto& client : clients->elements())
    scenario.clients.push_back(client.one_of(names, "role"));
  if (scenario.clients.empty() || scenario.clients.size() > kMostClients)
    clients->fail(
        fmt::format("found {} clients, expected 1 to {}", scenario.clients.size(), kMostClients));
}

/// What is said of each clock, at most so much either way.
void read_clocks(const JsonPlace& place, const char* key, std::int64_t most,
                 std::vector<std::int64_t>& said) {
  const auto clocks = place.optional(key);
  if (!clocks) return;
  for (const auto& clock : clocks->elements()) said.push_back(clock.integer(-most, most));
}

void read_times(const JsonPlace& place, Scenario& scenario) {
  if (const auto lease = place.optional("lease_ms"))
    scenario.lease_ms = lease->integer(1, kLongestMs);
  if (const auto timeout = place.optional("request_timeout_ms"))
    scenario.request_timeout_ms = timeout->integer(0, kLongestMs);
  if (const auto pause = place.optional("pause_max_ms"))
    scenario.pause_max_ms = pause->integer(0, kLongestMs);
  if (const auto latency = place.optional("latency_ms"))
    scenario.latency_ms = latency->integer(0, kLongestMs);
  if (const auto micros = place.optional("distinct_micros"))
    scenario.distinct_micros = micros->boolean();
  read_clocks(place, "clocks_ms", kLongestMs, scenario.clocks_ms);
  read_clocks(place, "node_clocks_ms", kLongestMs, scenario.node_clocks_ms);
  read_clocks(place, "drifts_ppm", kMostPpm, scenario.drifts_ppm);
  read_clocks(place, "node_drifts_ppm", kMostPpm, scenario.node_drifts_ppm);
  const auto jumps = place.optional("jumps_ms");
  if (!jumps) return;
  for (const auto& jump : jumps->elements()) {
    scenario.jumps_ms.push_back(jump.integer(-kLongestMs, kLongestMs));
    if (scenario.jumps_ms.back() == 0) jump.fail("a jump of 0 ms is none");
  }
}

sim::KeyspaceEvents keyspace_events_at(const JsonPlace& place) {
  const auto events =
      sim::parse_keyspace_events(place.value().is_string() ? std::string(place.value()) : "?");
  if (!events)
    place.fail(fmt::format("expected letters of {}, such as \"Ex\" (notify-keyspace-events)",
                           sim::kKeyspaceEventLetters));
  return *events;
}

void read_node(const JsonPlace& place, Scenario& scenario) {
  if (const auto nodes = place.optional("nodes"))
    scenario.nodes = static_cast<int>(nodes->integer(1, sim::kMaxNodes));
  if (const auto replicas = place.optional("replicas"))
    scenario.replicas = static_cast<int>(replicas->integer(0, sim::kMaxNodes - 1));
  if (const auto least = place.optional("min_replicas"))
    scenario.min_replicas = static_cast<int>(least->integer(0, sim::kMaxNodes - 1));
  if (const auto after = place.optional("restart_after_ms"))
    scenario.restart_after_ms = after->integer(0, kLongestMs);
  if (const auto server = place.optional("server"))
    scenario.server =
        sim::kServerVersions.at(server->one_of(names_of(sim::kServerVersions), "server"));
  if (const auto events = place.optional("keyspace_events"))
    scenario.keyspace_events = keyspace_events_at(*events);
  if (const auto cluster = place.optional("cluster")) scenario.cluster = cluster->boolean();
  if (const auto seed = place.optional("draw_seed"))
    scenario.draw_seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
  if (const auto persistence = place.optional("persistence"))
    scenario.persistence =
        sim::kPersistences.at(persistence->one_of(names_of(sim::kPersistences), "persistence"));
  if (const auto policy = place.optional("maxmemory_policy"))
    scenario.maxmemory_policy = sim::kMaxmemoryPolicies.at(
        policy->one_of(names_of(sim::kMaxmemoryPolicies), "maxmemory policy"));
  if (const auto resource = place.optional("resource"))
    scenario.resource = sim::kResources.at(resource->one_of(names_of(sim::kResources), "resource"));
}

void read_faults(const JsonPlace& place, Scenario& scenario) {
  const auto faults = place.optional("faults");
  if (!faults) return;
  faults->expect_object(keys_of("$.faults"));
  for (const auto fault : sim::kFaults)
    if (const auto budget = faults->optional(name(fault)))
      scenario.faults.at(static_cast<std::size_t>(fault)) =
          static_cast<std::uint8_t>(budget->integer(0, 100));
}

void read_invariants(const JsonPlace& invariants, const std::filesystem::path& base,
                     Scenario& scenario) {
  scenario.invariants = invariants.text();
  try {
    scenario.claims = invariants_file(scenario.invariants, base);
  } catch (const sim::BadInput& error) {
    invariants.fail(error.what());
  }
  scenario.properties.insert(sim::Property::invariant);
}

void read_waits(const JsonPlace& waits, Scenario& scenario) {
  waits.expect_object(keys_of("$.waits"));
  scenario.waits_ms = waits.required("ms").integer(1, kLongestMs);
  if (const auto after = waits.optional("after"))
    scenario.waits_after =
        sim::kWaitsAfter.at(after->one_of(names_of(sim::kWaitsAfter), "beginning"));
  scenario.properties.insert(sim::Property::waits);
}

void read_claims(const JsonPlace& place, const std::filesystem::path& base, Scenario& scenario) {
  if (const auto properties = place.optional("properties")) {
    scenario.properties.clear();
    for (const auto& property : properties->elements())
      scenario.properties.insert(
          sim::kProperties.at(property.one_of(names_of(sim::kProperties), "property")));
    if (scenario.properties.empty())
      properties->fail("without a property there is nothing to check");
  }
  if (const auto invariants = place.optional("invariants"))
    read_invariants(*invariants, base, scenario);
  if (const auto waits = place.optional("waits")) read_waits(*waits, scenario);
  if (const auto overtakes = place.optional("overtakes")) {
    scenario.overtakes = static_cast<unsigned>(overtakes->integer(0, kMostOvertakes));
    scenario.properties.insert(sim::Property::fairness);
  }
  if (const auto witnesses = place.optional("witnesses")) {
    scenario.witnesses.clear();
    for (const auto& witness : witnesses->elements())
      scenario.witnesses.insert(
          sim::kWitnesses.at(witness.one_of(names_of(sim::kWitnesses), "witness")));
  }
}

void read_bounds(const JsonPlace& place, Scenario& scenario) {
  const auto bounds = place.optional("bounds");
  if (!bounds) return;
  bounds->expect_object(keys_of("$.bounds"));
  if (const auto states = bounds->optional("max_states"))
    scenario.bounds.max_states = static_cast<std::uint64_t>(states->integer(1, INT64_MAX));
  if (const auto seconds = bounds->optional("max_seconds"))
    scenario.bounds.max_seconds = seconds->number_above_zero();
  if (const auto memory = bounds->optional("max_memory_mb"))
    scenario.bounds.max_bytes = static_cast<std::uint64_t>(memory->integer(1, 1 << 20) * kMegabyte);
}

void read_expectation(const JsonPlace& expect, Scenario& scenario) {
  expect.expect_object(keys_of("$.expect"));
  Expectation claim;
  claim.outcome = kOutcomes.at(expect.required("verdict").one_of(names_of(kOutcomes), "verdict"));
  const auto property = expect.optional("property");
  const auto steps = expect.optional("steps");
  if (claim.outcome == Outcome::violated) {
    claim.property = sim::kProperties.at(
        expect.required("property").one_of(names_of(sim::kProperties), "property"));
    if (!scenario.properties.contains(*claim.property))
      property->fail(
          fmt::format("`{}` is not among the scenario's properties", name(*claim.property)));
    if (steps) claim.steps = static_cast<std::uint64_t>(steps->integer(1, 1'000'000));
  } else {
    if (property) property->fail("only a violated scenario names a property here");
    if (steps) steps->fail("only a violated scenario has a number of steps");
  }
  scenario.expect = claim;
}

/// A schedule says in its steps what happens: what describes a search has no place in it, and the
/// other way round.
void refuse_keys_of_the_other_kind(const JsonPlace& place, ScenarioKind kind) {
  static const std::vector<std::string> search_only{
      "faults",          "latency_ms", "clocks_ms", "node_clocks_ms", "drifts_ppm",
      "node_drifts_ppm", "jumps_ms",   "witnesses", "bounds"};
  if (kind == ScenarioKind::search) {
    if (const auto steps = place.optional("steps")) steps->fail("only a schedule has steps");
    return;
  }
  for (const auto& key : search_only)
    if (const auto found = place.optional(key))
      found->fail(fmt::format("a schedule has no `{}`: its steps say what happens", key));
}

void read_schedule(const JsonPlace& place, Scenario& scenario) {
  const auto steps = place.required("steps");
  for (const auto& step : steps.elements())
    scenario.steps.push_back(parse_schedule_step(step.text(),
                                                 static_cast<int>(scenario.clients.size()),
                                                 fmt::format("{}: {}", step.file(), step.path())));
  if (scenario.steps.empty()) steps.fail("a schedule has at least one step");
  scenario.faults = budget_of(scenario.steps);
  scenario.jumps_ms = jumps_of(scenario.steps);
  scenario.witnesses.clear();
}

void check_keys(const JsonPlace& place) {
  if (place.optional("redis_version"))
    place.fail("`redis_version` has become `server`: \"7.2\" is \"server\": \"redis-7.2\"");
  place.expect_object(keys_of("$"));
}

std::filesystem::path found(const JsonPlace& protocol, const std::filesystem::path& base,
                            const FindProtocol& find_protocol) {
  try {
    return find_protocol(protocol.text(), base);
  } catch (const sim::BadInput& error) {
    protocol.fail(error.what());
  }
}

// ---- writing ----

Json budget_json(const sim::Budget& budget) {
  Json json = Json::object();
  for (const auto fault : sim::kFaults)
    if (const auto count = budget.at(static_cast<std::size_t>(fault)); count > 0)
      json[name(fault)] = count;
  return json;
}

Json roles_json(const Scenario& scenario) {
  Json json = Json::object();
  for (const auto& role : scenario.roles) {
    Json workload = Json::array();
    for (const auto& step : role.workload) workload.push_back(written(step));
    Json& written_role = json[role.name];
    written_role = {{"workload", workload}, {"rounds", role.rounds}, {"threads", role.threads}};
    if (role.lease_ms) written_role["lease_ms"] = *role.lease_ms;
    for (const auto& setting : role.settings)
      std::visit([&](const auto& value) { written_role["settings"][setting.first] = value; },
                 setting.second);
  }
  return json;
}

Json bounds_json(const checker::Bounds& bounds) {
  Json json = Json::object();
  if (bounds.max_states > 0) json["max_states"] = bounds.max_states;
  if (bounds.max_seconds > 0) json["max_seconds"] = bounds.max_seconds;
  if (bounds.max_bytes > 0) json["max_memory_mb"] = bounds.max_bytes / kMegabyte;
  return json;
}

Json expectation_json(const Expectation& expect) {
  Json json{{"verdict", name(expect.outcome)}};
  if (expect.property) json["property"] = name(*expect.property);
  if (expect.steps) json["steps"] = *expect.steps;
  return json;
}

Json clients_json(const Scenario& scenario) {
  Json json = Json::array();
  for (const auto role : scenario.clients) json.push_back(scenario.roles.at(role).name);
  return json;
}

}  // namespace

const std::map<std::string, std::vector<std::string>>& scenario_keys() {
  static const std::map<std::string, std::vector<std::string>> keys{
      {"$", {"$schema",      "title",
             "source",       "why",
             "protocol",     "kind",
             "roles",        "clients",
             "lease_ms",     "request_timeout_ms",
             "pause_max_ms", "latency_ms",
             "clocks_ms",    "node_clocks_ms",
             "drifts_ppm",   "node_drifts_ppm",
             "jumps_ms",     "distinct_micros",
             "server",       "keyspace_events",
             "persistence",  "maxmemory_policy",
             "nodes",        "replicas",
             "min_replicas", "restart_after_ms",
             "cluster",      "draw_seed",
             "resource",     "faults",
             "properties",   "invariants",
             "waits",        "overtakes",
             "witnesses",    "bounds",
             "steps",        "expect"}},
      {"$.roles.*", {"workload", "rounds", "threads", "lease_ms", "settings"}},
      {"$.faults", names_of(sim::kFaults)},
      {"$.waits", {"ms", "after"}},
      {"$.bounds", {"max_states", "max_seconds", "max_memory_mb"}},
      {"$.expect", {"verdict", "property", "steps"}}};
  return keys;
}

namespace {

/// Its keys are known to be a scenario's.
Scenario scenario_at(const JsonPlace& place, const std::string& name,
                     const std::filesystem::path& base, const FindProtocol& find_protocol) {
  if (const auto schema = place.optional("$schema")) schema->text();
  const auto protocol = place.required("protocol");
  auto scenario = default_scenario(protocol.text(), found(protocol, base, find_protocol));
  scenario.name = name;
  if (const auto title = place.optional("title")) scenario.title = sim::on_one_line(title->text());
  if (const auto source = place.optional("source"))
    scenario.source = sim::on_one_line(source->text());
  if (const auto why = place.optional("why")) scenario.why = sim::on_one_line(why->text());
  scenario.kind = place.required("kind").one_of(kKinds, "kind") == 0 ? ScenarioKind::search
                                                                     : ScenarioKind::schedule;
  refuse_keys_of_the_other_kind(place, scenario.kind);
  read_roles(place, scenario);
  read_clients(place, scenario);
  read_times(place, scenario);
  read_node(place, scenario);
  read_faults(place, scenario);
  read_claims(place, base, scenario);
  read_bounds(place, scenario);
  if (scenario.kind == ScenarioKind::schedule) read_schedule(place, scenario);
  if (const auto expect = place.optional("expect")) read_expectation(*expect, scenario);
  return scenario;
}

}  // namespace

Scenario embedded_scenario(const JsonPlace& place, const std::string& name,
                           const std::filesystem::path& base, const FindProtocol& find_protocol) {
  check_keys(place);
  return scenario_at(place, name, base, find_protocol);
}

Scenario read_scenario(const std::filesystem::path& file, const FindProtocol& find_protocol) {
  const auto json = parse_json(sim::file_text(file), file.string());
  const JsonPlace place(json, file.string());
  check_keys(place);
  place.require({"title", "source", "why", "protocol", "kind", "expect"});
  auto scenario = scenario_at(place, file.stem().string(), file.parent_path(), find_protocol);
  scenario.file = file.string();
  return scenario;
}

Json to_json(const Scenario& scenario, const std::string& protocol) {
  Json json = Json::object();
  if (!scenario.title.empty()) json["title"] = scenario.title;
  if (!scenario.source.empty()) json["source"] = scenario.source;
  if (!scenario.why.empty()) json["why"] = scenario.why;
  json["protocol"] = protocol;
  json["kind"] = kKinds.at(scenario.kind == ScenarioKind::search ? 0 : 1);
  json["roles"] = roles_json(scenario);
  json["clients"] = clients_json(scenario);
  json["lease_ms"] = scenario.lease_ms;
  json["request_timeout_ms"] = scenario.request_timeout_ms;
  json["pause_max_ms"] = scenario.pause_max_ms;
  if (scenario.distinct_micros) json["distinct_micros"] = true;
  json["server"] = name(scenario.server);
  if (scenario.keyspace_events)
    json["keyspace_events"] = sim::letters_of(*scenario.keyspace_events);
  json["nodes"] = scenario.nodes;
  if (scenario.replicas > 0) json["replicas"] = scenario.replicas;
  if (scenario.min_replicas > 0) json["min_replicas"] = scenario.min_replicas;
  if (scenario.restart_after_ms > 0) json["restart_after_ms"] = scenario.restart_after_ms;
  if (scenario.cluster) json["cluster"] = true;
  if (scenario.draw_seed != 0) json["draw_seed"] = scenario.draw_seed;
  json["persistence"] = name(scenario.persistence);
  if (scenario.maxmemory_policy != sim::MaxmemoryPolicy::volatile_keys)
    json["maxmemory_policy"] = name(scenario.maxmemory_policy);
  json["resource"] = name(scenario.resource);
  json["properties"] = names_of(scenario.properties);
  if (!scenario.invariants.empty() && scenario.properties.contains(sim::Property::invariant))
    json["invariants"] = scenario.invariants;
  if (scenario.waits_ms > 0 && scenario.properties.contains(sim::Property::waits))
    json["waits"] = {{"ms", scenario.waits_ms}, {"after", name(scenario.waits_after)}};
  if (scenario.overtakes && scenario.properties.contains(sim::Property::fairness))
    json["overtakes"] = *scenario.overtakes;
  if (scenario.kind == ScenarioKind::search) {
    if (scenario.latency_ms > 0) json["latency_ms"] = scenario.latency_ms;
    if (!scenario.clocks_ms.empty()) json["clocks_ms"] = scenario.clocks_ms;
    if (!scenario.node_clocks_ms.empty()) json["node_clocks_ms"] = scenario.node_clocks_ms;
    if (!scenario.drifts_ppm.empty()) json["drifts_ppm"] = scenario.drifts_ppm;
    if (!scenario.node_drifts_ppm.empty()) json["node_drifts_ppm"] = scenario.node_drifts_ppm;
    if (!scenario.jumps_ms.empty()) json["jumps_ms"] = scenario.jumps_ms;
    json["faults"] = budget_json(scenario.faults);
    json["witnesses"] = names_of(scenario.witnesses);
    json["bounds"] = bounds_json(scenario.bounds);
  } else {
    for (const auto& step : scenario.steps) json["steps"].push_back(step.text);
  }
  if (scenario.expect) json["expect"] = expectation_json(*scenario.expect);
  return json;
}

}  // namespace lockstep::scenarios
