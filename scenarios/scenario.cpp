// What a scenario means: its defaults, the model it stands for, and how a result compares with what
// it expects.
#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "scenarios/json_reader.hpp"
#include "scenarios/names.hpp"
#include "scenarios/suggest.hpp"
#include "sim/base/check.hpp"
#include "sim/base/error.hpp"
#include "sim/base/files.hpp"
#include "sim/base/near_miss.hpp"
#include "sim/base/path.hpp"
#include "sim/client/claims.hpp"
#include "sim/client/program.hpp"
#include "sim/model/invariants.hpp"

namespace lockstep::scenarios {

namespace {

constexpr std::uint64_t kDefaultMemoryBytes = std::uint64_t{4} << 30;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// A lock's key, and whether it is locked in shared mode.
using Lock = std::pair<std::string, bool>;

sim::WorkStep work_step(const RoleStep& step, const std::vector<Lock>& locks) {
  const bool calls = step.kind == sim::WorkStep::Kind::call;  // of the key, in either mode
  const auto at = std::ranges::find_if(locks, [&](const Lock& lock) {
    return lock.first == step.key && (calls || lock.second == step.shared);
  });
  const auto lock = at == locks.end() ? 0 : at - locks.begin();
  return {step.kind, static_cast<std::uint8_t>(lock), step.ms, step.method};
}

/// All locks that any role names, in order of appearance: the same list for every client, so that a
/// lock has one number.
std::vector<Lock> locks_of(const std::vector<Role>& roles) {
  std::vector<Lock> locks;
  for (const auto& role : roles)
    for (const auto& step : role.workload) {
      if (step.key.empty() || step.kind == sim::WorkStep::Kind::call) continue;
      if (Lock lock(step.key, step.shared); std::ranges::find(locks, lock) == locks.end())
        locks.push_back(std::move(lock));
    }
  return locks;
}

sim::ProcessSetup setup_for(const Scenario& scenario, const Role& role,
                            const std::vector<Lock>& locks) {
  sim::ProcessSetup setup;
  for (const auto& [key, shared] : locks) {
    setup.lock_keys.push_back(key);
    setup.shared.push_back(shared);
  }
  for (const auto& step : role.workload) setup.workload.push_back(work_step(step, locks));
  setup.rounds = role.rounds;
  setup.threads = role.threads;
  setup.lease_ms = role.lease_ms.value_or(scenario.lease_ms);
  setup.settings = role.settings;
  setup.nodes = scenario.nodes;
  setup.replicas = scenario.replicas;
  return setup;
}

/// The invariants of the scenario's own, if they are judged.
std::shared_ptr<const sim::OwnClaims> claims_of(const Scenario& scenario) {
  if (scenario.claims.empty() || !scenario.properties.contains(sim::Property::invariant))
    return nullptr;
  return std::make_shared<const sim::OwnClaims>(scenario.claims.generic_string(),
                                                sim::file_text(scenario.claims));
}

}  // namespace

const char* name(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return "holds";
    case Outcome::violated:
      return "violated";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::vacuous:
      return "vacuous";
  }
  sim::fail("an outcome without a name", __FILE__, __LINE__);
}

Outcome outcome_of(const checker::Result& result) {
  if (result.vacuous()) return Outcome::vacuous;
  switch (result.verdict) {
    case checker::Verdict::holds:
      return Outcome::holds;
    case checker::Verdict::violated:
      return Outcome::violated;
    case checker::Verdict::inconclusive:
      return Outcome::inconclusive;
  }
  sim::fail("a verdict without an outcome", __FILE__, __LINE__);
}

