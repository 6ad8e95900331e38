// Which actions no real server can be made to do; see the header.
#include "live/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace lockstep::live {

namespace {

const char* obstacle(sim::Action::Kind kind, bool own_server) {
  const auto& about = row(kind);
  if (about.live == sim::OnRealServer::if_own && !own_server)
    return "only a server that lockstep has started may be crashed: leave out --redis";
  return about.why_never_live;
}

bool mentions_time_of_day(std::string argument) {
  std::transform(argument.begin(), argument.end(), argument.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const char* word : {"EXAT", "PXAT", "EXPIREAT", "TIME"})  // scripts are arguments, too
    if (argument.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

bool asks_time_of_day(const Plan& plan) {
  for (const auto& step : plan.steps)
    for (const auto& effect : step.effects)
      if (std::any_of(effect.request.begin(), effect.request.end(), mentions_time_of_day))
        return true;
  return false;
}

std::optional<std::string> not_reproducible(const Plan& plan, bool own_server) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (const auto* why = obstacle(plan.steps[i].action.kind, own_server))
      return fmt::format("step {}: {}", i + 1, why);
  return std::nullopt;
}

}  // namespace lockstep::live
