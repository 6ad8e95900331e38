// The audit; see the header.
#include "checker/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "checker/explorer.hpp"
#include "checker/naive/naive.hpp"
#include "checker/slack.hpp"
#include "sim/base/check.hpp"

namespace lockstep::checker {

namespace {

constexpr std::int64_t kSecondMs = 1000;  // EXPIREAT and EXAT round to it

// What is free: the naive explorer takes about 70 us a state, so 0.15 s.
constexpr std::uint64_t kFreeStates = 2000;
constexpr double kFreeSeconds = 2;             // of all its searches, if a client's step takes long
constexpr std::int64_t kFreeTicksAhead = 250;  // as many worlds may follow one by time alone

/// What time is divided by: durations that somebody chose. What was left until an absolute time is
/// a difference of instants, which are multiples of the tick themselves.
std::vector<std::int64_t> durations_of(const sim::Model& model, const Result& full) {
  std::set<std::int64_t> durations(full.grid_durations.begin(), full.grid_durations.end());
  for (const auto computed : full.computed_durations) durations.erase(computed);
  if (!full.computed_durations.empty()) durations.insert(kSecondMs);
  durations.insert(
      {model.request_timeout_ms, model.pause_max_ms, model.latency_ms, model.restart_after_ms});
  if (model.min_replicas > 0) durations.insert(model.counts_gone_ms);
  for (const auto& process : model.processes) {
    durations.insert(process.lease_ms);
    for (const auto& step : process.workload) durations.insert(step.ms);
  }
  if (model.properties.contains(sim::Property::waits)) durations.insert(model.waits_ms);
  if (model.budget.at(static_cast<std::size_t>(sim::Fault::jump)) > 0)
    for (const auto jump : model.jumps_ms) durations.insert(std::abs(jump));
  for (const auto* clocks : {&model.clocks_ms, &model.node_clocks_ms})
    for (const auto clock : *clocks) durations.insert(std::abs(clock));
  if (sim::clocks_drift(model)) durations.insert(1);  // what such a clock shows turns at any ms
  durations.erase(0);
  return {durations.begin(), durations.end()};
}

std::string told(const Result& result) {
  if (result.vacuous()) return fmt::format("holds, with {} unmet witnesses", result.unmet.size());
  if (result.verdict != Verdict::violated) return name(result.verdict);
  return fmt::format("violated after {} steps", result.schedule.size());
}

/// Witnesses are looked for in the whole space, so only where the search came to its end do they
/// compare. Which world is the first of those that go on for ever depends on what an explorer keeps
/// apart that behaves the same: of endless runs the claim compares, not the length.
bool agree(const Result& a, const Result& b) {
  if (a.verdict != b.verdict) return false;
  if (a.endless && b.endless) return a.property == b.property;
  return a.verdict == Verdict::violated ? a.schedule.size() == b.schedule.size()
                                        : a.unmet == b.unmet;
}

/// What is free, within `bounds`.
Bounds free_of(Bounds bounds) {
  if (bounds.max_states == 0 || bounds.max_states > kFreeStates) bounds.max_states = kFreeStates;
  return bounds;
}

}  // namespace

std::int64_t audit_tick_ms(const std::vector<std::int64_t>& durations_ms) {
  LOCKSTEP_CHECK(!durations_ms.empty());
  std::int64_t divisor = 0;
  for (const auto duration : durations_ms) divisor = std::gcd(divisor, duration);
  LOCKSTEP_CHECK(divisor > 0);
  return divisor % 2 == 0 ? divisor / 2 : divisor;
}

Audit audit(const sim::Model& model, const Result& full, const Bounds& bounds,
            const Progress& progress) {
  Audit audit;
  audit.durations_ms = durations_of(model, full);
  audit.tick_ms = audit_tick_ms(audit.durations_ms);
  if (sim::clocks_drift(model) && !full.time_gap.empty()) {  // time may go on for too long
    audit.detail = full.time_gap;
    return audit;
  }
  auto scaled = model;
  scaled.tick_ms = audit.tick_ms;
  audit.naive = explore_naively(scaled, bounds, progress, naive::Memory::boundary);
  audit.coarse = explore(scaled, bounds, progress);
  settle_slack(scaled, audit.coarse, bounds, progress);
  for (const auto* result :
       std::initializer_list<const Result*>{&full, &audit.naive, &audit.coarse}) {
    if (result->verdict != Verdict::inconclusive) continue;
    audit.detail = result->why_inconclusive;
    return audit;
  }
  const bool same = agree(full, audit.naive) && agree(full, audit.coarse);
  const sim::Slack &coarse = audit.coarse.slack, &naive = audit.naive.slack;  // same steps of time
  if (!same && !full.time_gap.empty()) {  // who tries every instant may find what is sooner
    audit.detail = full.time_gap;
    return audit;
  }
  const bool same_slack = !coarse.exact || coarse.least_ms == naive.least_ms;
  audit.outcome = same && same_slack ? Audit::Outcome::agree : Audit::Outcome::disagree;
  if (same && !same_slack)
    audit.detail = fmt::format("slack: naive explorer {} ms, main explorer {} ms",
                               naive.least_ms.value_or(sim::Slack::kEnded),
                               coarse.least_ms.value_or(sim::Slack::kEnded));
  if (!same)
    audit.detail = fmt::format("found {}; naive explorer: {}; main explorer with the same tick: {}",
                               told(full), told(audit.naive), told(audit.coarse));
  return audit;
}

Audit audit_if_small(const sim::Model& model, const Result& full, const Bounds& bounds,
                     const Progress& progress) {
  Audit audited;
  audited.outcome = Audit::Outcome::left_out;
  audited.durations_ms = durations_of(model, full);
  audited.tick_ms = audit_tick_ms(audited.durations_ms);
  const std::int64_t ticks_ahead = audited.durations_ms.back() / audited.tick_ms;
  if (full.statistics.states > kFreeStates) {
    audited.detail = fmt::format("more than {} states", kFreeStates);
  } else if (ticks_ahead > kFreeTicksAhead) {
    audited.detail = fmt::format("{} steps of {} ms until the longest duration is over",
                                 ticks_ahead, audited.tick_ms);
  } else {
    audited = audit(model, full, free_of(bounds), within(kFreeSeconds, progress));
    if (audited.outcome == Audit::Outcome::inconclusive) audited.outcome = Audit::Outcome::left_out;
  }
  audited.asked_for = false;
  return audited;
}

}  // namespace lockstep::checker