namespace {

/// Does the same in shared mode first.
void share_before(std::vector<RoleStep>& workload) {
  std::vector<RoleStep> shared = workload;
  for (auto& step : shared) step.shared = !step.key.empty();
  workload.insert(workload.begin(), shared.begin(), shared.end());
}

/// Takes over what the protocol says of the world that it is written for. What is wrong with it is
/// told when it is used.
void ask_protocol(Scenario& scenario) {
  if (scenario.folder.empty()) return;  // a scenario that is read without its protocol
  try {
    const auto text = sim::file_text(scenario.folder / "protocol.lua");
    const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
    if (!says("server") && !says("keyspace_events") && !says("tracking") && !says("nodes") &&
        !says("replicas") && !says("invariant") && !says("acquire_shared"))
      return;
    const sim::Program program(scenario.folder);
    scenario.server = program.server();
    if (program.keyspace_events() != 0) scenario.keyspace_events = program.keyspace_events();
    scenario.tracks = program.tracks();
    scenario.nodes = program.nodes();
    scenario.replicas = program.replicas();
    if (!program.invariants().empty()) scenario.properties.insert(sim::Property::invariant);
    if (program.has_shared_mode()) share_before(scenario.roles.front().workload);
  } catch (const sim::BadInput&) {
    // the protocol cannot be loaded
  }
}

}  // namespace

Scenario default_scenario(const std::string& protocol, const std::filesystem::path& folder) {
  Scenario scenario;
  scenario.name = protocol;
  scenario.protocol = protocol;
  scenario.folder = folder;
  scenario.roles = {{"client",
                     {{sim::WorkStep::Kind::lock, kDefaultKey, 0, false},
                      {sim::WorkStep::Kind::work, "", 3000, false},
                      {sim::WorkStep::Kind::unlock, kDefaultKey, 0, false}},
                     1,
                     1,
                     {},
                     {}}};
  scenario.clients = {0, 0};
  scenario.properties = sim::usual_properties();
  ask_protocol(scenario);
  scenario.witnesses = {sim::Witness::acquired};
  scenario.bounds.max_bytes = kDefaultMemoryBytes;
  return scenario;
}

std::filesystem::path invariants_file(const std::string& written,
                                      const std::filesystem::path& base) {
  auto file = (base / written).lexically_normal();
  if (sim::is_file(file)) return file;
  const auto beside = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::vector<std::string> files;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(beside, unreadable))
    if (auto name = entry.path().filename().string(); name.ends_with(".lua"))
      files.push_back(std::move(name));
  std::sort(files.begin(), files.end());
  throw sim::BadInput(fmt::format("no file {}{}", file.generic_string(),
                                  sim::near_miss_hint(file.filename().string(), files)));
}

RoleStep parse_role_step(const std::string& text, const JsonPlace& place) {
  using Kind = sim::WorkStep::Kind;
  static const std::vector<std::string> verbs{"lock",        "work",          "unlock", "sleep",
                                              "lock-shared", "unlock-shared", "call"};
  static const std::vector<Kind> kinds{Kind::lock, Kind::work,   Kind::unlock, Kind::sleep,
                                       Kind::lock, Kind::unlock, Kind::call};
  const auto words = words_of(text);
  const auto verb = std::find(verbs.begin(), verbs.end(), words.front());
  if (verb == verbs.end())
    place.fail(fmt::format("unknown workload step `{}`{}", words.front(),
                           suggestion(words.front(), verbs)));
  RoleStep step{kinds.at(static_cast<std::size_t>(verb - verbs.begin())), "", 0,
                verb->ends_with("-shared")};
  if (step.kind == Kind::lock || step.kind == Kind::unlock) {
    if (words.size() > 2 || words.back().empty())
      place.fail(fmt::format("found `{}`, expected `{}` or `{} KEY`", text, *verb, *verb));
    step.key = words.size() == 2 ? words[1] : kDefaultKey;
    return step;
  }
  if (step.kind == Kind::call) {
    if (words.size() < 2 || words.size() > 3 || words.back().empty())
      place.fail(fmt::format("found `{}`, expected `call FUNCTION` or `call FUNCTION KEY`", text));
    step.method = words[1];
    step.key = words.size() == 3 ? words[2] : kDefaultKey;
    return step;
  }
  const auto& number = words.back();
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), step.ms);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == number.data() + number.size();
  if (words.size() != 2 || !whole || step.ms < 0 || step.ms > kLongestMs)
    place.fail(fmt::format("found `{}`, expected `{} MILLISECONDS`", text, *verb));
  return step;
}

