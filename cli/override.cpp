// Flags that override what a scenario says.
#include <fmt/format.h>

#include <charconv>
#include <string>
#include <variant>

#include "cli/arguments.hpp"
#include "scenarios/names.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/error.hpp"
#include "sim/client/program.hpp"
#include "sim/keyspace/numbers.hpp"

namespace lockstep::cli {

namespace {

using scenarios::names_of;
using scenarios::Scenario;

std::int64_t within(const char* flag, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    throw sim::BadInput(fmt::format("{}: found {}, expected {} to {}", flag, value, least, most));
  return value;
}

/// The value that `word` names.
template <class Values>
auto named(const char* flag, const std::string& word, const Values& values) {
  for (const auto value : values)
    if (word == name(value)) return value;
  throw sim::BadInput(
      fmt::format("{}: unknown `{}`{}", flag, word, scenarios::suggestion(word, names_of(values))));
}

void set_fault(const std::string& word, sim::Budget& budget) {
  const auto equals = word.find('=');
  const auto fault = named("--fault", word.substr(0, equals), sim::kFaults);
  const auto count = equals == std::string::npos ? std::string("1") : word.substr(equals + 1);
  std::int64_t number = 0;
  const auto parsed = std::from_chars(count.data(), count.data() + count.size(), number);
  if (count.empty() || parsed.ec != std::errc{} || parsed.ptr != count.data() + count.size())
    throw sim::BadInput(fmt::format("--fault: found `{}`, expected NAME=NUMBER", word));
  budget.at(static_cast<std::size_t>(fault)) =
      static_cast<std::uint8_t>(within("--fault", number, 0, 100));
}

std::uint64_t drawn(std::int64_t seed) {
  return static_cast<std::uint64_t>(within("--draw-seed", seed, 0, INT64_MAX));
}

void set_clients(int clients, Scenario& scenario) {
  if (scenario.roles.size() > 1)
    throw sim::BadInput(
        "--clients: this scenario gives its clients different roles; change the file instead");
  scenario.clients.assign(
      static_cast<std::size_t>(within("--clients", clients, 1, scenarios::kMostClients)), 0);
}

void set_workload(const ModelFlags& flags, Scenario& scenario) {
  for (auto& role : scenario.roles) {
    if (flags.rounds) role.rounds = static_cast<int>(within("--rounds", *flags.rounds, 1, 100));
    if (!flags.work_ms) continue;
    for (auto& step : role.workload)
      if (step.kind == sim::WorkStep::Kind::work)
        step.ms = within("--work-ms", *flags.work_ms, 0, scenarios::kLongestMs);
  }
}

/// true, false, a whole number, or a text: whether the protocol has such a setting is looked at
/// with the scenario's own.
sim::SettingValue setting_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const auto number = sim::parse_integer(text);
  return number ? sim::SettingValue(*number) : sim::SettingValue(text);
}

/// What looks like a number is a text where the protocol declares one.
void set_settings(const std::vector<std::string>& settings, Scenario& scenario) {
  if (settings.empty()) return;
  const sim::Settings declared = sim::Program(scenario.folder).settings();
  const auto is_text = [&](const std::string& name) {
    const auto found = declared.find(name);
    return found != declared.end() && std::holds_alternative<std::string>(found->second);
  };
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw sim::BadInput(
          fmt::format("--set: found `{}`, expected NAME=VALUE, such as version=2", setting));
    const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
    for (auto& role : scenario.roles)
      role.settings[name] = is_text(name) ? sim::SettingValue(value) : setting_value(value);
  }
}

void set_times(const ModelFlags& flags, Scenario& scenario) {
  constexpr auto longest = scenarios::kLongestMs;
  if (flags.lease_ms) scenario.lease_ms = within("--lease-ms", *flags.lease_ms, 1, longest);
  if (flags.request_timeout_ms)
    scenario.request_timeout_ms =
        within("--request-timeout-ms", *flags.request_timeout_ms, 0, longest);
  if (flags.pause_max_ms)
    scenario.pause_max_ms = within("--pause-max-ms", *flags.pause_max_ms, 0, longest);
  if (flags.latency_ms) scenario.latency_ms = within("--latency-ms", *flags.latency_ms, 0, longest);
  if (flags.restart_after_ms)
    scenario.restart_after_ms = within("--restart-after-ms", *flags.restart_after_ms, 0, longest);
  if (!flags.jumps_ms.empty()) scenario.jumps_ms = flags.jumps_ms;
  for (const auto clock : flags.clocks_ms) within("--clock-ms", clock, -longest, longest);
  for (const auto clock : flags.node_clocks_ms) within("--node-clock-ms", clock, -longest, longest);
  constexpr auto most = scenarios::kMostPpm;
  for (const auto drift : flags.drifts_ppm) within("--drift-ppm", drift, -most, most);
  for (const auto drift : flags.node_drifts_ppm) within("--node-drift-ppm", drift, -most, most);
  if (!flags.drifts_ppm.empty()) scenario.drifts_ppm = flags.drifts_ppm;
  if (!flags.node_drifts_ppm.empty()) scenario.node_drifts_ppm = flags.node_drifts_ppm;
  if (!flags.clocks_ms.empty()) scenario.clocks_ms = flags.clocks_ms;
  if (!flags.node_clocks_ms.empty()) scenario.node_clocks_ms = flags.node_clocks_ms;
  for (const auto jump : flags.jumps_ms)
    if (within("--jump-ms", jump, -longest, longest) == 0)
      throw sim::BadInput("--jump-ms: a jump of 0 ms is none");
}

