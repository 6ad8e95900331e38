// Which actions no real server can be made to do; see the header.
#include "live/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::live {

namespace {

const char* obstacle(sim::Action::Kind kind, bool own_server) {
  switch (kind) {
    case sim::Action::Kind::jump_node:
      return "a real server's clock cannot be made to jump";
    case sim::Action::Kind::power_loss:
      return "the power of a real machine cannot be cut";
    case sim::Action::Kind::node_crash:
    case sim::Action::Kind::node_restart:
    case sim::Action::Kind::save:
      return own_server
                 ? nullptr
                 : "only a server that lockstep has started may be crashed: leave out --redis";
    default:
      return nullptr;
  }
}

}  // namespace

bool looks_at_time(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.looked_at_time; });
}

std::optional<std::string> not_reproducible(const Plan& plan, bool own_server) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (const auto* why = obstacle(plan.steps[i].action.kind, own_server))
      return fmt::format("step {}: {}", i + 1, why);
  return std::nullopt;
}

}  // namespace lockstep::live