std::string written(const RoleStep& step) {
  const auto which = (step.shared ? std::string("-shared") : std::string()) +
                     (step.key == kDefaultKey ? std::string() : " " + step.key);
  switch (step.kind) {
    case sim::WorkStep::Kind::lock:
      return "lock" + which;
    case sim::WorkStep::Kind::unlock:
      return "unlock" + which;
    case sim::WorkStep::Kind::work:
      return fmt::format("work {}", step.ms);
    case sim::WorkStep::Kind::sleep:
      return fmt::format("sleep {}", step.ms);
    case sim::WorkStep::Kind::call:
      return "call " + step.method + which;
  }
  sim::fail("a workload step without a name", __FILE__, __LINE__);
}

/// By more than a lease, after which nothing is as it was, and by less.
std::vector<std::int64_t> usual_jumps_ms(std::int64_t lease_ms) {
  const std::int64_t far = 2 * lease_ms, near = std::max<std::int64_t>(1, lease_ms / 2);
  return {far, -far, near, -near};
}

namespace {

std::string place_of(const Scenario& scenario) {
  return scenario.file.empty() ? scenario.name : scenario.file;
}

/// What is said of a clock that is nobody's is a mistake.
void refuse_other_clocks(const Scenario& scenario, const sim::Model& model) {
  const std::size_t nodes = sim::servers_of(model).count();
  const auto refuse = [&](const char* what, const std::vector<std::int64_t>& said,
                          std::size_t owners, const char* whose) {
    if (said.size() > owners)
      throw sim::BadInput(fmt::format("{}: {}: there are {} numbers, but {} {}{}",
                                      place_of(scenario), what, said.size(), owners, whose,
                                      owners == 1 ? "" : "s"));
  };
  const std::size_t clients = model.processes.size();
  refuse("clocks_ms (--clock-ms)", model.clocks_ms, clients, "client");
  refuse("node_clocks_ms (--node-clock-ms)", model.node_clocks_ms, nodes, "node");
  refuse("drifts_ppm (--drift-ppm)", model.drifts_ppm, clients, "client");
  refuse("node_drifts_ppm (--node-drift-ppm)", model.node_drifts_ppm, nodes, "node");
}

/// A mode, or a setting, that the protocol does not have.
void refuse_what_it_has_not(const Scenario& scenario, const sim::Program& program) {
  const auto refuse = [&](const Role& role, const std::string& why) {
    throw sim::BadInput(fmt::format("{}: role `{}`: {}", place_of(scenario), role.name, why));
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : program.settings()) names.push_back(name);
  const auto locks = locks_of(scenario.roles);
  const auto check_call = [&](const RoleStep& step, const Role& role) {
    const auto methods = program.methods();
    if (std::ranges::find(methods, step.method) == methods.end())
      refuse(role,
             fmt::format("`{}`: the protocol has no function `{}` of its own{}", written(step),
                         step.method, sim::near_miss_hint(step.method, methods)));
    if (std::ranges::none_of(locks, [&](const Lock& lock) { return lock.first == step.key; }))
      refuse(role, fmt::format("`{}`: nobody locks `{}`", written(step), step.key));
  };
  for (const auto& role : scenario.roles) {
    for (const auto& step : role.workload) {
      if (step.shared && !program.has_shared_mode())
        refuse(role, fmt::format("`{}`: the protocol has no acquire_shared() and release_shared()",
                                 written(step)));
      if (step.kind == sim::WorkStep::Kind::call) check_call(step, role);
    }
    for (const auto& [name, value] : role.settings) {
      const auto declared = program.settings().find(name);
      if (declared == program.settings().end())
        refuse(role, fmt::format("the protocol has no setting `{}`{}", name,
                                 sim::near_miss_hint(name, names)));
      if (declared->second.index() != value.index())
        refuse(role, fmt::format("the setting `{}` is {}; expected one like {}", name,
                                 sim::worded(value), sim::worded(declared->second)));
    }
  }
}

/// What is not simulated where slots migrate (docs/semantics.md, section 8).
template <class Refuse>
void refuse_beside_migration(const Scenario& scenario, const sim::Model& model,
                             const Refuse& refuse) {
  constexpr int kMostMigrations = 2;
  const auto budget = [&](sim::Fault fault) {
    return model.budget[static_cast<std::size_t>(fault)];
  };
  if (!scenario.cluster)
    refuse("the fault `migrate` needs a cluster: --cluster, or \"cluster\": true");
  if (budget(sim::Fault::migrate) > kMostMigrations)
    refuse(fmt::format("at most {} slot migrations (`migrate`) are simulated", kMostMigrations));
  if (scenario.server != sim::ServerVersion::redis_7_0)
    refuse(fmt::format("slots that migrate are simulated as of redis-7.0, not as of {}",
                       name(scenario.server)));
  if (model.program && model.program->shared_connection())
    refuse("slots that migrate are not simulated where all threads share a connection");
  if (sim::clocks_drift(model))
    refuse("slots that migrate are not simulated beside drifting clocks");
  for (const sim::Fault fault :
       {sim::Fault::node_crash, sim::Fault::power_loss, sim::Fault::freeze, sim::Fault::oom})
    if (budget(fault) > 0)
      refuse(
          fmt::format("slots that migrate are not simulated beside the fault `{}`", name(fault)));
}

/// What is not simulated together (docs/semantics.md, sections 3, 7 and 8), or cannot be.
void refuse_unsimulated(const Scenario& scenario, const sim::Model& model) {
  const auto refuse = [&](const std::string& why) {
    throw sim::BadInput(fmt::format("{}: {}", place_of(scenario), why));
  };
  const auto budget = [&](sim::Fault fault) {
    return model.budget[static_cast<std::size_t>(fault)];
  };
  for (const sim::Fault fault : sim::kFaults)
    if (row(fault).of_replicas && scenario.replicas == 0 && budget(fault) > 0)
      refuse(fmt::format("the fault `{}` needs replicas: --replicas 1, or \"replicas\": 1",
                         name(fault)));
  if (budget(sim::Fault::freeze) > 0 && sim::clocks_drift(model))
    refuse("a clock that stands still (`freeze`) is not simulated beside clocks that drift");
  if (model.keyspace_events != 0 && (scenario.replicas > 0 || scenario.cluster))
    refuse("keyspace events are not simulated with replicas, nor in a cluster; nor is tracking");
  if (budget(sim::Fault::migrate) > 0) refuse_beside_migration(scenario, model, refuse);
  if (scenario.min_replicas > scenario.replicas)
    refuse(fmt::format("min_replicas is {}, but a node has {} replicas: it would never write",
                       scenario.min_replicas, scenario.replicas));
  if (scenario.replicas == 0) return;
  const int servers = scenario.nodes * (1 + scenario.replicas);
  if (servers > sim::kMaxNodes)
    refuse(
        fmt::format("{} nodes with {} replicas each are {} servers, but at most {} are simulated",
                    scenario.nodes, scenario.replicas, servers, sim::kMaxNodes));
  if (sim::clocks_drift(model)) refuse("clocks that drift are not simulated with replicas");
  if (budget(sim::Fault::freeze) > 0 && budget(sim::Fault::failover) > 0)
    refuse("a clock that stands still (`freeze`) is not simulated beside `failover`");
  if (budget(sim::Fault::freeze) > 0 && model.properties.contains(sim::Property::invariant))
    refuse("with replicas, an invariant is not judged beside a clock that stands still (`freeze`)");
  if (scenario.cluster)
    refuse("replicas of a cluster's node (MOVED) are not simulated: `cluster` or `replicas`");
  const bool back = std::ranges::any_of(model.jumps_ms, [](std::int64_t ms) { return ms < 0; });
  if (!back || budget(sim::Fault::jump) == 0) return;
  for (const sim::Fault fault : {sim::Fault::lag, sim::Fault::node_crash, sim::Fault::power_loss})
    if (budget(fault) > 0)
      refuse(
          fmt::format("with replicas, clocks that jump back are not simulated beside `{}`: give "
                      "jump sizes above 0 (--jump-ms)",
                      name(fault)));
}

}  // namespace

