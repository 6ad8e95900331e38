// See the header.
#include "checker/slack.hpp"

#include <algorithm>

#include "checker/explorer.hpp"
#include "sim/base/check.hpp"

namespace lockstep::checker {

namespace {

constexpr std::uint64_t kMostStates = 400'000;  // of all searches together

/// Between what no run comes below and what some run comes to: where to look next. The upper end is
/// looked at first, for nearly always that is it.
std::int64_t between(std::int64_t floor_ms, std::int64_t least_ms, std::int64_t tick_ms) {
  const std::int64_t ticks = (least_ms - floor_ms) / tick_ms;
  return std::min(least_ms, floor_ms + std::max<std::int64_t>(1, (ticks + 1) / 2) * tick_ms);
}

}  // namespace

void settle_slack(const sim::Model& model, Result& result, Bounds bounds,
                  const Progress& progress) {
  sim::Slack& slack = result.slack;
  if (result.verdict != Verdict::holds || !slack.least_ms || !result.time_gap.empty()) return;
  std::uint64_t states = result.statistics.states;
  if (bounds.max_states == 0 || bounds.max_states > kMostStates) bounds.max_states = kMostStates;
  std::int64_t floor_ms = 0;
  for (std::int64_t asked_ms = *slack.least_ms; !slack.exact && states <= kMostStates;
       asked_ms = between(floor_ms, *slack.least_ms, model.tick_ms)) {
    const Result closer = explore(model, bounds, progress, {asked_ms});
    if (closer.verdict == Verdict::violated)
      throw sim::InternalError("what held is violated where more points of time are tried");
    if (closer.verdict != Verdict::holds) return;
    states += closer.statistics.states;
    slack.least_ms = std::min(slack.least_ms, closer.slack.least_ms);
    if (closer.slack.least_ms >= asked_ms) floor_ms = asked_ms;  // no run comes closer than that
    slack.exact = *slack.least_ms <= 0 || floor_ms >= *slack.least_ms;
  }
}

}  // namespace lockstep::checker
