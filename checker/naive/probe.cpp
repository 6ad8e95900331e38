// The probe for deadlock: could a fresh process, alone in this world and without faults, ever
// acquire the lock?
#include <algorithm>

#include "checker/naive/world.hpp"
#include "sim/base/check.hpp"

namespace lockstep::checker::naive {

using sim::Action;

namespace {

constexpr int kRounds = 1'000'000;   // "calls acquire() again and again"
constexpr int kMostCalls = 50;       // refused so often, alone: it will never acquire
constexpr int kMostSteps = 100'000;  // then the probe is given up
constexpr int kMostStepsWithoutHope =
    100;  // while no key on a node will expire: it will never acquire

constexpr std::int64_t kNoTime = 0;

bool own(const Action& action, std::uint8_t fresh) {
  switch (action.kind) {
    case Action::Kind::begin:
    case Action::Kind::run:
    case Action::Kind::execute:
    case Action::Kind::deliver:
    case Action::Kind::timer:
      return action.process == fresh;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::int64_t> Rules::next_node_deadline(const World& world) const {
  World nodes_alone = world;
  nodes_alone.processes.clear();
  nodes_alone.outlook_ms = 0;
  const std::set<std::int64_t> ahead = deadlines(nodes_alone);
  return ahead.empty() ? std::nullopt : std::optional(*ahead.begin());
}

Rules::Probe Rules::probe(const World& world, const std::string& lock_key) {
  const auto fresh = static_cast<std::uint8_t>(model_.processes.size());
  std::unique_ptr<Rules>& rules = probes_[lock_key];
  if (!rules) {
    const auto like =
        std::find_if(model_.processes.begin(), model_.processes.end(), [&](const auto& setup) {
          return std::find(setup.lock_keys.begin(), setup.lock_keys.end(), lock_key) !=
                 setup.lock_keys.end();
        });
    LOCKSTEP_CHECK(like != model_.processes.end());
    sim::Model model = model_;
    model.properties.clear();
    model.processes.push_back(*like);
    model.processes.back().lock_keys = {lock_key};
    model.processes.back().workload = {sim::WorkStep{sim::WorkStep::Kind::lock, 0, 0}};
    model.processes.back().rounds = kRounds;
    model.processes.back().threads = 1;
    model.merges_tokens = true;  // it may poll for thousands of steps, with a token each
    rules = std::make_unique<Rules>(model, Memory::boundary);
  }
  // Nothing of the others can reach it but what they have left on the nodes.
  World alone = world;
  alone.budget = {};
  for (Process& process : alone.processes) process = Process{};
  rules->incarnate(alone.processes.emplace_back(), rules->model().processes.back());
  const auto [known, fresh_world] = rules->probed_.try_emplace(identity(alone));
  if (fresh_world) known->second = rules->probe_alone(std::move(alone), fresh);
  return known->second;
}

/// How long the probe waits for what no deadline of a node tells.
std::int64_t Rules::patience_ms() const {
  std::int64_t ms = model_.request_timeout_ms + model_.tick_ms;
  std::int64_t longest_lease_ms = 0;
  for (const sim::ProcessSetup& setup : model_.processes) {
    longest_lease_ms = std::max(longest_lease_ms, setup.lease_ms);
  }
  for (const std::int64_t literal : model_.program->literals()) ms += literal;
  return rounded_up(ms + longest_lease_ms);
}

/// How much time passes where the call was refused (`resting`), sleeps or polls; nothing if it has
/// failed, 0 if nothing but asking again can help. In an absolute run it comes out of the patience.
std::optional<std::int64_t> Rules::probe_wait_ms(const World& world, std::uint8_t fresh,
                                                 bool resting,
                                                 std::int64_t& patience_left_ms) const {
  std::optional<std::int64_t> wait_ms = next_node_deadline(world);
  const bool patient = world.absolute && !wait_ms;
  if (resting && !wait_ms && !patient) return std::nullopt;
  if (patient && patience_left_ms == 0) return resting ? std::nullopt : std::optional(kNoTime);
  for (const auto& [task, state] : world.processes[fresh].tasks) {
    if (!resting && state.timer_ms) {
      wait_ms = std::min(wait_ms.value_or(*state.timer_ms), *state.timer_ms);
    }
  }
  if (!patient) return wait_ms.value_or(0);
  if (!wait_ms) wait_ms = patience_left_ms;
  patience_left_ms = std::max<std::int64_t>(0, patience_left_ms - *wait_ms);
  return wait_ms;
}

/// Runs on the rules of the probe's own model. Where choose() has a say, its first value is taken.
Rules::Probe Rules::probe_alone(World world, std::uint8_t fresh) {
  bool refused = false;  // the last call, and no time has passed since
  std::int64_t patience_left_ms = patience_ms();
  int calls = 0;
  int steps_without_hope = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    std::vector<Action> actions = enabled(world);
    std::erase_if(actions, [&](const Action& action) { return !own(action, fresh); });
    const auto pressing = std::find_if(actions.begin(), actions.end(),
                                       [&](const Action& action) { return urgent(world, action); });
    const bool resting = world.processes[fresh].waits.front().kind == sim::Wait::Kind::idle;
    const bool hope =
        (world.absolute && patience_left_ms > 0) || next_node_deadline(world).has_value();
    steps_without_hope = hope ? 0 : steps_without_hope + 1;
    if (steps_without_hope > kMostStepsWithoutHope || calls > kMostCalls) return Probe::fails;

    if (pressing == actions.end() && (!resting || refused)) {
      const std::optional<std::int64_t> wait_ms =
          probe_wait_ms(world, fresh, resting, patience_left_ms);
      if (!wait_ms) return Probe::fails;
      if (*wait_ms > 0) {
        Facts ignored;
        pass(world, *wait_ms, ignored);
        refused = false;
        continue;
      }
    }
    if (actions.empty()) return Probe::fails;
    const Action next = pressing != actions.end() ? *pressing : actions.front();
    if (next.kind == Action::Kind::begin) ++calls;
    Outcome outcome = std::move(outcomes(world, next).front());
    if (outcome.facts.witnesses.contains(sim::Witness::acquired)) return Probe::acquires;
    world = std::move(outcome.world);
    const bool in_call = !resting || next.kind == Action::Kind::begin;
    if (in_call && world.processes[fresh].waits.front().kind == sim::Wait::Kind::idle)
      refused = true;
  }
  return Probe::endless;
}

}  // namespace lockstep::checker::naive