sim::Model model_of(const Scenario& scenario, std::shared_ptr<const sim::Program> program) {
  sim::Model model;
  model.program = std::move(program);
  const auto locks = locks_of(scenario.roles);
  for (const auto index : scenario.clients)
    model.processes.push_back(setup_for(scenario, scenario.roles.at(index), locks));
  if (model.program) refuse_what_it_has_not(scenario, *model.program);
  model.server = scenario.server;
  model.keyspace_events = scenario.keyspace_events.value_or(0);
  if (scenario.tracks) model.keyspace_events |= sim::kInvalidations;
  model.cluster = scenario.cluster;
  if (scenario.cluster && scenario.nodes > 1)
    throw sim::BadInput(
        fmt::format("{}: a cluster is simulated as one master with all slots, not as {} nodes",
                    place_of(scenario), scenario.nodes));
  model.draw_seed = scenario.draw_seed;
  model.persistence = scenario.persistence;
  model.maxmemory_policy = scenario.maxmemory_policy;
  model.resource = scenario.resource;
  model.budget = scenario.faults;
  model.jumps_ms = scenario.jumps_ms;
  if (model.jumps_ms.empty()) model.jumps_ms = usual_jumps_ms(scenario.lease_ms);
  model.request_timeout_ms = scenario.request_timeout_ms;
  model.pause_max_ms = scenario.pause_max_ms;
  model.latency_ms = scenario.latency_ms;
  model.min_replicas = scenario.min_replicas;
  model.restart_after_ms = scenario.restart_after_ms;
  model.clocks_ms = scenario.clocks_ms;
  model.node_clocks_ms = scenario.node_clocks_ms;
  model.drifts_ppm = scenario.drifts_ppm;
  model.node_drifts_ppm = scenario.node_drifts_ppm;
  model.distinct_micros = scenario.distinct_micros;
  refuse_other_clocks(scenario, model);
  refuse_unsimulated(scenario, model);
  const int quorum = model.program ? model.program->quorum(scenario.nodes) : 1;
  if (quorum > scenario.nodes)
    throw sim::BadInput(fmt::format(
        "{}: the protocol needs a quorum of {}, but there {}", place_of(scenario), quorum,
        scenario.nodes == 1 ? "is 1 node" : fmt::format("are {} nodes", scenario.nodes)));
  model.properties = scenario.properties;
  model.claims = claims_of(scenario);
  if (model.properties.contains(sim::Property::invariant) && !sim::states_invariants(model))
    throw sim::BadInput(
        fmt::format("{}: the property `invariant` is asked for, but {} states none, and no file of "
                    "`invariants` is named",
                    place_of(scenario), (scenario.folder / "protocol.lua").generic_string()));
  model.waits_ms = scenario.waits_ms;
  model.waits_after = scenario.waits_after;
  if (model.properties.contains(sim::Property::waits) && model.waits_ms == 0)
    throw sim::BadInput(
        fmt::format("{}: the property `waits` is asked for, but not how long: `waits` of a "
                    "scenario, or --waits-ms",
                    place_of(scenario)));
  model.overtakes = scenario.overtakes;
  if (model.properties.contains(sim::Property::fairness) && !model.overtakes)
    throw sim::BadInput(
        fmt::format("{}: the property `fairness` is asked for, but not how often others may go "
                    "first: `overtakes` of a scenario, or --overtakes",
                    place_of(scenario)));
  model.witnesses = scenario.witnesses;
  return model;
}

std::optional<std::string> difference(const Expectation& expect, const checker::Result& result) {
  const auto outcome = outcome_of(result);
  if (outcome != expect.outcome)
    return fmt::format("expected {}, found {}", name(expect.outcome), name(outcome));
  if (expect.property && result.property != expect.property)
    return fmt::format("expected {} to be violated, found {}", name(*expect.property),
                       name(result.property.value()));
  if (expect.steps && result.schedule.size() != *expect.steps)
    return fmt::format("expected {} steps, found {}", *expect.steps, result.schedule.size());
  return std::nullopt;
}

}  // namespace lockstep::scenarios
