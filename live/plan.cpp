// Which actions no real server can be made to do; see the header.
#include "live/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "sim/base/token.hpp"
#include "sim/client/servers.hpp"
#include "sim/redis/commands/cluster.hpp"
#include "sim/redis/commands/wait.hpp"

namespace lockstep::live {

namespace {

const char* obstacle(sim::Action::Kind kind, bool own_server) {
  const auto& about = row(kind);
  if (about.live == sim::OnRealServer::if_own && !own_server)
    return "only a server that lockstep has started may be crashed: leave out --redis";
  return about.why_never_live;
}

}  // namespace

bool looks_at_time(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.looked_at_time; });
}

std::vector<sim::Request> requests_of(const Plan& plan) {
  std::vector<sim::Request> requests;
  for (const auto& step : plan.steps)
    for (const auto& effect : step.effects)
      if (effect.kind == sim::Effect::Kind::send && effect.node != sim::kResource)
        requests.push_back(effect.request);
  return requests;
}

bool has_waits(const Plan& plan) {
  return std::ranges::any_of(requests_of(plan), [](const sim::Request& request) {
    return sim::replica_wait(request).has_value();
  });
}

bool has_listeners(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const PlanStep& step) {
    return std::ranges::any_of(step.effects,
                               [](const sim::Effect& effect) { return effect.subscribes; });
  });
}

namespace {

/// Whether the slot of a key hangs on a token, which is another one on a real server.
bool is_anywhere(const std::string& key) {
  return !sim::scan_tokens(sim::hashed_part(key)).tokens.empty();
}

bool has_keys_anywhere(const Plan& plan) {
  const auto sent = requests_of(plan);
  return std::ranges::any_of(sent, [](const sim::Request& request) {
    return std::ranges::any_of(sim::key_names_of(request), is_anywhere);
  });
}

/// The first step at which a replica that lags is counted no more, from 0.
std::optional<std::size_t> silence_in(const Plan& plan) {
  using Kind = sim::Action::Kind;
  std::set<std::uint8_t> lagging;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const sim::Action& action = plan.steps[i].action;
    if (action.kind == Kind::miss && lagging.contains(action.node)) return i;
    if (action.kind == Kind::lag) lagging.insert(action.node);
    if (action.kind == Kind::failover || action.kind == Kind::follow) lagging.erase(action.node);
  }
  return std::nullopt;
}

/// The first step at which a replica begins to lag while its master serves who waits for a key.
std::optional<std::size_t> lag_while_serving_in(const Plan& plan) {
  for (std::size_t i = 1; i < plan.steps.size(); ++i)
    if (plan.steps[i].action.kind == sim::Action::Kind::lag && plan.steps[i - 1].serves) return i;
  return std::nullopt;
}

}  // namespace

bool has_ends(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const PlanStep& step) {
    return std::ranges::any_of(step.keys, [](const sim::VisibleKeys& server) {
      return std::ranges::any_of(server, [](const auto& key) { return key.second.left_ms == 0; });
    });
  });
}

std::optional<std::string> not_reproducible(const Plan& plan, bool own_server) {
  if (plan.model.min_replicas > 0 && has_waits(plan))
    return "a real master's WAIT may count a replica that has left it, if min-replicas-to-write "
           "does";
  if (sim::servers_of(plan.model).spare > 0 && has_keys_anywhere(plan))
    return "a key is named by a token: on a real server it is in another slot";
  const auto& clocks = plan.model.node_clocks_ms;
  if (std::any_of(clocks.begin(), clocks.end(), [](auto ahead_ms) { return ahead_ms != 0; }))
    return "a real server's clock cannot be set";
  if (sim::clocks_drift(plan.model)) return "a real clock cannot be made to drift";
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (const auto* why = obstacle(plan.steps[i].action.kind, own_server))
      return fmt::format("step {}: {}", i + 1, why);
  if (const auto step = silence_in(plan))
    return fmt::format("step {}: a replica's acknowledgements cannot be held back", *step + 1);
  if (const auto step = lag_while_serving_in(plan))
    return fmt::format(
        "step {}: what brings a key and who is served of it leave a real master at once",
        *step + 1);
  return std::nullopt;
}

}  // namespace lockstep::live
