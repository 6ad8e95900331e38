// Divides times and tries the run; see the header.
#include "checker/trace/rescale.hpp"

#include <algorithm>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/client/program.hpp"

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
  for (auto* clocks : {&model.clocks_ms, &model.node_clocks_ms})
    for (auto& clock_ms : *clocks) clock_ms = divided(clock_ms, divisor);
  model.latency_ms = divided(model.latency_ms, divisor);
  model.restart_after_ms = divided(model.restart_after_ms, divisor);
  model.waits_ms = divided(model.waits_ms, divisor);
  return model;
}

std::vector<sim::Effect::Kind> kinds_of(const TraceStep& step) {
  std::vector<sim::Effect::Kind> kinds;
  for (const auto& effect : step.data.effects) kinds.push_back(effect.kind);
  return kinds;
}

/// The names of the keys of each server.
std::vector<std::vector<std::string>> names_of(const TraceStep& step) {
  std::vector<std::vector<std::string>> names;
  for (const auto& keys : step.data.keys) {
    auto& server = names.emplace_back();
    for (const auto& [name, key] : keys) server.push_back(name);
  }
  return names;
}

/// Whether two steps are the same but for their times: the same deeds, and the same keys exist.
bool alike(const TraceStep& one, const TraceStep& other) {
  return kinds_of(one) == kinds_of(other) && names_of(one) == names_of(other);
}

/// Leads a walk through the steps of `full` with other durations.
class Guide {
 public:
  Guide(const sim::Model& model, const Trace& full, std::int64_t divisor)
      : full_(full), divisor_(divisor), walk_(model) {}

  /// The trace, if there is one.
  std::optional<Trace> lead() {
    for (std::size_t i = 0; i < full_.steps.size(); ++i)
      if (!(is_pass(i) ? pass(i) : take(full_.steps[i].data.action, i))) return std::nullopt;
    if (walk_.trace().violated != full_.violated) return std::nullopt;
    return walk_.trace();
  }

 private:
  bool is_pass(std::size_t i) const {
    return i < full_.steps.size() && full_.steps[i].data.action.kind == sim::Action::Kind::pass;
  }

  bool take(sim::Action action, std::size_t i) {
    if (!is_pass(i)) action.amount_ms = divided(action.amount_ms, divisor_);
    try {
      if (alike(walk_.take(action), full_.steps[i])) return true;
    } catch (const sim::BadInput&) {
      return false;  // not possible here
    }
    walk_.back();
    return false;
  }

  /// Lets as much time pass as makes the next step possible: the quotient, or up to a deadline (the
  /// protocol's own durations are not divided).
  bool pass(std::size_t i) {
    auto action = full_.steps[i].data.action;
    std::vector<std::int64_t> amounts{divided(action.amount_ms, divisor_)};
    for (const auto& option : walk_.enabled())
      if (option.action.kind == sim::Action::Kind::pass) amounts.push_back(option.action.amount_ms);
    for (const auto amount_ms : amounts) {
      action.amount_ms = amount_ms;
      if (!take(action, i)) continue;
      if (i + 1 == full_.steps.size() || is_pass(i + 1)) return true;
      if (take(full_.steps[i + 1].data.action, i + 1)) {
        walk_.back();
        return true;
      }
      walk_.back();
    }
    return false;
  }

  const Trace& full_;
  std::int64_t divisor_;
  Walk walk_;
};

}  // namespace

Rescaled rescale(const sim::Model& model, const sim::Schedule& schedule,
                 std::int64_t least_lease_ms, const std::string& place) {
  const Walk walk = walked(model, schedule, place);
  const auto& full = walk.trace();
  const auto lease_ms = model.processes.front().lease_ms;
  for (auto seconds_ms = kSecondMs; seconds_ms < lease_ms; seconds_ms += kSecondMs) {
    if (seconds_ms < least_lease_ms || lease_ms % seconds_ms != 0) continue;
    const auto divisor = lease_ms / seconds_ms;
    auto shorter = divided(model, divisor);
    if (auto trace = Guide(shorter, full, divisor).lead())
      return {divisor, std::move(shorter), std::move(*trace)};
  }
  return {1, model, full};
}

}  // namespace lockstep::checker
