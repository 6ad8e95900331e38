// Compares and waits; see the header.
#include "live/keyspace_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "live/compare.hpp"
#include "live/wording.hpp"

namespace lockstep::live {

namespace {

using Outcome = Confirmation::Outcome;

constexpr std::int64_t kLeastLeftMs = 10;  // of a key's lifetime when a request is sent
constexpr std::int64_t kLatestMs = 500;    // how long a key may outlive what the trace says
constexpr std::int64_t kBetweenLooksMs = 2;
constexpr std::int64_t kWhileDownMs = 5;  // nobody can be asked whether a key has expired

/// Calls `look` with the number of each server that is up.
template <typename Look>
void for_each_up(const Nodes& nodes, Look look) {
  for (std::uint8_t server = 0; server < nodes.count(); ++server)
    if (nodes.is_up(server)) look(server);
}

}  // namespace

sim::VisibleKeys KeyspaceCheck::keys(std::uint8_t server) {
  return stage_.naming.named(stage_.nodes.keys(server));
}

/// The keys that have to be there after the step.
sim::VisibleKeys KeyspaceCheck::told(const PlanStep& step, std::uint8_t server) const {
  sim::VisibleKeys told = step.keys.at(server);
  if (ends_are_over_) std::erase_if(told, [](const auto& key) { return key.second.left_ms == 0; });
  return told;
}

void KeyspaceCheck::expect_time_left(std::uint8_t server) {
  const auto found = keys(server);
  for (const auto& [name, key] : expected_.at(server)) {
    if (!key.left_ms) continue;
    const auto real = found.find(name);
    if (real == found.end() || real->second.left_ms.value_or(kLeastLeftMs) < kLeastLeftMs)
      throw Stopped{Outcome::too_slow, fmt::format("the key {} expired too early", name)};
  }
}

void KeyspaceCheck::pass(const PlanStep& step) {
  auto& pace = stage_.pace;
  const auto amount_ms = step.action.amount_ms;
  const auto now_ms = pace.real_ms();
  auto until_ms = now_ms + amount_ms + (stage_.nodes.all_up() ? 0 : kWhileDownMs);
  auto gone_by_ms = until_ms;
  for_each_up(stage_.nodes, [&](std::uint8_t server) {
    const auto still = told(step, server);
    for (const auto& [name, key] : keys(server)) {
      if (!key.left_ms) continue;
      if (still.contains(name))
        until_ms = std::min(until_ms, now_ms + *key.left_ms - kMarginMs);
      else
        gone_by_ms = std::max(gone_by_ms, now_ms + *key.left_ms + kLatestMs);
    }
  });
  pace.wait_until(until_ms);
  pace.advance(amount_ms);
  stage_.replication.pass(amount_ms);
  while (pace.real_ms() < gone_by_ms && outlived(step))
    pace.wait_until(pace.real_ms() + kBetweenLooksMs);
}

/// Whether some key is still there that expires and that the trace does not have any more.
bool KeyspaceCheck::outlived(const PlanStep& step) {
  bool outlived = false;
  for_each_up(stage_.nodes, [&](std::uint8_t server) {
    const auto still = told(step, server);
    for (const auto& [name, key] : keys(server))
      outlived = outlived || (key.left_ms && !still.contains(name));
  });
  return outlived;
}

void KeyspaceCheck::compare(const PlanStep& step) {
  stage_.replication.await_mirrors();
  if (const auto master = stage_.replication.await_counts())
    throw Stopped{Outcome::too_slow, worded_node(stage_.model, *master) +
                                         " has missed a replica that has left it too early"};
  for_each_up(stage_.nodes, [&](std::uint8_t server) {
    const auto found = keys(server);
    stage_.pace.note_lag();
    const auto difference = keys_difference(told(step, server), found, stage_.pace.tolerance_ms());
    if (!difference) return;
    const bool one = stage_.nodes.count() == 1;
    throw Stopped{difference->early ? Outcome::too_slow : Outcome::differs,
                  (one ? "" : worded_node(stage_.model, server) + ": ") + difference->text};
  });
  for (std::uint8_t server = 0; server < stage_.nodes.count(); ++server)
    expected_.at(server) = told(step, server);
}

}  // namespace lockstep::live