void set_invariants(const std::string& file, Scenario& scenario) {
  scenario.invariants = file;
  try {
    scenario.claims = scenarios::invariants_file(file, {});
  } catch (const sim::BadInput& error) {
    throw sim::BadInput(fmt::format("--invariants: {}", error.what()));
  }
  scenario.properties.insert(sim::Property::invariant);
}

}  // namespace

void apply(const ModelFlags& flags, Scenario& scenario) {
  if (!flags.any()) return;
  if (scenario.kind == scenarios::ScenarioKind::schedule)
    throw sim::BadInput(fmt::format(
        "{}: a schedule says in its steps what happens; flags that change the world do not fit it",
        scenario.name));
  if (flags.clients) set_clients(*flags.clients, scenario);
  if (flags.nodes)
    scenario.nodes = static_cast<int>(within("--nodes", *flags.nodes, 1, sim::kMaxNodes));
  if (flags.replicas)
    scenario.replicas =
        static_cast<int>(within("--replicas", *flags.replicas, 0, sim::kMaxNodes - 1));
  if (flags.min_replicas)
    scenario.min_replicas =
        static_cast<int>(within("--min-replicas", *flags.min_replicas, 0, sim::kMaxNodes - 1));
  set_workload(flags, scenario);
  set_settings(flags.settings, scenario);
  set_times(flags, scenario);
  if (!flags.faults.empty()) scenario.faults = {};
  for (const auto& fault : flags.faults) set_fault(fault, scenario.faults);
  if (!flags.properties.empty()) scenario.properties.clear();
  for (const auto& property : flags.properties)
    scenario.properties.insert(named("--property", property, sim::kProperties));
  if (flags.invariants) set_invariants(*flags.invariants, scenario);
  if (flags.waits_ms) {
    scenario.waits_ms = within("--waits-ms", *flags.waits_ms, 1, scenarios::kLongestMs);
    scenario.properties.insert(sim::Property::waits);
  }
  if (flags.waits_after) {
    if (scenario.waits_ms == 0)
      throw sim::BadInput("--waits-after: says nothing without --waits-ms");
    scenario.waits_after = named("--waits-after", *flags.waits_after, sim::kWaitsAfter);
  }
  if (flags.overtakes) {
    scenario.overtakes = static_cast<unsigned>(
        within("--overtakes", *flags.overtakes, 0, scenarios::kMostOvertakes));
    scenario.properties.insert(sim::Property::fairness);
  }
  if (flags.resource) scenario.resource = named("--resource", *flags.resource, sim::kResources);
  if (flags.server) scenario.server = server_version(*flags.server);
  if (flags.keyspace_events) scenario.keyspace_events = keyspace_events(*flags.keyspace_events);
  if (flags.cluster) scenario.cluster = true;
  if (flags.draw_seed) scenario.draw_seed = drawn(*flags.draw_seed);
  if (flags.persistence)
    scenario.persistence = named("--persistence", *flags.persistence, sim::kPersistences);
  if (flags.maxmemory_policy)
    scenario.maxmemory_policy =
        named("--maxmemory-policy", *flags.maxmemory_policy, sim::kMaxmemoryPolicies);
  scenario.expect.reset();
}

sim::KeyspaceEvents keyspace_events(const std::string& given) {
  const auto events = sim::parse_keyspace_events(given == "none" ? "" : given);
  if (!events)
    throw sim::BadInput(
        fmt::format("--keyspace-events {}: expected letters of {}, such as Ex "
                    "(notify-keyspace-events), or none",
                    given, sim::kKeyspaceEventLetters));
  return *events;
}

sim::ServerVersion server_version(const std::string& given) {
  return named("--server", given, sim::kServerVersions);
}

sim::ServerMode server_mode(const std::string& server, std::int64_t draw_seed) {
  return {.version = server_version(server), .draw_seed = drawn(draw_seed)};
}

void apply(const BoundFlags& flags, Scenario& scenario) {
  constexpr std::int64_t kStatesAtMost = 1'000'000'000'000, kMegabytesAtMost = 1 << 20;
  constexpr double kSecondsAtMost = 1e9;
  const auto bound = [](const char* flag, std::int64_t value, std::int64_t most) {
    return static_cast<std::uint64_t>(within(flag, value, 1, most));
  };
  if (flags.max_states)
    scenario.bounds.max_states = bound("--max-states", *flags.max_states, kStatesAtMost);
  if (flags.max_memory_mb)
    scenario.bounds.max_bytes = bound("--max-memory", *flags.max_memory_mb, kMegabytesAtMost) << 20;
  if (!flags.max_seconds) return;
  const double seconds = *flags.max_seconds;
  if (!(seconds > 0 && seconds <= kSecondsAtMost))
    throw sim::BadInput(fmt::format(
        "--max-seconds: found {}, expected more than 0, and at most 1000000000", seconds));
  scenario.bounds.max_seconds = seconds;
}

}  // namespace lockstep::cli
