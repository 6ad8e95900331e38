// Counterexamples as plans of live replays, and replays of them on servers of our own.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "checker/explorer.hpp"
#include "checker/trace/rescale.hpp"
#include "checker/trace/trace.hpp"
#include "live/replay.hpp"
#include "sim/redis/reply.hpp"

namespace lockstep::test {

/// The plan of a run.
inline live::Plan plan_of(const sim::Model& model, const checker::Trace& trace) {
  live::Plan plan;
  plan.model = model;
  for (const auto& [data, prose] : trace.steps)
    plan.steps.push_back({data.action, data.effects, data.departures, data.connection, data.reply,
                          data.looked_at_time, data.looked_at_clock, data.keys});
  plan.violated = trace.violated;
  return plan;
}

/// A shortest run that violates the only property of `model`, with a lease of a second.
inline live::Plan plan_of(const sim::Model& model) {
  const auto found = checker::explore(model, {});
  REQUIRE(found.verdict == checker::Verdict::violated);
  const auto scaled = checker::rescale(model, found.schedule, 1000, "a test");
  auto plan = plan_of(scaled.model, scaled.trace);
  plan.violated = found.property;
  return plan;
}

/// Once more where the machine is too slow for a lease of a second.
inline live::Confirmation replayed(const live::Plan& plan) {
  live::Confirmation result;
  for (int attempt = 0; attempt < 4; ++attempt) {
    result = live::replay(plan, live::own_servers(plan.model));
    if (result.outcome != live::Confirmation::Outcome::too_slow) break;
  }
  return result;
}

inline void is_confirmed(const live::Plan& plan) {
  const auto result = replayed(plan);
  INFO("step " << result.step << ": " << result.detail);
  CHECK(result.outcome == live::Confirmation::Outcome::confirmed);
}

/// What the plan says that is not so.
inline void is_found(const live::Plan& plan, const std::string& detail) {
  const auto result = replayed(plan);
  CHECK(result.outcome == live::Confirmation::Outcome::differs);
  CHECK_THAT(result.detail, Catch::Contains(detail));
}

/// What was answered at a step, counted from the end (1: the last one).
inline sim::Reply answered(const live::Plan& plan, std::size_t from_the_end) {
  return *plan.steps.at(plan.steps.size() - from_the_end).reply.value();
}
inline std::string said(const live::Plan& plan, std::size_t from_the_end) {
  return answered(plan, from_the_end).text;
}

/// The place of the first step, from 1, for which `is` says so.
inline std::size_t first(const live::Plan& plan,
                         const std::function<bool(const live::PlanStep&)>& is) {
  std::size_t step = 0;
  while (!is(plan.steps.at(step))) ++step;
  return step + 1;
}

}  // namespace lockstep::test
