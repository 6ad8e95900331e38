// Divides times and tries the run; see the header.
#include "checker/quicker.hpp"

#include <algorithm>

#include "sim/error.hpp"

namespace lockstep::checker {

namespace {

constexpr std::int64_t kSecondMs = 1000;

/// A length of time divided: what lies a little before or after a multiple of `divisor` ("the ms
/// after the lease") lies as much before or after the quotient.
std::int64_t divided(std::int64_t ms, std::int64_t divisor) {
  if (ms < 0) return -divided(-ms, divisor);
  const auto whole = ms / divisor, rest = ms % divisor;
  const auto shorter = rest <= divisor / 2 ? whole + rest : whole + 1 - (divisor - rest);
  return ms > 0 ? std::max<std::int64_t>(1, shorter) : 0;
}

sim::Model divided(sim::Model model, std::int64_t divisor) {
  for (auto& setup : model.processes) {
    setup.lease_ms = divided(setup.lease_ms, divisor);
    for (auto& step : setup.workload) step.ms = divided(step.ms, divisor);
  }
  for (auto& jump_ms : model.jumps_ms) jump_ms = divided(jump_ms, divisor);
  model.request_timeout_ms = divided(model.request_timeout_ms, divisor);
  model.pause_max_ms = divided(model.pause_max_ms, divisor);
  return model;
}

Trace walked(const sim::Model& model, const sim::Schedule& schedule, std::int64_t divisor,
             const std::string& place) {
  Walk walk(model);
  for (auto action : schedule) {
    action.amount_ms = divided(action.amount_ms, divisor);
    walk.take(action, place);
  }
  return walk.trace();
}

/// Whether two runs are the same but for their times.
bool alike(const Trace& one, const Trace& other) {
  if (one.violated != other.violated || one.steps.size() != other.steps.size()) return false;
  const auto kinds = [](const TraceStep& step) {
    std::vector<sim::Effect::Kind> all;
    for (const auto& effect : step.effects) all.push_back(effect.kind);
    return all;
  };
  const auto names = [](const TraceStep& step) {
    std::vector<std::string> all;
    for (const auto& [name, key] : step.keys) all.push_back(name);
    return all;
  };
  return std::equal(one.steps.begin(), one.steps.end(), other.steps.begin(),
                    [&](const TraceStep& a, const TraceStep& b) {
                      return kinds(a) == kinds(b) && names(a) == names(b);
                    });
}

}  // namespace

Quicker quicker(const sim::Model& model, const sim::Schedule& schedule, std::int64_t least_lease_ms,
                const std::string& place) {
  const auto lease_ms = model.processes.front().lease_ms;
  const auto full = walked(model, schedule, 1, place);
  for (auto seconds_ms = kSecondMs; seconds_ms < lease_ms; seconds_ms += kSecondMs) {
    if (seconds_ms < least_lease_ms || lease_ms % seconds_ms != 0) continue;
    const auto divisor = lease_ms / seconds_ms;
    try {
      const auto shorter = divided(model, divisor);
      auto trace = walked(shorter, schedule, divisor, place);
      if (alike(full, trace)) return {divisor, shorter, std::move(trace)};
    } catch (const sim::BadInput&) {
      // With this divisor the run takes another course: the protocol has durations of its own.
    }
  }
  return {1, model, full};
}

}  // namespace lockstep::checker
